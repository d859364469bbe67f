"""A sitting: the answers of a member on the study page from opening to leaving it.

It is stored in the browser's session under an id, which is part of the page's forms and URLs. So the page can summarize
its answers, and can undo only these: not those of an app, another tab or another device.
"""

import re
from typing import TypedDict, cast
from uuid import UUID

from django.http import HttpRequest
from django.utils.crypto import get_random_string

from vocab.models import Rating

_KEY = "sittings"
_ID = re.compile(r"[A-Za-z0-9]{10}", re.ASCII)

MOST = 5
"""Maximum number of sittings stored in a session."""

MOST_UNDOABLE = 50
"""Maximum number of undoable answers per sitting."""


class Answer(TypedDict):
    """An answer.

    Attributes:
        review: the id of its row in the review log.
        shown: the time when its page was rendered, which identifies the page.
    """

    review: str
    card: str
    rating: str
    shown: int


class _Kept(TypedDict):
    counts: dict[str, int]
    answers: list[Answer]
    ended: list[int]


class Sitting:
    """The sitting named in a request, or a new one."""

    def __init__(self, request: HttpRequest) -> None:
        asked = (request.POST if request.method == "POST" else request.GET).get("sitting", "")
        self._request = request
        self.id: str = asked if _ID.fullmatch(asked) else get_random_string(10)
        new: _Kept = {"counts": dict.fromkeys(Rating.values, 0), "answers": [], "ended": []}
        self._kept = self._all().get(self.id, new)

    @property
    def counts(self) -> dict[str, int]:
        """The number of answers by rating."""
        return self._kept["counts"]

    @property
    def done(self) -> int:
        """The number of answered cards."""
        return sum(self.counts.values())

    @property
    def last(self) -> Answer | None:
        """The newest answer that can be undone."""
        return self._kept["answers"][-1] if self._kept["answers"] else None

    def was_sent(self, shown: int) -> bool:
        """Return whether the page rendered at this time was answered, even if the answer was undone since."""
        return shown in self._kept["ended"] or any(answer["shown"] == shown for answer in self._kept["answers"])

    def add(self, review_id: UUID, card_id: UUID, rating: str, shown: int) -> None:
        """Add an answer."""
        self.counts[rating] += 1
        answer: Answer = {"review": str(review_id), "card": str(card_id), "rating": rating, "shown": shown}
        self._kept["answers"].append(answer)
        self._store()

    def remove_last(self) -> None:
        """Remove the newest answer after it was undone."""
        self.counts[self._kept["answers"][-1]["rating"]] -= 1
        self.forget_last()

    def forget_last(self) -> None:
        """Keep counting the newest answer, but stop offering its undo, because a later change prevents it."""
        self._kept["ended"].append(self._kept["answers"].pop()["shown"])
        self._store()

    def _all(self) -> dict[str, _Kept]:
        return cast("dict[str, _Kept]", self._request.session.get(_KEY, {}))

    def _store(self) -> None:
        others = self._all()
        others.pop(self.id, None)
        kept: _Kept = {
            "counts": self.counts,
            "answers": self._kept["answers"][-MOST_UNDOABLE:],
            "ended": self._kept["ended"][-MOST_UNDOABLE:],
        }
        self._request.session[_KEY] = dict([*others.items(), (self.id, kept)][-MOST:])
