"""The course of each label of a calendar: the member's choice, else the one whose name or code matches."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypedDict
from uuid import UUID

from planning.calendar.comparison import FileEvent

IGNORED = "ignore"
"""The choice for a label that is not imported."""

SHORTEST_CODE = 4
"""Minimum length of a code to be searched within a label."""


class Named(NamedTuple):
    """A course with the names that labels use for it."""

    id: UUID
    name: str
    code: str | None


class LabelSummary(TypedDict):
    """A label of a reading, as stored."""

    label: str
    events: int
    example: str


class LabelRow(LabelSummary):
    """A `LabelRecord`."""

    course_id: UUID | None
    ignored: bool


def folded(text: str) -> str:
    """Only letters and digits, without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in decomposed if character.isalnum())


def course_of(label: str, courses: Sequence[Named]) -> UUID | None:
    """The course whose code or name equals the label, or whose code is part of it; None if none or several match.

    A code within a label must have at least `SHORTEST_CODE` characters.
    """
    said = folded(label)
    if not said:
        return None
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
    """The course whose name is part of the label; None if none is, or several are."""
    said = folded(label)
    fitting = [one.id for one in courses if len(name := folded(one.name)) >= SHORTEST_CODE and name in said]
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
