"""Memberships that a claim of the provider gives and takes away (`OIDC_MEMBERS`).

The link remembers the end that the claim gave. Only a membership that still has this end is taken away: one that was
paid for, or that an operator set since, stays. A shorter one that the claim replaced counts again.
"""

from datetime import timedelta

from accounts.events import EventKind, Subject, record_event
from accounts.members.membership import lapse, note_of_membership, renew
from accounts.members.models import Member
from accounts.signing_in.models import LinkedIdentity
from accounts.signing_in.provider.outcomes import Identity
from studyservice.changes.calls import Actor
from studyservice.identity_provider import IdentityProvider
from studyservice.models import ActorKind


def has_claim(identity: Identity, members: tuple[str, str]) -> bool:
    """Return whether the ID token's claim is that text, or a list that holds it."""
    name, value = members
    told = identity.claims.get(name)
    return value in told if isinstance(told, list) else told == value


def is_given(link: LinkedIdentity, member: Member) -> bool:
    """Return whether the member's present membership is the one that the claim gave."""
    return member.membership_active and link.membership_until == member.membership_until is not None


def apply_claim(link: LinkedIdentity, member: Member, identity: Identity, provider: IdentityProvider) -> None:
    """Give or take away the membership, with an account event. Call under the member's lock.

    Without `OIDC_MEMBERS`, change nothing.
    """
    if provider.members is None:
        return
    before = member.membership_active, member.membership_until
    if has_claim(identity, provider.members):
        _give(link, member, provider.members_days)
    elif is_given(link, member):
        _take(link, member)
    if before != (member.membership_active, member.membership_until):
        note = note_of_membership(member.membership_active, member.membership_until)
        subject = Subject.of(link, provider.name)
        record_event(member.id, EventKind.MEMBERSHIP_CHANGED, subject, detail=note, who=Actor(ActorKind.PAGE))


def _give(link: LinkedIdentity, member: Member, days: int) -> None:
    until, present = member.today() + timedelta(days=days), member.membership_until
    if not is_given(link, member):
        is_active = member.membership_is_active()
        if is_active and (present is None or present >= until):
            return
        link.before_until = present if is_active else None
    link.membership_until = until
    link.save(update_fields=["membership_until", "before_until"])
    renew(member, until)


def _take(link: LinkedIdentity, member: Member) -> None:
    if link.before_until is not None and link.before_until >= member.today():
        renew(member, link.before_until)
    else:
        lapse(member)
    link.membership_until = link.before_until = None
    link.save(update_fields=["membership_until", "before_until"])
