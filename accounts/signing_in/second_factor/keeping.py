"""List and remove a member's second factors, and notify the member. None of it needs the WebAuthn library."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.db import transaction
from django.db.models import QuerySet
from django.utils.encoding import punycode

from accounts.events import EventKind, holding, record_event
from accounts.mail import notify
from accounts.members.models import Member
from accounts.signing_in.models import AuthenticatorApp, Passkey, RecoveryCode
from accounts.signing_in.second_factor.codes import recovery_codes_left
from accounts.signing_in.second_factor.gate import has_one
from accounts.signing_in.sessions import end_sessions
from studyservice.changes.writing import writing
from studyservice.operations.errors import NotFound

MOST_PASSKEYS = 10
"""Maximum number of passkeys per member."""


def passkeys_possible() -> bool:
    """Return whether passkeys work for this service: they need a domain, not an IP address."""
    try:
        ip_address(relying_party())
    except ValueError:
        return True
    return False


def relying_party() -> str:
    """Return the domain that passkeys belong to, in lower-case ASCII as browsers write it."""
    return punycode(urlsplit(settings.BASE_URL).hostname or "")


@dataclass(frozen=True, slots=True)
class Kept:
    """A member's second factors.

    Attributes:
        passkeys: the oldest first.
        codes_left: recovery codes that still work.
    """

    app: AuthenticatorApp | None
    passkeys: Sequence[Passkey]
    codes_left: int

    def __bool__(self) -> bool:
        """Return whether the member has a second factor."""
        return self.app is not None or bool(self.passkeys)


class LastOne(Exception):
    """Raised when removing an operator's only second factor. Another must be added first."""


def kept_of(member: Member) -> Kept:
    """Return the member's second factors. Costs three queries."""
    return Kept(
        app=AuthenticatorApp.objects.filter(member_id=member.id).first(),
        passkeys=list(Passkey.objects.filter(member_id=member.id).order_by("created_at", "id")),
        codes_left=recovery_codes_left(member),
    )


def remove(member: Member, factors: QuerySet[Any]) -> bool:
    """Remove those of `factors` that are the member's. Return whether there were any. The last one takes the codes.

    Raises:
        LastOne: it is the last one, and the admin requires one.
        NotFound: the member was deleted meanwhile.
    """
    with writing(member.id):
        removed = factors.filter(member_id=member.id).delete()[0]
        if not has_one(member):
            if settings.ADMIN_SECOND_FACTOR == "required":
                raise LastOne
            RecoveryCode.objects.filter(member_id=member.id).delete()
    return bool(removed)


def reset(member: Member, *, by: UUID | None) -> dict[str, int]:
    """Remove all second factors and sign the member out of every browser. Return the number of rows by kind.

    The next sign-in to the admin sets up a new one, after an e-mailed code.

    Args:
        by: the id of the operator; None for a command, which the operators' log records as the member's own action.
    """
    with transaction.atomic():
        removed = {
            name: model.objects.filter(member_id=member.id).delete()[0]
            for name, model in (("apps", AuthenticatorApp), ("passkeys", Passkey), ("recovery_codes", RecoveryCode))
        }
        end_sessions(member)
        how = "by an operator" if by else "by the command resetsecondfactor"
        note(member, f"Second factor reset {how}.", by=by)
    tell(member, "was reset", "It has to be set up anew before the next sign-in to the admin.")
    return removed


def note(member: Member, what: str, *, by: UUID | None = None) -> None:
    """Add a line about the member to the operators' log (Django's), and an account event.

    Does nothing if the member is being deleted.
    """
    with suppress(NotFound), holding(member.id):
        LogEntry.objects.log_actions(
            user_id=by or member.id, queryset=[member], action_flag=CHANGE, change_message=what, single_object=True
        )
        record_event(member.id, EventKind.OPERATOR_ACTION, detail=what)


def tell(member: Member, what: str, then: str = "") -> None:
    """E-mail the member: “Your second factor `what`”."""
    notify(
        member.email,
        f"Your second factor {what}",
        f"The second factor of your account at Study Data Service {what}. {then}".strip(),
    )
