"""Data added to the benchmark's seed: changes in the log, and syllabus files."""

from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from accounts.changes.calls import Actor, acting
from accounts.changes.models import ActorKind
from accounts.models import Member
from accounts.rows.access import Access
from courses.item_batches import create_item
from courses.items import delete_item, update_item
from courses.models import Course, SyllabusFile
from planning.milestones import create_milestone, update_milestone
from studyservice.database.ids import uuid7
from tools.bench.cast import SYLLABUS, Cast
from tools.bench.seed_shared import new_id, syllabus_file

MEMBERS = 100
ITEMS = 12
FILES = 2
"""Syllabus files of each course."""


def changes(_members: int) -> Cast:
    """Create, move, tick off and delete items of `MEMBERS` members, like an assistant in a term."""
    for member in Member.objects.filter(courses__isnull=False).distinct().order_by("email")[:MEMBERS]:
        course = Course.objects.filter(member=member).latest("created_at")
        today = member.today()
        with acting(Actor(ActorKind.APP, uuid7(), "Claude")):
            for number in range(ITEMS):
                due_on = today + timedelta(days=30 + number)
                item, _ = create_item(
                    Access(member), course.id, title=f"Problem set {number}", kind="assignment", due_on=due_on
                )
                update_item(Access(member), item["id"], due_on=due_on + timedelta(days=2))
                step = create_milestone(Access(member), item["id"], title="Read the chapter", due_on=due_on)
                update_milestone(Access(member), step["id"], done=True)
                if number % 6 == 0:
                    delete_item(Access(member), item["id"])
    return Cast()


def syllabi(_members: int) -> Cast:
    """Add `FILES` files to each course. All share one stored file."""
    now, stored = timezone.now(), default_storage.save("syllabi/shared", ContentFile(SYLLABUS))
    rows = (
        syllabus_file(
            member,
            course,
            f"syllabus {number}.txt",
            id=new_id(),
            file=stored,
            created_at=now - timedelta(days=80, minutes=number),
        )
        for course, member in list(Course.objects.values_list("id", "member_id"))
        for number in range(FILES)
    )
    SyllabusFile.objects.bulk_create(rows, batch_size=1_000)
    return Cast()
