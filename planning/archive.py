"""Milestones and imported calendar events in an archive, and the member's calendar."""

from collections.abc import Iterator
from datetime import date

from accounts.archive.fields import MomentField
from accounts.members.archived import MAX_POSITION
from accounts.models import Member
from accounts.rows.access import Access
from planning.calendar.events import calendar_text, events_between
from planning.serializers import MilestoneValues
from studyservice.operations.fields import DateField, IdField, IntegerField, StringField
from studyservice.operations.serializers import Body


class MilestoneLine(MilestoneValues):
    """A milestone."""

    id = IdField()
    item_id = IdField()
    position = IntegerField(min_value=1, max_value=MAX_POSITION)
    sequence = IntegerField(min_value=0, max_value=MAX_POSITION)
    created_at = MomentField(past=True)
    updated_at = MomentField(past=True)


class ImportedEventLine(Body):
    """The calendar event that an item was created from."""

    id = IdField()
    course_id = IdField()
    item_id = IdField()
    calendar_id = IdField(allow_null=True)
    uid = StringField(max_length=255, trim_whitespace=False)
    instance = StringField(max_length=16, allow_blank=True, trim_whitespace=False)
    prodid = StringField(max_length=255, allow_blank=True, trim_whitespace=False)
    title = StringField(max_length=160)
    due_on = DateField()


def write_calendar(member: Member) -> Iterator[bytes]:
    """Write every dated item and every dated open milestone as a calendar."""
    yield calendar_text(events_between(Access(member), date.min, date.max, milestones=True))
