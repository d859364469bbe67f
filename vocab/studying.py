"""The next card on the study pages, the number of cards left, and upcoming reviews."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple, TypedDict
from uuid import UUID

from django.db.models import Count, Min, Q

from courses.item_rows import EXAMINED, OF_STATUS
from courses.models import Item, ItemStatus
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect, as_array
from studyservice.rows.rows import OneOf
from vocab.card_changes import ONE_CARD, StoredCard
from vocab.decks import NoSuchDeck
from vocab.models import Card, CardState, Rating
from vocab.plans import cards_for
from vocab.scheduling import DUE_NOW, local_time, memory_of, next_state
from vocab.serializers import CardRow
from vocab.studied import StudiedDeck, studied

_TOMORROW_ENDS = 2
"""Days from the start of today to the end of tomorrow."""


class StudyCard(CardRow):
    """A card with the columns that determine its next state."""

    step: int | None


class Turn(NamedTuple):
    """The cards to study now.

    Attributes:
        card: the next one; None if there is none.
        deck_name: of the deck of the card.
        left: number of cards left for today, including this one.
        elsewhere: number of cards left in all decks together.
        new_waiting: number of new cards over today's limit.
        decks: the member's number of decks.
        asked: the decks whose cards are studied, unless it is the plan for an exam.
    """

    card: StudyCard | None
    deck_name: str
    left: int
    elsewhere: int = 0
    new_waiting: int = 0
    decks: int = 1
    asked: Sequence[UUID] = ()


class Coming(TypedDict):
    """Upcoming reviews once no card is left.

    Attributes:
        next_at: the next due time of a begun card; None without one.
        later_today: number of cards due later today.
        tomorrow: number of cards due tomorrow, without new ones.
    """

    next_at: datetime | None
    later_today: int
    tomorrow: int


class _NextExam(TypedDict):
    course_id: UUID
    on: date


_DUE = Card.rows.declared.filter(DUE_NOW)
_STEPS = _DUE.filter(state__in=[CardState.LEARNING, CardState.RELEARNING]).order_by("due_at", "position", "id")
_REVIEWS = _DUE.filter(state=CardState.REVIEW).order_by("due_at", "position", "id")
_NEW = _DUE.filter(state=CardState.NEW).order_by("position", "id")
_OF_DECKS = Q(OneOf("deck_id", "decks"))
_NEXT_STEP = MemberSelect(_STEPS.filter(_OF_DECKS)[:1], StudyCard)
_NEXT_REVIEW = MemberSelect(_REVIEWS.filter(_OF_DECKS)[:1], StudyCard)
_NEXT_NEW = MemberSelect(_NEW.filter(_OF_DECKS)[:1], StudyCard)
_THIS = MemberSelect(_DUE.filter(id=Param("card_id")), StudyCard)
_ONE = MemberSelect(ONE_CARD.filter(suspended=False), StoredCard)
_NEXT_EXAMS = MemberSelect(
    Item.rows.declared.filter(OF_STATUS[ItemStatus.OPEN], kind__in=sorted(EXAMINED), due_on__gte=Param("today"))
    .order_by()
    .values("course_id")
    .annotate(on=Min("due_on")),
    _NextExam,
)


def _coming(*which: Q) -> MemberSelect[Coming]:
    begun = Card.rows.declared.filter(*which, suspended=False, due_at__gt=Param("now"))
    found = begun.exclude(state=CardState.NEW).order_by().values("member_id")
    tomorrow = Q(due_at__gte=Param("midnight"), due_at__lt=Param("end"))
    counted = found.annotate(
        next_at=Min("due_at"),
        later_today=Count("id", filter=Q(due_at__lt=Param("midnight"))),
        tomorrow=Count("id", filter=tomorrow),
    )
    return MemberSelect(counted, Coming)


_COMING = _coming(_OF_DECKS)
_COMING_OF_COURSE = _coming(Q(deck__member_id=Param("member_id"), deck__course_id=Param("course_id")))


def next_turn(access: Access, now: datetime, deck_id: UUID | None = None, first: UUID | None = None) -> Turn:
    """The next card of one deck, or of all but those of ended courses. At most four queries.

    First come learning and relearning cards, then reviews, each by `due_at`. New cards within today's limit follow,
    deck by deck, starting with the one with the next exam, then the oldest.

    Args:
        first: a card to prefer if it is due, because its answer was just undone.

    Raises:
        NotFound: the member has no such deck.
    """
    found = studied(access, now, {}, {})
    ahead = found.open_decks
    decks = ahead if deck_id is None else [deck for deck in found.decks if deck.id == deck_id]
    if deck_id is not None and not decks:
        raise NoSuchDeck
    new = sum(deck.new for deck in decks)
    allowed = min(new, found.new_cards)
    left = sum(deck.repeat + deck.due for deck in decks) + allowed
    elsewhere = sum(deck.repeat + deck.due for deck in ahead)
    elsewhere += min(sum(deck.new for deck in ahead), found.new_cards)
    card = None
    if first is not None:
        card = _THIS.first(access, now=now, card_id=first)
    if card is None or card["deck_id"] not in {deck.id for deck in decks}:
        card = _next(access, now, decks, allowed)
    deck_name = next((deck.name for deck in decks if card is not None and deck.id == card["deck_id"]), "")
    return Turn(card, deck_name, left, elsewhere, new - allowed, len(found.decks), [deck.id for deck in decks])


def exam_turn(access: Access, item_id: UUID, minutes_a_day: int, first: UUID | None = None) -> Turn:
    """The next card of today's queue in the plan for an exam or quiz. Two queries.

    Args:
        first: a card to prefer if it is in the queue, because its answer was just undone.

    Raises:
        ValidationFailed: the member has no such item, or it has no plan.
    """
    _, cards = cards_for(access, item_id, minutes_a_day, None)
    if not cards:
        return Turn(None, "", 0)
    chosen = first if any(card["id"] == first for card in cards) else cards[0]["id"]
    card = _ONE.first(access, card_id=chosen)
    return Turn(card, card["deck_name"] if card else "", len(cards))


def _next(access: Access, now: datetime, decks: Sequence[StudiedDeck], allowed: int) -> StudyCard | None:
    for statement, chosen in (
        (_NEXT_STEP, [deck.id for deck in decks if deck.repeat]),
        (_NEXT_REVIEW, [deck.id for deck in decks if deck.due]),
    ):
        if chosen:
            return statement.first(access, now=now, decks=as_array(chosen))
    with_new = [deck for deck in decks if deck.new]
    if not with_new or not allowed:
        return None
    first = with_new[0] if len(with_new) == 1 else _first_for_exam(access, now, with_new)
    return _NEXT_NEW.first(access, now=now, decks=as_array([first.id]))


def _first_for_exam(access: Access, now: datetime, decks: Sequence[StudiedDeck]) -> StudiedDeck:
    """The deck whose course has the next open exam or quiz; of equal ones, the oldest."""
    exams = {row["course_id"]: row["on"] for row in _NEXT_EXAMS.all(access, today=access.member.date_at(now))}

    def order(deck: StudiedDeck) -> tuple[date, datetime, UUID]:
        return exams.get(deck.course_id, date.max) if deck.course_id else date.max, deck.created_at, deck.id

    return min(decks, key=order)


def next_dates(access: Access, card: StudyCard, now: datetime) -> dict[str, datetime]:
    """The card's due time after each rating, if it were answered now."""
    last = card["last_reviewed_at"]
    at = now if last is None else max(now, last + timedelta(microseconds=1))
    before, wanted = memory_of(card), access.member.desired_retention
    return {rating: next_state(before, rating, at, wanted)["due_at"] for rating in Rating.values}


def coming(access: Access, now: datetime, decks: Iterable[UUID] = (), *, course_id: UUID | None = None) -> Coming:
    """Reviews after `now` of begun cards, of these decks or of those of a course. One query."""
    today = access.member.date_at(now)
    midnight, end = (local_time(access, today + timedelta(days=days), 0) for days in (1, _TOMORROW_ENDS))
    statement = _COMING if course_id is None else _COMING_OF_COURSE
    given = {"decks": as_array(decks), "course_id": course_id, "now": now, "midnight": midnight, "end": end}
    return statement.first(access, **given) or {"next_at": None, "later_today": 0, "tomorrow": 0}
