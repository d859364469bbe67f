"""The member's courses, and the one of each label of a calendar: as chosen, else as its name or code says."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, NamedTuple, TypedDict
from uuid import UUID

from django.db.models import Exists, FilteredRelation, OuterRef, Q

from courses.models import Course
from courses.serializers import ItemBody
from planning.calendar.comparison import FileEvent, Version
from planning.models import Milestone
from studyservice.database.statements import Param
from studyservice.operations.answers import answer
from studyservice.rows.access import Access, MemberSelect
from studyservice.rows.rows import Row

IGNORED = "ignore"
"""The choice for a label that is not imported."""

SHORTEST_CODE = 4
"""Minimum length of a code to be searched within a label."""


class Named(NamedTuple):
    """A course with the names that labels use for it. Labels do not match one that has ended (`archived`)."""

    id: UUID
    name: str
    code: str | None
    archived: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Courses:
    """The courses of a member.

    Attributes:
        named: their names for matching labels, oldest first.
        item_counts: by course.
        items: items of all courses by id; empty if not requested.
    """

    named: list[Named]
    item_counts: Mapping[UUID, int] = field(default_factory=dict)
    items: Mapping[UUID, Row] = field(default_factory=dict)

    @property
    def ended(self) -> frozenset[UUID]:
        """The courses that have ended."""
        return frozenset(one.id for one in self.named if one.archived)

    def name_of(self, course_id: UUID) -> str:
        """The name of a course; empty if it was deleted."""
        return next((one.name for one in self.named if one.id == course_id), "")


_COURSES = Course.rows.declared.order_by("created_at", "id")
_OF_COURSE = {"course_id": "id", **{name: name for name in ("name", "code", "archived", "created_at")}}
FILLED_IN = tuple(name for name in ItemBody.Meta.fields if name not in {"kind", *Version._fields})
"""What a calendar does not set: the member filled it in."""

_OF_ITEM = ("id", "kind", *Version._fields, *FILLED_IN, "graded")
_NAMED = MemberSelect[Row](_COURSES, _OF_COURSE)
_WITH_ITEMS = MemberSelect[Row](
    _COURSES.annotate(
        mine=FilteredRelation("items", condition=Q(items__member_id=Param("member_id"))),
        has_milestones=Exists(Milestone.rows.declared.filter(item_id=OuterRef("mine__id"))),
    ),
    {**_OF_COURSE, **{name: f"mine__{name}" for name in _OF_ITEM}, "has_milestones": "has_milestones"},
)
"""A row for each item, and for each course without any, with null in the columns of the item."""


def load_courses(access: Access, *, with_items: bool = False) -> Courses:
    """The member's courses. One query."""
    return ask_for_courses(access, with_items=with_items)()


def ask_for_courses(access: Access, *, with_items: bool = False) -> Callable[[], Courses]:
    """Queue the query, and return a function that returns the courses (`MemberSelect.ahead`)."""
    if with_items:
        asked = _WITH_ITEMS.ahead(access)
        return lambda: _with_items(asked())
    named = _NAMED.ahead(access)
    return lambda: Courses([Named(*row.values()) for row in named()])


def _with_items(rows: Sequence[Row]) -> Courses:
    named: dict[UUID, Named] = {}
    counts: Counter[UUID] = Counter()
    items: dict[UUID, Row] = {}
    for row in rows:
        course_id = row["course_id"]
        named[course_id] = Named(*[row[name] for name in _OF_COURSE])
        if row["id"] is not None:
            counts[course_id] += 1
            items[row["id"]] = row
    return Courses([*named.values()], counts, items)


class LabelSummary(TypedDict):
    """A label of a reading, as stored."""

    label: Annotated[str, "The label; empty of events that have none."]
    events: Annotated[int, "How many events have it."]
    example: Annotated[str, "The title of one."]


@answer(
    label="BIO 210 Cell Biology",
    events=12,
    example="Essay 1",
    course_id="5f0d8c3e-1b7a-4e0e-9a66-2f6f0a5f3d21",
    ignored=False,
)
class LabelRow(LabelSummary):
    """What tells events of one course from those of others in a calendar: brackets at the end of titles, a category,
    or a place.
    """

    course_id: Annotated[UUID | None, "The course whose name or code it tells, or that was chosen; null if none fits."]
    ignored: Annotated[bool, "Whether the member takes nothing of it."]


def folded(text: str) -> str:
    """Only letters and digits, without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in decomposed if character.isalnum())


def course_of(label: str, courses: Sequence[Named]) -> UUID | None:
    """The open course whose code or name equals the label, or whose code is part of it; None if none or several match.

    A code within a label must have at least `SHORTEST_CODE` characters.
    """
    said = folded(label)
    if not said:
        return None
    courses = [one for one in courses if not one.archived]
    same = {one.id for one in courses if said in {folded(one.name), folded(one.code or "")}}
    fitting = same or {
        one.id for one in courses if len(code := folded(one.code or "")) >= SHORTEST_CODE and code in said
    }
    return fitting.pop() if len(fitting) == 1 else None


def proposals(labels: Iterable[str], courses: Sequence[Named]) -> dict[str, UUID]:
    """The courses to propose for the labels of a file, each course once.

    First those of `course_of`, then courses whose name, of at least `SHORTEST_CODE` characters, is part of the label.
    """
    labels = [label for label in labels if label]
    found: dict[str, UUID] = {}
    for rule in (course_of, _named_within):
        for label in labels:
            course_id = rule(label, courses)
            if course_id is not None and label not in found and course_id not in found.values():
                found[label] = course_id
    return found


def _named_within(label: str, courses: Sequence[Named]) -> UUID | None:
    """The open course whose name is part of the label; None if none is, or several are."""
    said, open_courses = folded(label), [one for one in courses if not one.archived]
    fitting = [one.id for one in open_courses if len(name := folded(one.name)) >= SHORTEST_CODE and name in said]
    return fitting[0] if len(fitting) == 1 else None


def assigned(
    labels: Iterable[str], courses: Sequence[Named], choices: Mapping[str, str], default: UUID | None
) -> dict[str, UUID | None]:
    """The course of each label that is not ignored; None for unassigned labels.

    Args:
        choices: a course id or `IGNORED` for each label; deleted courses count as no choice.
        default: the course of events without a label.
    """
    there = {str(one.id): one.id for one in courses}
    found: dict[str, UUID | None] = {}
    for label in labels:
        chosen = choices.get(label)
        if chosen == IGNORED:
            continue
        by_rule = course_of(label, courses) if label else there.get(str(default))
        found[label] = there.get(chosen or "") if chosen in there else None if chosen else by_rule
    return found


def summaries(events: Iterable[FileEvent]) -> list[LabelSummary]:
    """The labels of the events in order, with their number of events and one title."""
    events = list(events)
    examples = {event.label: event.title for event in reversed(events)}
    counted = Counter(event.label for event in events)
    return [{"label": label, "events": number, "example": examples[label]} for label, number in counted.items()]


def label_rows(
    kept: Iterable[LabelSummary], courses: Sequence[Named], choices: Mapping[str, str], default: UUID | None
) -> list[LabelRow]:
    """Each label with the course in effect."""
    kept = list(kept)
    found = assigned([one["label"] for one in kept], courses, choices, default)
    return [{**one, "course_id": found.get(one["label"]), "ignored": one["label"] not in found} for one in kept]
