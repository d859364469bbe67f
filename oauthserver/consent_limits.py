"""The limits of a member's consent, stored with it, so that no token exceeds them."""

from dataclasses import replace
from uuid import UUID

from accounts.credentials.limits import Limits
from accounts.models import Member
from oauthserver.models import Grant
from oauthserver.scopes import scopes_from
from studyservice.operations.declaration import Scope


class ConsentLimits:
    """The column of the consent (`accounts.credentials.limiting.LimitsStore`). Its tokens have no limits themselves."""

    def read(self, member_id: UUID, holder: UUID) -> Limits:
        """Return the current limits."""
        consents = Grant.objects.filter(user_id=member_id, token_family=holder)
        return Limits.of(consents.values_list("limits", flat=True).first())

    def write(self, member_id: UUID, holder: UUID, limits: Limits) -> None:
        """Store the limits."""
        Grant.objects.filter(user_id=member_id, token_family=holder).update(limits=limits.stored())


def last_consent(member: Member, app_id: UUID) -> tuple[Limits, bool]:
    """Return what the member's newest consent for an app allowed: its limits, and whether the app may change data.

    A last day that is over is left out. Without a consent, nothing is limited.
    """
    consents = Grant.objects.filter(user=member, application_id=app_id).order_by("-created", "-id")
    newest = consents.values_list("limits", "scope").first()
    if newest is None:
        return Limits.of(None), True
    stored, scopes = newest
    limits = Limits.of(stored)
    if limits.have_ended(member.today()):
        limits = replace(limits, until=None)
    return limits, Scope.WRITE in scopes_from(scopes)


def consents_beyond(member_id: UUID, app_id: UUID, limits: Limits) -> set[UUID]:
    """Return the families of an app's consents that allow anything beyond `limits`."""
    consents = Grant.objects.filter(user_id=member_id, application_id=app_id).values_list("token_family", "limits")
    return {family for family, stored in consents if limits.keep_back_more_than(Limits.of(stored))}


def limit_app(member_id: UUID, app_id: UUID, limits: Limits) -> None:
    """Set the limits of every consent of the app. Needs the member's lock."""
    Grant.objects.filter(user_id=member_id, application_id=app_id).update(limits=limits.stored())
