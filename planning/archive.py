"""The member's calendar in an archive."""

from collections.abc import Iterator
from datetime import date

from accounts.models import Member
from accounts.rows.access import Access
from planning.calendar.events import calendar_text, events_between


def write_calendar(member: Member) -> Iterator[bytes]:
    """Write every dated item and every dated open milestone as a calendar."""
    yield calendar_text(events_between(Access(member), date.min, date.max, milestones=True))
