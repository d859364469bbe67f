"""The operators' front page: a few questions, each answered by one app in one or two queries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest

from studyservice.hooks import HookList, HookTable

MOST_ROWS = 5


@dataclass(frozen=True, slots=True)
class Row:
    """A line of an answer.

    Attributes:
        url: page with details; empty if there is none.
        at: when it happened.
        bad: whether an operator must act.
    """

    text: str
    url: str = ""
    at: datetime | None = None
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question.

    Attributes:
        permission: required to see it; empty for every operator.
        rows: reads them.
        otherwise: the text if there are no rows.
        url: the list with all of them.
    """

    question: str
    rows: Callable[[], Sequence[Row]]
    otherwise: str = ""
    permission: str = ""
    url: Callable[[], str] = str


ANSWERS = HookTable[Answer]("ANSWERS")

ALSO_WAITING = HookList[Callable[[], Sequence[Row]]]("ALSO_WAITING")
"""More rows of what waits, each in one query."""

_ORDER = ("health", "joined", "refused", "schedules", "waiting")


def answers(request: HttpRequest) -> list[dict[str, object]]:
    """Return the answers that the operator may see, in order, for the template."""
    found = [answer for answer in map(ANSWERS.get, _ORDER) if answer is not None]
    return [
        {
            "question": answer.question,
            "rows": answer.rows(),
            "otherwise": answer.otherwise,
            "url": answer.url(),
        }
        for answer in found
        if not answer.permission or request.user.has_perm(answer.permission)
    ]
