"""Declarations of this app's models with rows of members."""

from django.contrib.admin.models import LogEntry

from accounts.credentials.models import ApiKey, CalendarFeed, SecretOwner
from accounts.events import AccountEvent
from accounts.members.addresses import MemberAddress
from accounts.signing_in.models import (
    AuthenticatorApp,
    BrowserSession,
    LinkedIdentity,
    Passkey,
    ProviderSignIn,
    RecoveryCode,
    SignInCode,
)
from studyservice.registry.data import ACCOUNT, CREDENTIAL, MemberData, register

for model, archived, no_admin in (
    (MemberAddress, "the address is in the profile", "on the page of the member"),
    (LogEntry, "what an operator did in the admin", ""),
    (AccountEvent, "a file of its own", ""),
    (SecretOwner, CREDENTIAL, "maps credentials to the member"),
    (LinkedIdentity, CREDENTIAL, "connected and disconnected by the member"),
    (ProviderSignIn, CREDENTIAL, "lasts ten minutes"),
    *(
        (factor, CREDENTIAL, "ended and reset on the page of the member")
        for factor in (SignInCode, AuthenticatorApp, Passkey, RecoveryCode, BrowserSession)
    ),
):
    register(MemberData(model, whole_member=ACCOUNT, archived=archived, no_admin=no_admin))
for credential in (ApiKey, CalendarFeed):
    register(MemberData(credential, whole_member=ACCOUNT, archived=CREDENTIAL, hash_column="secret_hash"))
