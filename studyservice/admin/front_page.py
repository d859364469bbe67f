"""The operators' front page: a few questions, each answered by the app that knows, in one or two statements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest

from studyservice.hooks import HookTable

MOST_ROWS = 5


@dataclass(frozen=True, slots=True)
class Row:
    """A line of an answer.

    Attributes:
        url: where to look; empty if there is nothing more to see.
        at: when it happened.
        bad: whether an operator has to do something.
    """

    text: str
    url: str = ""
    at: datetime | None = None
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question.

    Attributes:
        permission: needed to see it; empty for every operator.
        rows: reads them.
        otherwise: the text where there is no row.
        url: the list with all of them.
    """

    question: str
    rows: Callable[[], Sequence[Row]]
    otherwise: str = ""
    permission: str = ""
    url: Callable[[], str] = str


ANSWERS = HookTable[Answer]("ANSWERS")

_ORDER = ("health", "joined", "refused", "schedules", "waiting")


def answers(request: HttpRequest) -> list[dict[str, object]]:
    """Return what the operator may see, in order, for the template."""
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
