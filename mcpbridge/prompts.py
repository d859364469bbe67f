"""The prompts, and the names of courses and decks that complete their arguments. Every name has a unique label."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from django.conf import settings
from mcp.types import Icon, Prompt, PromptArgument

from mcpbridge import prompt_texts
from mcpbridge.prompt_texts import Text, one_line
from studyservice.database.statements import Row

MAX_NAME = 300
"""Maximum characters. No label is longer, so longer texts match none."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A course or a deck to choose.

    Attributes:
        label: its name on one line, with a distinguishing detail in parentheses if it is not unique.
        row: its record.
    """

    label: str
    row: Row


def choices(rows: Sequence[Row], details: Sequence[str]) -> list[Choice]:
    """Return `rows` with labels that are unique, ignoring case.

    A unique name is its label. Otherwise the label adds, in parentheses, the first of the fields `details` that no
    other row of that name shares, or a number.
    """
    named = Counter(_folded(_text(row, "name")) for row in rows)
    detailed = Counter(
        (_folded(_text(row, "name")), detail, _folded(_text(row, detail))) for row in rows for detail in details
    )
    taken: set[str] = set()
    found = []
    for row in rows:
        label = next(label for label in _labels(row, details, named, detailed) if _folded(label) not in taken)
        taken.add(_folded(label))
        found.append(Choice(label, row))
    return found


def _labels(
    row: Row, details: Sequence[str], named: Counter[str], detailed: Counter[tuple[str, str, str]]
) -> Iterator[str]:
    name = one_line(_text(row, "name"))
    folded = _folded(name)
    if named[folded] == 1:
        yield name
    for detail in details:
        value = one_line(_text(row, detail))
        if value and detailed[folded, detail, _folded(value)] == 1:
            yield f"{name} ({value})"
    for number in count(1):
        yield f"{name} ({number})"


def matching(offered: Sequence[Choice], value: str) -> list[Choice]:
    """Return the row with the label `value`, or else all rows of that name, ignoring case."""
    if len(value) > MAX_NAME:
        return []
    folded = _folded(value)
    labelled = [choice for choice in offered if _folded(choice.label) == folded]
    return labelled or [choice for choice in offered if _folded(_text(choice.row, "name")) == folded]


def completing(offered: Sequence[Choice], part: str) -> list[str]:
    """Return the labels that contain `part`, ignoring case. Those that begin with it come first."""
    if len(part) > MAX_NAME:
        return []
    folded = _folded(part)
    labels = [choice.label for choice in offered if folded in _folded(choice.label)]
    return sorted(labels, key=lambda label: not _folded(label).startswith(folded))


def _text(row: Row, field: str) -> str:
    """Return a text field of a record; empty if it is null."""
    return str(row[field] or "")


def _folded(text: str) -> str:
    """Normalize case, width, white space and accents, for comparison."""
    return one_line(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))


@dataclass(frozen=True, slots=True)
class NamedKind:
    """The kind of object that an argument names.

    Attributes:
        noun: the word for it.
        tool: lists all of them.
        details: fields that distinguish objects of the same name, in order of preference.
        course: the field with the id of the course.
    """

    noun: str
    tool: str
    details: tuple[str, ...]
    course: str


COURSE = NamedKind("course", "list_courses", ("code", "term"), "id")
DECK = NamedKind("deck", "list_vocab_decks", ("course_name",), "course_id")


@dataclass(frozen=True, slots=True)
class AssistantPrompt:
    """A prompt with one argument, whose values are names.

    Attributes:
        definition: for `prompts/list`.
        argument: the one in the definition.
        names: the kind of its values.
        text: writes the prompt.
    """

    definition: Prompt
    argument: PromptArgument
    names: NamedKind
    text: Text


def icon(name: str) -> Icon:
    """Return `name`.svg from the service's static files, which is sharp at any size."""
    source = f"{settings.BASE_URL}{settings.STATIC_URL}studyservice/{name}.svg"
    return Icon(src=source, mime_type="image/svg+xml", sizes=["any"])


def _prompt(
    name: str, title: str, description: str, *, argument: PromptArgument, names: NamedKind, text: Text
) -> AssistantPrompt:
    definition = Prompt(
        name=name, title=title, description=description, arguments=[argument], icons=[icon(f"prompts/{name}")]
    )
    return AssistantPrompt(definition, argument, names, text)


def _course(description: str, *, required: bool = False) -> PromptArgument:
    return PromptArgument(name=COURSE.noun, title="Course", description=description, required=required)


_ALL = (
    _prompt(
        "enter_syllabus",
        "Enter a syllabus",
        "Reads a syllabus that you paste or attach, and proposes the course, its dates and its grading.",
        argument=_course("The course's name, if it is there already."),
        names=COURSE,
        text=prompt_texts.enter_syllabus,
    ),
    _prompt(
        "plan_week",
        "Plan my week",
        "Proposes what to study on which day, from what is due and from your study plans.",
        argument=_course("The name of the one course to plan for; all without it."),
        names=COURSE,
        text=prompt_texts.plan_week,
    ),
    _prompt(
        "quiz_me",
        "Quiz me",
        "Asks the due cards of a flashcard deck, ten at a time, and records how well you knew them.",
        argument=PromptArgument(name=DECK.noun, title="Deck", description="The deck's name.", required=True),
        names=DECK,
        text=prompt_texts.quiz_me,
    ),
    _prompt(
        "exam_check",
        "Check my exam readiness",
        "Looks at plan, grades, flashcards and practice of a course before its next exam.",
        argument=_course("The course's name.", required=True),
        names=COURSE,
        text=prompt_texts.exam_check,
    ),
)

PROMPTS: Mapping[str, AssistantPrompt] = {prompt.definition.name: prompt for prompt in _ALL}
"""Every prompt by name."""
