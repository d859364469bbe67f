"""A sitting: the answers that a member gives on the study page from opening it to leaving it.

It is kept in the browser's session, under an id that the page's forms and addresses carry. So the page can say what was
done in it, and undo its answers and no others: not those of an app, of another tab or of another device.
"""

import re
from typing import Any, TypedDict, cast
from uuid import UUID

from django.http import HttpRequest
from django.utils.crypto import get_random_string

from vocab.models import Rating

_KEY = "sittings"
_ID = re.compile(r"[A-Za-z0-9]{10}", re.ASCII)

MOST = 5
"""Sittings of a session that are kept, the newest ones."""

MOST_UNDOABLE = 50
"""Answers of a sitting that can be undone, the newest ones."""


class Answer(TypedDict):
    """An answer.

    Attributes:
        review: the id of its line in the review log.
        shown: the moment at which its page was made, which tells it from other pages.
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
    """The sitting that a request belongs to; a new one if it names none.

    Attributes:
        counts: answers by rating.
    """

    def __init__(self, request: HttpRequest) -> None:
        asked = (request.POST if request.method == "POST" else request.GET).get("sitting", "")
        self._request = request
        self.id: str = asked if _ID.fullmatch(asked) else get_random_string(10)
        kept: _Kept | None = self._all().get(self.id)
        self.counts = dict(kept["counts"]) if kept else dict.fromkeys(Rating.values, 0)
        self._answers = list(kept["answers"]) if kept else []
        self._ended = list(kept["ended"]) if kept else []

    @property
    def done(self) -> int:
        """How many cards were answered."""
        return sum(self.counts.values())

    @property
    def last(self) -> Answer | None:
        """The newest answer that can be undone."""
        return self._answers[-1] if self._answers else None

    def was_sent(self, shown: int) -> bool:
        """Whether the page that was made at this moment was answered, also if that was undone since."""
        return shown in self._ended or any(answer["shown"] == shown for answer in self._answers)

    def add(self, review_id: UUID, card_id: UUID, rating: str, shown: int) -> None:
        """Add an answer."""
        self.counts[rating] += 1
        self._answers.append({"review": str(review_id), "card": str(card_id), "rating": rating, "shown": shown})
        self._store()

    def remove_last(self) -> None:
        """Remove the newest answer, which was undone."""
        answer = self._answers.pop()
        self.counts[answer["rating"]] -= 1
        self._ended.append(answer["shown"])
        self._store()

    def forget_last(self) -> None:
        """Let the newest answer count, but not be undone here: something that happened since stands in the way."""
        self._ended.append(self._answers.pop()["shown"])
        self._store()

    def _all(self) -> dict[str, _Kept]:
        return cast("dict[str, _Kept]", self._request.session.get(_KEY, {}))

    def _store(self) -> None:
        kept: dict[str, Any] = self._all()
        kept.pop(self.id, None)
        kept[self.id] = {
            "counts": self.counts,
            "answers": self._answers[-MOST_UNDOABLE:],
            "ended": self._ended[-MOST_UNDOABLE:],
        }
        self._request.session[_KEY] = dict([*kept.items()][-MOST:])
