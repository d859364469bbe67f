"""The stored limits of an API key."""

from uuid import UUID

from accounts.credentials.limits import Limits
from accounts.credentials.models import ApiKey


class KeyLimits:
    """The column of the key (`accounts.credentials.limiting.LimitsStore`)."""

    def read(self, member_id: UUID, holder: UUID) -> Limits:
        """Return the current limits."""
        keys = ApiKey.objects.filter(member_id=member_id, id=holder)
        return Limits.of(keys.values_list("limits", flat=True).first())

    def write(self, member_id: UUID, holder: UUID, limits: Limits) -> None:
        """Store the limits."""
        ApiKey.objects.filter(member_id=member_id, id=holder).update(limits=limits.stored())
