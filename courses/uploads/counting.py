"""How many syllabi a member brings in an hour."""

from accounts.models import Member
from studyservice.operations.errors import RateLimited
from studyservice.rates.limiter import Rate, hit

_COST_OF_A_LIMIT = 10
"""What counts an upload that took all the time or memory there is."""


def count_upload(member: Member) -> None:
    """Count one.

    Raises:
        RateLimited: there were too many.
    """
    window = hit(Rate.SYLLABI, str(member.id))
    if window.exceeded:
        raise RateLimited(window.reset)


def count_limit_hit(member: Member) -> None:
    """Count what the last one cost beyond that."""
    hit(Rate.SYLLABI, str(member.id), _COST_OF_A_LIMIT - 1)
