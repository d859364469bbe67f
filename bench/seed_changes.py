"""Leaves changes in the log as an assistant does in a term, through the domain functions themselves."""

from datetime import timedelta

from accounts.changes.acting import Actor, acting
from accounts.changes.models import ActorKind
from accounts.models import Member
from bench.cast import Cast
from courses.items import create_single_item, delete_item, update_item
from courses.models import Course
from planning.milestones import create_milestone, update_milestone
from studyservice.database.ids import uuid7

MEMBERS = 100
ITEMS = 12


def leave(_members: int) -> Cast:
    """For each of `MEMBERS` members: items made, moved and ticked off step by step, and every sixth deleted.

    Gives nobody: the members are those that were there.
    """
    for member in Member.objects.filter(courses__isnull=False).distinct().order_by("email")[:MEMBERS]:
        course = Course.objects.filter(member=member).latest("created_at")
        today = member.today()
        with acting(Actor(ActorKind.APP, uuid7(), "Claude")):
            for number in range(ITEMS):
                due_on = today + timedelta(days=30 + number)
                item = create_single_item(
                    member, course.id, title=f"Problem set {number}", kind="assignment", due_on=due_on
                )
                update_item(member, item["id"], due_on=due_on + timedelta(days=2))
                step = create_milestone(member, item["id"], title="Read the chapter", due_on=due_on)
                update_milestone(member, step["id"], done=True)
                if number % 6 == 0:
                    delete_item(member, item["id"])
    return Cast()
