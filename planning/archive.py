"""Milestones and imported calendar events in an archive."""

from accounts.archive.fields import MomentField
from accounts.members.archived import MAX_POSITION
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
