"""Milestones and imported calendar events in an archive, and the member's calendar."""

from collections.abc import Iterator
from datetime import date

from accounts.archive.fields import MomentField
from accounts.archive.tables import MAX_POSITION, ArchiveTable, Limit
from accounts.models import Member
from planning.calendar.events import calendar_text, events_between
from planning.calendar.importing import MAX_IMPORTED
from planning.milestones import MAX_MILESTONES, MAX_MILESTONES_OF_MEMBER
from planning.models import ImportedEvent, Milestone
from planning.serializers import MilestoneChanges
from studyservice.operations.fields import DateField, IdField, IntegerField, StringField
from studyservice.operations.serializers import Body


class MilestoneLine(MilestoneChanges):
    """A milestone."""

    id = IdField()
    item_id = IdField()
    position = IntegerField(min_value=1, max_value=MAX_POSITION)
    sequence = IntegerField(min_value=0, max_value=MAX_POSITION)
    created_at = MomentField(past=True)
    updated_at = MomentField(past=True)


class ImportedEventLine(Body):
    """An event of a calendar file that an item was made of."""

    id = IdField()
    course_id = IdField()
    item_id = IdField()
    uid = StringField(max_length=255, trim_whitespace=False)
    instance = StringField(min_length=0, max_length=16, allow_blank=True, trim_whitespace=False)
    prodid = StringField(min_length=0, max_length=255, allow_blank=True, trim_whitespace=False)
    title = StringField(max_length=160)
    due_on = DateField()


MILESTONES = ArchiveTable(
    name="milestones",
    model=Milestone,
    line=MilestoneLine,
    order=("item_id", "position", "created_at", "id"),
    references={"item_id": "items"},
    limits=(
        Limit(most=MAX_MILESTONES_OF_MEMBER, what="milestones"),
        Limit(most=MAX_MILESTONES, what="milestones of an item", per=("item_id",)),
    ),
)

IMPORTED_EVENTS = ArchiveTable(
    name="imported_events",
    model=ImportedEvent,
    line=ImportedEventLine,
    order=("course_id", "due_on", "id"),
    references={"course_id": "courses"},
    loose={"item_id": "items"},
    limits=(Limit(most=MAX_IMPORTED, what="imported events of a course", per=("course_id",)),),
    once=("course_id", "uid", "instance"),
)


def write_calendar(member: Member) -> Iterator[bytes]:
    """Every dated item, and every dated milestone that is not done, for a calendar."""
    yield calendar_text(events_between(member, date.min, date.max, milestones=True))
