"""The proposal of a text, by rules or by a model. Of a long text it is made in the child process."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from typing import IO, Any
from uuid import UUID

from courses.model_reading.answers import Answer
from courses.model_reading.checked import checked
from courses.syllabi.comparison import Stored
from courses.syllabi.proposal import Line, Proposal, lines_of_items, propose
from courses.syllabi.reader import Syllabus


def question(text: str, stored: Sequence[Stored], *, before: str | None, today: date, term: str | None) -> bytes:
    """The child's input: a line of JSON, then the text."""
    items = [(str(one.id), one.title, None if one.due_on is None else str(one.due_on), one.kind) for one in stored]
    asked = {"today": str(today), "term": term, "stored": items, "before": before}
    return json.dumps(asked).encode() + b"\n" + text.encode()


def propose_version(
    text: str, before: str | None, stored: Sequence[Stored], *, today: date, term: str | None
) -> Proposal:
    """The proposal of a text, compared with a course whose stored text is `before`."""
    unchanged = frozenset[Line]()
    if before is not None:
        unchanged = lines_of_items(Syllabus.of(before, today=today, term=term))
    return propose(Syllabus.of(text, today=today, term=term), stored, unchanged)


def proposed(
    text: str, before: str | None, stored: Sequence[Stored], model_answer: str, *, today: date, term: str | None
) -> dict[str, Any]:
    """The proposal as a dictionary: by rules without the stored answer of a model.

    Args:
        before: the stored text of the course, whose unchanged lines are not proposed back.
    """
    if not model_answer:
        return asdict(propose_version(text, before, stored, today=today, term=term)) | {"reader": "rules"}
    syllabus = Syllabus.of(text, today=today, term=term)
    rules = asdict(propose(syllabus))
    return checked(rules, syllabus, Answer.of_stored(model_answer), stored) | {"reader": "model"}


def read(file: IO[bytes], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `proposal`, with dates and ids as text.

    The file has the stored answer of a model in its first line, if any, then a question
    (`courses.model_reading.proposing.question`).
    """
    model_answer, head, text = file.read().decode().split("\n", 2)
    asked = json.loads(head)
    stored = [
        Stored(UUID(id_), title, None if due_on is None else date.fromisoformat(due_on), kind)
        for id_, title, due_on, kind in asked["stored"]
    ]
    today = date.fromisoformat(asked["today"])
    found = proposed(text, asked["before"], stored, model_answer, today=today, term=asked["term"])
    yield {"proposal": json.loads(json.dumps(found, default=str))}
