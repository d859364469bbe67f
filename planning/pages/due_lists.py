"""The due items and milestones on the home page: overdue, by day, and undated."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple, cast
from uuid import UUID

from django.urls import reverse
from django.utils.text import Truncator

from courses.models import ItemStatus
from courses.serializers import ItemRow
from planning.agenda_serializers import AgendaRow
from planning.course_plan import PlannedItem
from planning.serializers import MilestoneRow

MOST_A_DAY = 12
MOST_OVERDUE = 20
"""Maximum numbers of rows of a day, and of overdue ones unless all are asked for."""

ALL_OVERDUE = 40

ROOM = 87_000
"""Most bytes of all rows, which keep the page under 100 kB. Very full weeks have fewer rows a day."""

_ROW = 1100
"""Bytes of a row without the texts of `Due`."""

NAMED = 50
"""Most characters of a title in the names of a row's buttons."""


class Due(NamedTuple):
    """An item or a milestone in the list.

    Attributes:
        item_id: the item itself, or that of a milestone.
        what: an item's kind, or the item of a milestone.
        recall: of an open exam or quiz, the expected recall of its course's flashcards on its day without studying, in
            percent; None if not shown.
        since: the due date of an overdue or missed one.
        day: its due date.
        graded: whether it is a graded item, which cannot be ticked.
        done: whether it is done.
        time: an item's time; empty without one.
    """

    id: UUID
    title: str
    item_id: UUID
    course: str | None
    course_id: UUID | None
    what: str
    recall: float | None = None
    since: date | None = None
    day: date | None = None
    graded: bool = False
    done: bool = False
    time: str = ""

    @property
    def path(self) -> str:
        """Its page, or that of its item."""
        return reverse("item", args=[self.item_id])

    @property
    def tick(self) -> str:
        """The path of the form that sets whether it is done."""
        return self._form("tick")

    @property
    def move(self) -> str:
        """The path of the form that moves it to another day."""
        return self._form("move")

    def _form(self, do: str) -> str:
        return reverse(f"{do}-{'item' if self.id == self.item_id else 'milestone'}", args=[self.id])

    @property
    def short_title(self) -> str:
        """The title in the names of buttons."""
        return Truncator(self.title).chars(NAMED)

    def size(self) -> int:
        """Its size in a page, in bytes."""
        return _ROW + len(f"{self.title * 2}{self.short_title * 4}{self.what}{self.course}".encode())


class Day(NamedTuple):
    """The items and milestones due on a day.

    Attributes:
        more: the number of others.
    """

    date: date
    due: list[Due]
    more: int = 0


def due_lists(
    agenda: AgendaRow, done: Sequence[MilestoneRow], courses: Mapping[UUID, UUID], *, all_overdue: bool = False
) -> dict[str, object]:
    """The agenda by day, with separate lists of what is overdue and of undated steps.

    Args:
        done: done steps, which stay in their place among the open ones.
        courses: the course of each step's item.
        all_overdue: whether to list more than `MOST_OVERDUE` overdue ones.
    """
    open_ = {item["id"] for item in agenda["items"] if not item["done"] and item["status"] != ItemStatus.GRADED}
    recall = {one["item_id"]: one["expected_recall"] for one in agenda["readiness"] if one["item_id"] in open_}
    found = [due_of_item(item) for item in agenda["missed"]]
    found += [due_of_item(item)._replace(recall=recall.get(item["id"])) for item in agenda["items"]]
    steps = sorted([*agenda["milestones"], *done], key=lambda step: (step["position"], step["id"]))
    found += [due_of_step(step, courses) for step in steps]
    overdue: list[Due] = []
    undated: list[Due] = []
    by_day: dict[date, list[Due]] = {}
    for due in sorted(found, key=lambda due: due.day or date.max):
        if due.day is None:
            undated.append(due)
        elif due.day < agenda["today"]:
            overdue.append(due._replace(since=due.day))
        else:
            by_day.setdefault(due.day, []).append(due)
    late = overdue[: ALL_OVERDUE if all_overdue else MOST_OVERDUE]
    most = _most_a_day([*by_day.values(), undated], ROOM - sum(due.size() for due in late))
    return {
        "overdue": late,
        "more_overdue": len(overdue) - len(late),
        "all_overdue": all_overdue,
        "days": [Day(day, due[:most], len(due[most:])) for day, due in by_day.items()],
        "undated": undated[:most],
        "more_undated": len(undated[most:]),
    }


def _most_a_day(days: Sequence[list[Due]], room: int) -> int:
    """The highest number of rows a day, up to `MOST_A_DAY`, with which all days have at most `room` bytes."""
    for most in range(MOST_A_DAY, 0, -1):
        if sum(due.size() for day in days for due in day[:most]) <= room:
            return most
    return 0


def due_of_item(item: ItemRow) -> Due:
    """The entry of an item."""
    graded = item["status"] == ItemStatus.GRADED
    return Due(
        item["id"],
        item["title"],
        item["id"],
        item["course_name"],
        item["course_id"],
        "graded" if graded else item["kind"],
        day=item["due_on"],
        graded=graded,
        done=item["done"],
        time=item["due_time"] or "",
    )


def due_of_step(step: MilestoneRow, courses: Mapping[UUID, UUID]) -> Due:
    """The entry of a milestone. `courses` has the course of its item."""
    return Due(
        step["id"],
        step["title"],
        step["item_id"],
        step["course_name"],
        courses.get(step["item_id"]),
        f"for {step['item_title']}",
        day=step["due_on"],
        done=step["done"],
    )


def take_overdue_steps(items: Iterable[PlannedItem]) -> list[Due]:
    """Take the overdue milestones out of their items, oldest first."""
    taken = []
    for item in items:
        late = [step for step in item["milestones"] if step["overdue"]]
        item["milestones"] = [step for step in item["milestones"] if not step["overdue"]]
        of_item = {"item_id": item["id"], "item_title": item["title"], "course_name": None}
        taken += [due_of_step(cast("MilestoneRow", step | of_item), {})._replace(since=step["due_on"]) for step in late]
    return sorted(taken, key=lambda due: due.since or date.max)
