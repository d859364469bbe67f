"""The models of this app; six of them stand in files of their own, beside this package."""

from accounts.browser_sessions import BrowserSession
from accounts.changes import Change
from accounts.events import AccountEvent
from accounts.invitation import Invitation
from accounts.last_runs import LastRun
from accounts.models.address import MemberAddress
from accounts.models.credentials import ApiKey, CalendarFeed, SecretOwner, SignInCode
from accounts.models.idempotency import IdempotencyKey
from accounts.models.member import (
    DEFAULT_RETENTION,
    LEAST_RETENTION,
    MOST_RETENTION,
    Member,
    time_zones,
    validate_time_zone,
)
from accounts.models.second_factor import AuthenticatorApp, Passkey, RecoveryCode
from accounts.outgoing_mail import OutgoingMail

__all__ = [
    "DEFAULT_RETENTION",
    "LEAST_RETENTION",
    "MOST_RETENTION",
    "AccountEvent",
    "ApiKey",
    "AuthenticatorApp",
    "BrowserSession",
    "CalendarFeed",
    "Change",
    "IdempotencyKey",
    "Invitation",
    "LastRun",
    "Member",
    "MemberAddress",
    "OutgoingMail",
    "Passkey",
    "RecoveryCode",
    "SecretOwner",
    "SignInCode",
    "time_zones",
    "validate_time_zone",
]
