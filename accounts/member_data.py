"""Declarations of this app's models with rows of members."""

from django.contrib.admin.models import LogEntry

from accounts.changes.models import Change, ChangeObject
from accounts.credentials.models import ApiKey, CalendarFeed, SecretOwner
from accounts.events import AccountEvent
from accounts.idempotency.models import IdempotencyKey
from accounts.members.addresses import MemberAddress
from accounts.members.data import ACCOUNT, CREDENTIAL, Logged, MemberData, Visible, register
from accounts.signing_in.models import AuthenticatorApp, BrowserSession, Passkey, RecoveryCode, SignInCode
from accounts.undo.seen import seen_changes

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
        Change,
        whole_member="tells of every object",
        archived="a file of its own",
        visible=Visible(seen=seen_changes),
        log=Logged(left_out="the log itself"),
    )
)
register(
    MemberData(
        ChangeObject,
        whole_member="tells of every object",
        archived="leads from objects to changes",
        no_admin="leads from objects to changes",
    )
)
register(
    MemberData(
        IdempotencyKey,
        whole_member=ACCOUNT,
        archived="answers to repeated calls, kept for a day",
        no_admin="answers to repeated calls",
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
