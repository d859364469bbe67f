"""The most rows of each kind, apart from the statements, which need the declarations that name these."""

from accounts.members.limits import Limit
from planning.serializers import MAX_MILESTONES

MILESTONES_OF_ITEM = Limit(
    most=MAX_MILESTONES,
    what="milestones of an item",
    full="You have reached the limit of {most} milestones on this item. Delete one first.",
    per="item",
)

MILESTONES_OF_MEMBER = Limit(
    most=5000,
    what="milestones",
    full="You have reached the limit of {most} milestones on all items together. Delete one first.",
)
"""Limits the size of get_agenda's answer."""

EVENTS_OF_COURSE = Limit(
    most=3000,
    what="imported events of a course",
    full="With these there would be over {most} imported events in this course.",
    per="course",
)
"""The remembered events of a course, including those whose item was deleted."""

CALENDARS = Limit(
    most=5, what="school calendars", full="You have reached the limit of {most} school calendars. Delete one first."
)
