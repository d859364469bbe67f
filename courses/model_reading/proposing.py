"""The proposal of a text, by rules or by a model. Of a long text it is made in the child process."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from typing import IO, Any
from uuid import UUID

from courses.model_reading.answers import ModelAnswer
from courses.model_reading.checked import checked
from courses.syllabi.comparison import Stored
from courses.syllabi.proposal import Line, lines_of_items, propose
from courses.syllabi.reader import Syllabus


def question(
    text: str, before: str | None, stored: Sequence[Stored], model_answer: str, *, today: date, term: str | None
) -> bytes:
    """The arguments of `proposed` for the child: a line of JSON, then the text."""
    items = [[str(one.id), one.title, one.due_on and str(one.due_on), one.kind, one.due_time] for one in stored]
    asked = {"before": before, "stored": items, "model_answer": model_answer, "today": str(today), "term": term}
    return json.dumps(asked).encode() + b"\n" + text.encode()


def proposed(
    text: str, before: str | None, stored: Sequence[Stored], model_answer: str, *, today: date, term: str | None
) -> dict[str, Any]:
    """The proposal as a dictionary: by rules without the stored answer of a model.

    Args:
        before: the stored text of the course, whose unchanged lines are not proposed back.
    """
    syllabus = Syllabus.of(text, today=today, term=term)
    earlier = None if before is None else Syllabus.of(before, today=today, term=term)
    if model_answer:
        read = checked(propose(syllabus), syllabus, ModelAnswer.of_stored(model_answer), stored, earlier)
        return asdict(read) | {"reader": "model"}
    unchanged = frozenset[Line]() if earlier is None else lines_of_items(earlier)
    return asdict(propose(syllabus, stored, unchanged)) | {"reader": "rules"}


def read(file: IO[bytes], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `proposal` for a `question`, with dates and ids as text."""
    head, text = file.read().decode().split("\n", 1)
    asked = json.loads(head)
    asked["today"] = date.fromisoformat(asked["today"])
    asked["stored"] = [
        Stored(UUID(id_), title, None if due_on is None else date.fromisoformat(due_on), *more)
        for id_, title, due_on, *more in asked["stored"]
    ]
    yield {"proposal": json.loads(json.dumps(proposed(text, **asked), default=str))}
