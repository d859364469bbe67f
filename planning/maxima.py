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
