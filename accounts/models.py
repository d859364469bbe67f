"""The models of this app, for Django and other apps. Each is defined in the package of its subject."""

from accounts.credentials.models import ApiKey, CalendarFeed, SecretOwner
from accounts.events import AccountEvent
from accounts.joining import Invitation
from accounts.members.addresses import MemberAddress
from accounts.members.last_runs import LastRun
from accounts.members.models import Member
from accounts.members.outbox import OutgoingMail
from accounts.members.waiting import WaitingMembership
from accounts.signing_in.models import (
    AuthenticatorApp,
    BrowserSession,
    LinkedIdentity,
    Passkey,
    ProviderSignIn,
    RecoveryCode,
    SignInCode,
)

__all__ = [
    "AccountEvent",
    "ApiKey",
    "AuthenticatorApp",
    "BrowserSession",
    "CalendarFeed",
    "Invitation",
    "LastRun",
    "LinkedIdentity",
    "Member",
    "MemberAddress",
    "OutgoingMail",
    "Passkey",
    "ProviderSignIn",
    "RecoveryCode",
    "SecretOwner",
    "SignInCode",
    "WaitingMembership",
]
