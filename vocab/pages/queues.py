"""The cards that a study page asks: of all decks, of one deck, or of today in the plan for an exam."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from accounts.rows.access import Access
from courses.items import get_item
from studyservice.operations.fields import parse_uuid
from vocab.exam_records import LEAST_MINUTES, MOST_MINUTES, USUAL_MINUTES
from vocab.studying import Coming, Turn, coming, exam_turn, next_turn

_MOST_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Queue:
    """A choice of cards.

    Attributes:
        deck_id: the deck, or None for all decks.
        item_id: the exam or quiz; then `deck_id` is None.
        minutes: minutes a day of its plan.
    """

    deck_id: UUID | None = None
    item_id: UUID | None = None
    minutes: int = USUAL_MINUTES

    @classmethod
    def of(cls, request: HttpRequest, deck_id: UUID | None, item_id: UUID | None) -> Self:
        """The queue of a study page."""
        return cls(deck_id, item_id, _minutes(request))

    @classmethod
    def named(cls, request: HttpRequest, deck_id: UUID) -> Self | None:
        """The queue that the query of another page names (`query`), for a card of this deck; None without one."""
        kind, item_id = request.GET.get("study"), parse_uuid(request.GET.get("item"))
        if kind == "item" and item_id is not None:
            return cls(item_id=item_id, minutes=_minutes(request))
        return cls(deck_id if kind == "deck" else None) if kind in {"all", "deck"} else None

    def query(self) -> dict[str, str]:
        """The parameters that name the queue on other pages."""
        if self.item_id is not None:
            return {"study": "item", "item": str(self.item_id), "minutes": str(self.minutes)}
        return {"study": "all" if self.deck_id is None else "deck"}

    def address(self, sitting: str = "", *, undo: bool = False, **query: str) -> str:
        """The URL of its study page, or of the form that undoes an answer."""
        given = {} if self.item_id is None else {"minutes": str(self.minutes)}
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
            return exam_turn(access, self.item_id, self.minutes, first)
        return next_turn(access, now, self.deck_id, first)

    def coming(self, access: Access, now: datetime) -> Coming:
        """Its reviews after `now`.

        Raises:
            NotFound: the member has no such item.
        """
        course_id = None if self.item_id is None else get_item(access, self.item_id)["course_id"]
        return coming(access, now, self.deck_id, course_id)


def _minutes(request: HttpRequest) -> int:
    text = request.GET.get("minutes", "")
    minutes = int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else 0
    return minutes if LEAST_MINUTES <= minutes <= MOST_MINUTES else USUAL_MINUTES
