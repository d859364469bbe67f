"""A sitting: the answers of a member on the study page from opening to leaving it, and the queue of cards it asks.

Its answers are stored in the browser's session under an id, which is part of the page's forms and URLs. So the page can
summarize them, and can undo only these: not those of an app, another tab or another device.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Self, TypedDict, cast
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.http import urlencode

from courses.items import get_item
from studyservice.operations.fields import parse_uuid
from studyservice.rows.access import Access
from vocab.exam_records import LEAST_MINUTES, MOST_MINUTES, USUAL_MINUTES
from vocab.models import Rating
from vocab.studying import NO_EXTRA, Coming, Extra, Turn, coming, exam_turn, next_turn

_KEY = "sittings"
_ID = re.compile(r"[A-Za-z0-9]{10}", re.ASCII)

MOST = 5
"""Maximum number of sittings stored in a session."""

MOST_UNDOABLE = 50
"""Maximum number of undoable answers per sitting."""

_MINUTES_DIGITS, _NEW_DIGITS, _TIME_DIGITS = 3, 6, 13

EXTRA = ("new", "on", "ahead")
"""The parameters of `Queue.extra`: the number and its day, and the time in milliseconds since 1970."""

MORE_NEW = 10
"""Number of new cards that a button adds to a sitting."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Queue:
    """A choice of cards.

    Attributes:
        deck_id: the deck, or None for all decks.
        item_id: the exam or quiz; then `deck_id` is None.
        minutes: minutes a day of its plan.
        extra: further cards of this sitting. Only URLs have it, with the day of its new cards.
        today: the member's date.
    """

    today: date
    deck_id: UUID | None = None
    item_id: UUID | None = None
    minutes: int = USUAL_MINUTES
    extra: Extra = NO_EXTRA

    @classmethod
    def of(cls, request: HttpRequest, today: date, deck_id: UUID | None, item_id: UUID | None) -> Self:
        """The queue of a study page."""
        if item_id is not None:
            return cls(today, item_id=item_id, minutes=_minutes(request))
        return cls(today, deck_id, extra=_extra(request, today))

    @classmethod
    def named(cls, request: HttpRequest, today: date, deck_id: UUID) -> Self | None:
        """The queue that the query of another page names (`query`), for a card of this deck; None without one."""
        kind, item_id = request.GET.get("study"), parse_uuid(request.GET.get("item"))
        if kind == "item" and item_id is not None:
            return cls.of(request, today, None, item_id)
        return cls.of(request, today, deck_id if kind == "deck" else None, None) if kind in {"all", "deck"} else None

    def query(self) -> dict[str, str]:
        """The parameters that name the queue on other pages."""
        if self.item_id is not None:
            return {"study": "item", "item": str(self.item_id), "minutes": str(self.minutes)}
        return {"study": "all" if self.deck_id is None else "deck", **self._extra_query()}

    def with_new(self, begun_today: int, number: int) -> Self:
        """This queue with a number of further new cards."""
        return replace(self, extra=self.extra._replace(new_until=begun_today + number))

    def with_ahead(self, now: datetime) -> Self:
        """This queue with the cards of the next days."""
        return replace(self, extra=self.extra._replace(ahead_since=now))

    def _extra_query(self) -> dict[str, str]:
        new_until, since = self.extra
        new = {"new": str(new_until), "on": str(self.today)} if new_until else {}
        return new if since is None else new | {"ahead": str((since - _EPOCH) // _MILLISECOND)}

    def address(self, sitting: str = "", *, undo: bool = False, **query: str) -> str:
        """The URL of its study page, or of the form that undoes an answer."""
        given = self._extra_query() if self.item_id is None else {"minutes": str(self.minutes)}
        given |= {"sitting": sitting, **query} if sitting else query
        name = "undo-answer" if undo else "study"
        if self.item_id is not None:
            path = reverse(f"{name}-item", args=[self.item_id])
        else:
            path = reverse(name) if self.deck_id is None else reverse(f"{name}-deck", args=[self.deck_id])
        return f"{path}?{urlencode(given)}" if given else path

    def turn(self, access: Access, now: datetime, first: UUID | None) -> Turn:
        """The cards to study now. `first` is a card to prefer.

        Raises:
            NotFound: the member has no such deck.
            ValidationFailed: the item has no plan.
        """
        if self.item_id is not None:
            return exam_turn(access, now, self.item_id, self.minutes, first)
        return next_turn(access, now, self.deck_id, first, self.extra)

    def coming(self, access: Access, now: datetime, turn: Turn) -> Coming:
        """Its reviews after `now`, when no card of `turn` is left.

        Raises:
            NotFound: the member has no such item.
        """
        course_id = None if self.item_id is None else get_item(access, self.item_id)["course_id"]
        return coming(access, now, turn.asked, course_id=course_id, ahead_since=self.extra.ahead_since)


def _minutes(request: HttpRequest) -> int:
    minutes = _number(request, "minutes", _MINUTES_DIGITS)
    return minutes if LEAST_MINUTES <= minutes <= MOST_MINUTES else USUAL_MINUTES


def _extra(request: HttpRequest, today: date) -> Extra:
    """The further cards that the query names: new ones of today, and those of the next days."""
    new_until = _number(request, "new", _NEW_DIGITS) if request.GET.get("on") == str(today) else 0
    since = _number(request, "ahead", _TIME_DIGITS)
    return Extra(new_until, _EPOCH + since * _MILLISECOND if since else None)


def _number(request: HttpRequest, name: str, most_digits: int) -> int:
    """The number in the query; 0 if it is missing or invalid."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= most_digits else 0


class SittingAnswer(TypedDict):
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
    answers: list[SittingAnswer]
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
    def last(self) -> SittingAnswer | None:
        """The newest answer that can be undone."""
        return self._kept["answers"][-1] if self._kept["answers"] else None

    def was_sent(self, shown: int) -> bool:
        """Return whether the page rendered at this time was answered, even if the answer was undone since."""
        return shown in self._kept["ended"] or any(answer["shown"] == shown for answer in self._kept["answers"])

    def add(self, review_id: UUID, card_id: UUID, rating: str, shown: int) -> None:
        """Add an answer."""
        self.counts[rating] += 1
        answer: SittingAnswer = {"review": str(review_id), "card": str(card_id), "rating": rating, "shown": shown}
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
