"""The limits of a member's consent, stored with it, so that no token exceeds them."""

from dataclasses import replace
from uuid import UUID

from accounts.credentials.limits import Limits
from accounts.models import Member
from oauthserver.models import Grant


class ConsentLimits:
    """The column of the consent (`accounts.credentials.limiting.LimitsStore`). Its tokens have no limits themselves."""

    def read(self, member_id: UUID, holder: UUID) -> Limits:
        """Return the current limits."""
        consents = Grant.objects.filter(user_id=member_id, token_family=holder)
        return Limits.of(consents.values_list("limits", flat=True).first())

    def write(self, member_id: UUID, holder: UUID, limits: Limits) -> None:
        """Store the limits."""
        Grant.objects.filter(user_id=member_id, token_family=holder).update(limits=limits.stored())


def last_limits(member: Member, app_id: UUID) -> Limits:
    """Return the limits of the member's newest consent for an app, without a last day that is over."""
    consents = Grant.objects.filter(user=member, application_id=app_id).order_by("-created", "-id")
    limits = Limits.of(consents.values_list("limits", flat=True).first())
    return replace(limits, until=None) if limits.have_ended(member.today()) else limits


def consents_beyond(member_id: UUID, app_id: UUID, limits: Limits) -> set[UUID]:
    """Return the families of an app's consents that allow anything beyond `limits`."""
    consents = Grant.objects.filter(user_id=member_id, application_id=app_id).values_list("token_family", "limits")
    return {family for family, stored in consents if limits.keep_back_more_than(Limits.of(stored))}


def limit_app(member_id: UUID, app_id: UUID, limits: Limits) -> None:
    """Set the limits of every consent of the app. Needs the member's lock."""
    Grant.objects.filter(user_id=member_id, application_id=app_id).update(limits=limits.stored())
