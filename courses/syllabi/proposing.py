"""The proposal of a long text, made in the child process, because it may take seconds of CPU."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from typing import IO, Any
from uuid import UUID

from courses.syllabi.comparison import Stored
from courses.syllabi.proposal import Line, Proposal, lines_of_items, propose
from courses.syllabi.reader import Syllabus


def question(text: str, stored: Sequence[Stored], *, before: str | None, today: date, term: str | None) -> bytes:
    """The child's input: a line of JSON, then the text."""
    items = [(str(one.id), one.title, None if one.due_on is None else str(one.due_on), one.kind) for one in stored]
    return (
        json.dumps({"today": str(today), "term": term, "stored": items, "before": before}).encode()
        + b"\n"
        + text.encode()
    )


def read(file: IO[bytes], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `proposal`: a `Proposal` as a dictionary, with dates and ids as text."""
    head, _, text = file.read().decode().partition("\n")
    asked = json.loads(head)
    stored = [
        Stored(UUID(id_), title, None if due_on is None else date.fromisoformat(due_on), kind)
        for id_, title, due_on, kind in asked["stored"]
    ]
    today = date.fromisoformat(asked["today"])
    proposal = propose_version(text, asked["before"], stored, today=today, term=asked["term"])
    yield {"proposal": json.loads(json.dumps(asdict(proposal), default=str))}


def propose_version(
    text: str, before: str | None, stored: Sequence[Stored], *, today: date, term: str | None
) -> Proposal:
    """The proposal of a text, compared with a course whose stored text is `before`."""
    unchanged = frozenset[Line]()
    if before is not None:
        unchanged = lines_of_items(Syllabus.of(before, today=today, term=term))
    return propose(Syllabus.of(text, today=today, term=term), stored, unchanged)
