"""Declarations of this app's models with rows of members."""

from django.contrib.admin.models import LogEntry

from accounts.credentials.models import ApiKey, CalendarFeed, SecretOwner
from accounts.events import AccountEvent
from accounts.members.addresses import MemberAddress
from accounts.signing_in.models import AuthenticatorApp, BrowserSession, Passkey, RecoveryCode, SignInCode
from studyservice.registry.data import ACCOUNT, CREDENTIAL, MemberData, register

register(
    MemberData(
        MemberAddress,
        whole_member=ACCOUNT,
        archived="the address is in the profile",
        no_admin="on the page of the member",
    )
)
register(
    MemberData(
        LogEntry,
        whole_member=ACCOUNT,
        archived="what an operator did in the admin",
    ),
)
register(
    MemberData(
        AccountEvent,
        whole_member=ACCOUNT,
        archived="a file of its own",
    )
)
register(
    MemberData(
        SecretOwner,
        whole_member=ACCOUNT,
        archived=CREDENTIAL,
        no_admin="maps credentials to the member",
    )
)
for credential in (ApiKey, CalendarFeed):
    register(
        MemberData(
            credential,
            whole_member=ACCOUNT,
            archived=CREDENTIAL,
            hash_column="secret_hash",
        )
    )
for model in (SignInCode, AuthenticatorApp, Passkey, RecoveryCode, BrowserSession):
    register(
        MemberData(
            model,
            whole_member=ACCOUNT,
            archived=CREDENTIAL,
            no_admin="ended and reset on the page of the member",
        )
    )
