"""The models of this app, for Django and other apps. Each is defined in the package of its subject."""

from accounts.credentials.models import ApiKey, CalendarFeed, SecretOwner
from accounts.events import AccountEvent
from accounts.joining import Invitation
from accounts.members.addresses import MemberAddress
from accounts.members.last_runs import LastRun
from accounts.members.models import Member
from accounts.members.outbox import OutgoingMail
from accounts.members.waiting import WaitingMembership
from accounts.signing_in.models import AuthenticatorApp, BrowserSession, Passkey, RecoveryCode, SignInCode

__all__ = [
    "AccountEvent",
    "ApiKey",
    "AuthenticatorApp",
    "BrowserSession",
    "CalendarFeed",
    "Invitation",
    "LastRun",
    "Member",
    "MemberAddress",
    "OutgoingMail",
    "Passkey",
    "RecoveryCode",
    "SecretOwner",
    "SignInCode",
    "WaitingMembership",
]
