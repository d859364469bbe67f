"""The due items and milestones on the home page: overdue, by day, and undated."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from django.urls import reverse

from courses.models import ItemStatus
from courses.serializers import ItemRow
from planning.agenda_serializers import AgendaRow
from planning.serializers import MilestoneRow

MOST_LISTED = 100
"""Maximum number of items and milestones on the page, which keeps it small."""


class Due(NamedTuple):
    """An item or a milestone in the list.

    Attributes:
        path: its page, or that of its item.
        what: an item's kind, or the item of a milestone.
        recall: expected recall of its course's flashcards on its day without studying, in percent; None if not shown.
        since: the due date of an overdue or missed one.
        tick: the path of the form that sets whether it is done; empty for graded items.
        done: whether it is done.
        time: an item's time; empty without one.
    """

    id: UUID
    title: str
    path: str
    course: str | None
    course_id: UUID | None
    what: str
    recall: float | None = None
    since: date | None = None
    tick: str = ""
    done: bool = False
    time: str = ""


class Day(NamedTuple):
    """The items and milestones due on a day."""

    date: date
    due: list[Due]


def due_lists(agenda: AgendaRow, done: Sequence[MilestoneRow], courses: Mapping[UUID, UUID]) -> dict[str, object]:
    """The agenda by day, with separate lists of what is overdue and of undated steps. At most `MOST_LISTED` entries;
    `more` has the number of others.

    Args:
        done: done steps, which stay in their place among the open ones.
        courses: the course of each step's item.
    """
    recall = {one["item_id"]: one["expected_recall"] for one in agenda["readiness"]}
    overdue = [(item["due_on"], due_of_item(item)._replace(since=item["due_on"])) for item in agenda["missed"]]
    undated = []
    dated = [
        (item["due_on"], due_of_item(item)._replace(recall=recall.get(item["id"])))
        for item in agenda["items"]
        if item["due_on"] is not None
    ]
    today = agenda["today"]
    steps = sorted(
        [*agenda["milestones"], *done], key=lambda step: (step["due_on"] or date.max, step["position"], step["id"])
    )
    for step in steps:
        due = due_of_step(step, courses)
        if step["due_on"] is not None and step["due_on"] < today:
            overdue.append((step["due_on"], due._replace(since=step["due_on"])))
        elif step["due_on"] is None:
            undated.append(due)
        else:
            dated.append((step["due_on"], due))
    for one in (overdue, dated):
        one.sort(key=itemgetter(0))
    late = min(len(overdue), max(MOST_LISTED // 2, MOST_LISTED - len(dated) - len(undated)))
    dated = dated[: MOST_LISTED - late]
    undated = undated[: MOST_LISTED - late - len(dated)]
    more = len(agenda["missed"]) + len(agenda["items"]) + len(steps) - late - len(dated) - len(undated)
    days = [Day(day, [due for _, due in group]) for day, group in groupby(dated, key=itemgetter(0))]
    return {"days": days, "overdue": [due for _, due in overdue[:late]], "undated": undated, "more": more}


def due_of_item(item: ItemRow) -> Due:
    """The entry of an item."""
    graded = item["status"] == ItemStatus.GRADED
    return Due(
        item["id"],
        item["title"],
        reverse("item", args=[item["id"]]),
        item["course_name"],
        item["course_id"],
        "graded" if graded else item["kind"],
        tick="" if graded else reverse("tick-item", args=[item["id"]]),
        done=item["done"],
        time=item["due_time"] or "",
    )


def due_of_step(step: MilestoneRow, courses: Mapping[UUID, UUID]) -> Due:
    """The entry of a milestone. `courses` has the course of its item."""
    return Due(
        step["id"],
        step["title"],
        reverse("item", args=[step["item_id"]]),
        step["course_name"],
        courses.get(step["item_id"]),
        f"for {step['item_title']}",
        tick=reverse("tick-milestone", args=[step["id"]]),
        done=step["done"],
    )
