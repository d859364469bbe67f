"""Rate limit of syllabi per member and hour."""

from accounts.rows.access import Access
from studyservice.operations.errors import RateLimited
from studyservice.rates.limiter import Rate, hit

_COST_OF_A_LIMIT = 10
"""Count of an upload that used all its CPU time or memory."""


def count_upload(access: Access) -> None:
    """Count one upload.

    Raises:
        RateLimited: there were too many.
    """
    window = hit(Rate.SYLLABI, str(access.member.id))
    if window.exceeded:
        raise RateLimited(window.reset)


def count_limit_hit(access: Access) -> None:
    """Count the extra cost of the last one."""
    hit(Rate.SYLLABI, str(access.member.id), _COST_OF_A_LIMIT - 1)
