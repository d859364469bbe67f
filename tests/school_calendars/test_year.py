"""A year of readings compared with a model: moves, deletions, failures, the member's edits, undos."""

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest

from accounts.models import Member
from courses.courses import create_course
from courses.items import delete_item, update_item
from courses.models import Item
from planning.calendar.comparison import FileEvent
from planning.calendar.files import CalendarFile
from planning.models import SchoolCalendar
from planning.school_calendars.addresses import sealed
from planning.school_calendars.fetching import NOTHING_KNOWN, Failed, Read
from planning.school_calendars.taking import store
from studyservice.changes.calls import acting, command
from studyservice.rows.access import Access
from studyservice.server.signals import Reading
from studyservice.undo.log import list_changes
from studyservice.undo.undo import undo_change
from tests.school_calendars.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.database("sqlite", "calculations over many readings")]

READINGS = 300
COURSES = ("Biology", "Physics")


@dataclass
class Known:
    """An event in the model: the school's last version, and the member's item, or None if it is deleted."""

    base: tuple[str, date]
    mine: tuple[str, date] | None
    course: str


@dataclass
class Told:
    """An event of the school."""

    title: str
    due_on: date
    course: str


class Model:
    """The expected result of a reading, in few lines. Title and date are compared separately."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}

    def read(self, school: dict[str, Told]) -> None:
        for uid, told in school.items():
            now = (told.title, told.due_on)
            one = self.known.get(uid)
            if one is None:
                self.known[uid] = Known(now, now, told.course)
                continue
            if one.mine is not None:
                merged = [new if mine == old else mine for mine, old, new in zip(one.mine, one.base, now, strict=True)]
                one.mine = (merged[0], merged[1])  # type: ignore[assignment]  # a title and a date
            one.base = now

    def items(self) -> list[tuple[str, str, date]]:
        return sorted((one.course, *one.mine) for one in self.known.values() if one.mine is not None)


def items() -> list[tuple[str, str, date]]:
    rows = Item.objects.values_list("course__name", "title", "due_on")
    return sorted((course, title, due_on) for course, title, due_on in rows if due_on is not None)


def reading(school: dict[str, Told], number: int) -> Read:
    events = [FileEvent((uid, ""), one.title, one.due_on, one.course) for uid, one in school.items()]
    file = CalendarFile("school", events, frozenset(), [], frozenset(), frozenset(), {})
    return Read(file, f"{number}", NOTHING_KNOWN)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough("another year"))])
def test_a_year_ends_as_in_the_model(make_member: Any, clock: Any, seed: int) -> None:
    random, model = Random(seed), Model()  # noqa: S311  # no secret
    school: dict[str, Told] = {}
    member: Member = make_member("year@example.org")
    with acting(command("test")):
        for name in COURSES:
            create_course(Access(member), name=name)
        calendar = SchoolCalendar.objects.create(
            member=member,
            name="x",
            host="school.example",
            address_end=".ics",
            sealed_address=sealed("https://school.example/x.ics"),
            accepted=True,
        )
        _terms(random, school, 40)
        seen: set[Reading | None] = set()
        undone = 0
        for number in range(READINGS):
            clock.shift(timedelta(hours=29))
            _school_changes(random, school)
            _member_changes(random, model, member)
            if random.random() < 0.1:
                failed = Failed("timed_out", "No answer.")
                assert store(Access(member), calendar.id, failed) is Reading.FAILED
                assert items() == model.items()
                continue
            before = items()
            outcome = store(Access(member), calendar.id, reading(school, number))
            seen.add(outcome)
            model.read(school)
            assert items() == model.items(), number
            if outcome is Reading.TAKEN and random.random() < 0.1:
                _undo(member)
                undone += 1
                assert items() == before
                _follow(model)
    assert {Reading.TAKEN, Reading.UNCHANGED} <= seen
    assert Reading.HELD not in seen
    assert undone > 3


def _terms(random: Random, school: dict[str, Told], number: int) -> None:
    for place in range(number):
        day = NOW.date() + timedelta(days=random.randrange(2, 400))
        school[f"e{place}"] = Told(f"Essay {place}", day, random.choice(COURSES))


def _school_changes(random: Random, school: dict[str, Told]) -> None:
    for uid in random.sample(sorted(school), min(2, len(school))):
        kind = random.random()
        if kind < 0.4:
            school[uid].due_on += timedelta(days=random.randrange(-3, 4))
        elif kind < 0.6:
            school[uid].title = f"{school[uid].title.split(',', maxsplit=1)[0]}, part {random.randrange(9)}"
        elif kind < 0.65 and len(school) > 20:
            del school[uid]
    if random.random() < 0.3:
        place = random.randrange(10_000)
        day = NOW.date() + timedelta(days=random.randrange(2, 400))
        school.setdefault(f"n{place}", Told(f"Quiz {place}", day, random.choice(COURSES)))


def _member_changes(random: Random, model: Model, member: Member) -> None:
    if random.random() > 0.2:
        return
    uid, one = random.choice(sorted(model.known.items())) if model.known else ("", None)
    if one is None or one.mine is None:
        return
    item = Item.objects.filter(member=member, title=one.mine[0], due_on=one.mine[1], course__name=one.course).first()
    assert item is not None, uid
    kind = random.random()
    if kind < 0.2:
        delete_item(Access(member), item.id)
        one.mine = None
    elif kind < 0.6:
        day = one.mine[1] + timedelta(days=1)
        update_item(Access(member), item.id, due_on=day)
        one.mine = (one.mine[0], day)
    else:
        title = f"My {one.mine[0]}"
        update_item(Access(member), item.id, title=title)
        one.mine = (title, one.mine[1])


def _undo(member: Member) -> None:
    """Undo every change of the last reading."""
    rows = [row for row in list_changes(Access(member), limit=50)["data"] if row["undone_at"] is None]
    newest = [row for row in rows if row["operation"] == "read_school_calendar"]
    last = newest[0]["created_at"]
    for row in newest:
        if last - row["created_at"] < timedelta(seconds=5):
            undo_change(Access(member), row["id"])


def _follow(model: Model) -> None:
    """Undone changes count as the member's: update the model's items to the existing ones."""
    from planning.models import ImportedEvent

    there = {item.id: (item.title, item.due_on) for item in Item.objects.all()}
    for event in ImportedEvent.objects.all():
        mine = there.get(event.item_id)
        assert mine is None or mine[1] is not None
        model.known[event.uid].mine = mine  # type: ignore[assignment]  # its date is not None
