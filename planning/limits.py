"""The limits of milestones and of imported calendar events."""

from accounts.members.limits import Limit

MILESTONES_OF_MEMBER = Limit(
    most=5000,
    what="milestones",
    full="There are {most} milestones on all items together, the most there can be. Delete one first.",
)
"""It bounds what get_agenda can answer."""

MILESTONES_OF_ITEM = Limit(
    most=20,
    what="milestones of an item",
    full="There are {most} milestones on this item, the most there can be. Delete one first.",
    per="item",
)

EVENTS_OF_COURSE = Limit(
    most=3000,
    what="imported events of a course",
    full="With these there would be over {most} imported events in this course.",
    per="course",
)
"""Events that are remembered, those whose item was deleted included."""
