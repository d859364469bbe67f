"""The proposal of a text, compared with the version that the course has."""

import json
from collections.abc import Sequence
from datetime import date

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
