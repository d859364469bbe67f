"""The answer of a model: parsed, cleaned, and bounded. Nothing is believed yet."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from courses.syllabi.proposal import MOST_CATEGORIES, MOST_ITEMS

KINDS: Final = ("exam", "quiz", "assignment", "lab", "paper", "project", "other")
"""The values of `ItemKind`, which the child process cannot import."""

MOST_TITLE: Final = 160
MOST_NAME: Final = 60
MOST_QUOTE: Final = 1_000
"""Maximum characters of a quote that are compared with the text."""

_FENCED: Final = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME: Final = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d", re.ASCII)


class NoAnswerError(Exception):
    """The content is not JSON, or has another shape."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """An item as the model read it.

    Attributes:
        title: 1 to 160 characters.
        kind: one of `KINDS`.
        due_on: its date, or None.
        due_time: `HH:MM`, or None.
        category: the name of its category, or None.
        quote: the line that it was read from; empty if the model gave none.
    """

    title: str
    kind: str
    due_on: date | None
    due_time: str | None
    category: str | None
    quote: str


@dataclass(frozen=True, slots=True)
class ReadCategory:
    """A category as the model read it.

    Attributes:
        name: 1 to 60 characters.
        weight: any finite number, in percent.
        drop_lowest: how many of the lowest scores are dropped.
        quote: the line that it was read from; empty if the model gave none.
    """

    name: str
    weight: float
    drop_lowest: int
    quote: str


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A parsed answer.

    Attributes:
        items: at most 300.
        categories: at most 50.
        malformed: the number of rows left out because of their type, a missing title, or a weight that is not a number.
        found: the numbers of items and categories before the rest was cut.
    """

    items: list[ReadItem]
    categories: list[ReadCategory]
    malformed: int
    found: tuple[int, int]

    @classmethod
    def of(cls, content: str) -> "ModelAnswer":
        """Parse the content of a message: JSON, perhaps in a code fence or after other words.

        Raises:
            NoAnswerError: it is not JSON, or has another shape.
        """
        for candidate in _candidates(content):
            try:
                found = json.loads(candidate)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and isinstance(found.get("items"), list):
                categories = found.get("grade_categories")
                if categories is None or isinstance(categories, list):
                    return _answer(found["items"], categories or [])
        raise NoAnswerError

    def stored(self) -> str:
        """The answer as JSON, with only what `ModelAnswer.of_stored` needs."""
        items = [[*_row(one)[:2], str(one.due_on or ""), *_row(one)[3:]] for one in self.items]
        return json.dumps([items, [_row(one) for one in self.categories], self.malformed, self.found])

    @classmethod
    def of_stored(cls, text: str) -> "ModelAnswer":
        """The answer from its stored JSON."""
        items, categories, malformed, found = json.loads(text)
        read = [ReadItem(title, kind, _date(day), *rest) for title, kind, day, *rest in items]
        return cls(read, [ReadCategory(*one) for one in categories], malformed, (found[0], found[1]))


def _row(one: ReadItem | ReadCategory) -> list[Any]:
    return [getattr(one, name) for name in one.__slots__]


def _candidates(content: str) -> Iterator[str]:
    content = content.rpartition("</think>")[2]  # models that reason may put their thoughts before the answer
    yield content
    if fenced := _FENCED.search(content):
        yield fenced[1]
    yield content[content.find("{") : content.rfind("}") + 1]


def _answer(items: list[Any], categories: list[Any]) -> ModelAnswer:
    read = [one for row in items if isinstance(row, dict) and (one := _item(row)) is not None]
    graded = [made for row in categories if isinstance(row, dict) and (made := _category(row)) is not None]
    malformed = len(items) - len(read) + len(categories) - len(graded)
    return ModelAnswer(read[:MOST_ITEMS], graded[:MOST_CATEGORIES], malformed, (len(read), len(graded)))


def _item(row: dict[str, Any]) -> ReadItem | None:
    title, kind, due_time = _line(row.get("title"))[:MOST_TITLE].strip(), row.get("kind"), _line(row.get("due_time"))
    if not title:
        return None
    due_on = _date(row.get("due_on"))
    return ReadItem(
        title,
        kind if isinstance(kind, str) and kind in KINDS else "other",
        due_on,
        due_time if due_on and _TIME.fullmatch(due_time) else None,
        _line(row.get("category"))[:MOST_NAME].strip() or None,
        _line(row.get("quote"))[:MOST_QUOTE],
    )


def _category(row: dict[str, Any]) -> ReadCategory | None:
    name, weight, dropped = _line(row.get("name"))[:MOST_NAME].strip(), row.get("weight"), row.get("drop_lowest")
    if not name or isinstance(weight, bool) or not isinstance(weight, int | float):
        return None
    try:
        number = float(weight)
    except OverflowError:
        return None
    if not math.isfinite(number):
        return None
    kept = dropped if isinstance(dropped, int) and not isinstance(dropped, bool) and 0 <= dropped <= 100 else 0
    return ReadCategory(name, round(number, 2), kept, _line(row.get("quote"))[:MOST_QUOTE])


def _line(value: Any) -> str:
    """A text in one line, without control characters and surrogates; empty for any other type."""
    if not isinstance(value, str):
        return ""
    return " ".join("".join(one for one in value if one.isprintable() or one.isspace()).split())


def _date(value: Any) -> date | None:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
