"""The limits of what a member allowed an app: stored with the consent, so that no token of it is wider."""

from uuid import UUID

from accounts.credentials.limits import Limits
from oauthserver.models import Grant


class ConsentLimits:
    """The column of the consent (`accounts.credentials.limiting.LimitsStore`); its tokens have none of their own."""

    def read(self, member_id: UUID, holder: UUID) -> Limits:
        """The limits now."""
        consents = Grant.objects.filter(user_id=member_id, token_family=holder)
        return Limits.of(consents.values_list("limits", flat=True).first())

    def write(self, member_id: UUID, holder: UUID, limits: Limits) -> None:
        """Store them."""
        Grant.objects.filter(user_id=member_id, token_family=holder).update(limits=limits.stored())


def consents_beyond(member_id: UUID, app_id: UUID, limits: Limits) -> set[UUID]:
    """The families of an app's consents that allow anything which `limits` do not."""
    consents = Grant.objects.filter(user_id=member_id, application_id=app_id).values_list("token_family", "limits")
    return {family for family, stored in consents if limits.keep_back_more_than(Limits.of(stored))}


def limit_app(member_id: UUID, app_id: UUID, limits: Limits) -> None:
    """Let every consent of the app have these limits; under the member's lock."""
    Grant.objects.filter(user_id=member_id, application_id=app_id).update(limits=limits.stored())
