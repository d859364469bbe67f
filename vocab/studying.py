"""The next card on the study pages, the number of cards left, and upcoming reviews."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple, TypedDict
from uuid import UUID

from django.db.models import Case, Count, IntegerField, Min, Q, Value, When

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
from vocab.studied import StudiedDeck, cards_left, studied

_TOMORROW_ENDS = 2
"""Days from the start of today to the end of tomorrow."""

DAYS_AHEAD = 7
"""Number of days after today whose cards can be studied ahead."""

_INSTANT = timedelta(microseconds=1)
"""The precision of stored times."""


class StudyCard(CardRow):
    """A card with the columns that determine its next state."""

    step: int | None


class Extra(NamedTuple):
    """Cards of one sitting in addition to those for today.

    Attributes:
        new_until: the number of new cards to have begun by the end of today, if that is more than the member's limit.
        ahead_since: when studying ahead began, or None. Cards answered since then are asked when they are due.
    """

    new_until: int = 0
    ahead_since: datetime | None = None


NO_EXTRA = Extra()


class Turn(NamedTuple):
    """The cards to study now.

    Attributes:
        card: the next one; None if there is none.
        deck_name: of the deck of the card.
        left: number of cards left for this sitting, including this one.
        elsewhere: number of cards left in all decks together.
        new_waiting: number of new cards over today's limit and `Extra`.
        begun_today: number of new cards begun today, in all decks.
        decks: the member's number of decks.
        asked: the decks whose cards are studied, unless it is the plan for an exam.
    """

    card: StudyCard | None
    deck_name: str
    left: int
    elsewhere: int = 0
    new_waiting: int = 0
    begun_today: int = 0
    decks: int = 1
    asked: Sequence[UUID] = ()


class Coming(TypedDict):
    """Upcoming reviews once no card is left.

    Attributes:
        next_at: the next due time of a begun card; None without one.
        later_today: number of cards due later today.
        tomorrow: number of cards due tomorrow, without new ones.
        ahead: number of cards that can be studied ahead.
    """

    next_at: datetime | None
    later_today: int
    tomorrow: int
    ahead: int


class _Ahead(TypedDict):
    cards: int


class _NextExam(TypedDict):
    course_id: UUID
    on: date


_OF_DECKS = Q(OneOf("deck_id", "decks"))
_IS_AHEAD = Q(due_at__gt=Param("now"), due_at__lte=Param("ahead_ends"), last_reviewed_at__lt=Param("ahead_since"))
_BEGUN = Card.rows.declared.filter(suspended=False).exclude(state=CardState.NEW)
_STEPS_FIRST = (
    Case(
        When(due_at__gt=Param("now"), then=Value(2)),
        When(state=CardState.REVIEW, then=Value(1)),
        default=Value(0),
        output_field=IntegerField(),
    ),
    "due_at",
    "position",
    "id",
)
"""Due learning and relearning cards, due reviews, then cards studied ahead; each by due time."""

_DUE = Card.rows.declared.filter(DUE_NOW)
_NEXT_BEGUN = MemberSelect(
    _BEGUN.filter(_OF_DECKS, Q(due_at__lte=Param("now")) | _IS_AHEAD, due_at__lte=Param("ahead_ends")).order_by(
        *_STEPS_FIRST
    )[:1],
    StudyCard,
)
_NEXT_NEW = MemberSelect(_DUE.filter(_OF_DECKS, state=CardState.NEW).order_by("position", "id")[:1], StudyCard)
_AHEAD = MemberSelect(
    _BEGUN.filter(_OF_DECKS, _IS_AHEAD).order_by().values("member_id").annotate(cards=Count("id")), _Ahead
)
_THIS = MemberSelect(
    Card.rows.declared.filter(Q(due_at__lte=Param("now")) | _IS_AHEAD, id=Param("card_id"), suspended=False), StudyCard
)
_ONE = MemberSelect(ONE_CARD.filter(suspended=False), StoredCard)
_NEXT_EXAMS = MemberSelect(
    Item.rows.declared.filter(OF_STATUS[ItemStatus.OPEN], kind__in=sorted(EXAMINED), due_on__gte=Param("today"))
    .order_by()
    .values("course_id")
    .annotate(on=Min("due_on")),
    _NextExam,
)


def _coming(*which: Q) -> MemberSelect[Coming]:
    found = _BEGUN.filter(*which, due_at__gt=Param("now")).order_by().values("member_id")
    tomorrow = Q(due_at__gte=Param("midnight"), due_at__lt=Param("end"))
    counted = found.annotate(
        next_at=Min("due_at"),
        later_today=Count("id", filter=Q(due_at__lt=Param("midnight"))),
        tomorrow=Count("id", filter=tomorrow),
        ahead=Count("id", filter=_IS_AHEAD),
    )
    return MemberSelect(counted, Coming)


_COMING = _coming(_OF_DECKS)
_COMING_OF_COURSE = _coming(Q(deck__member_id=Param("member_id"), deck__course_id=Param("course_id")))


def next_turn(
    access: Access, now: datetime, deck_id: UUID | None = None, first: UUID | None = None, extra: Extra = NO_EXTRA
) -> Turn:
    """The next card of one deck, or of all but those of ended courses. At most four queries.

    First come learning and relearning cards, then reviews, then cards studied ahead, each by `due_at`. New cards within
    today's limit follow, deck by deck, starting with the one with the next exam, then the oldest.

    Args:
        first: a card to prefer if it is due, because its answer was just undone.

    Raises:
        NotFound: the member has no such deck.
    """
    found = studied(access, now, {}, {})
    decks = found.open_decks if deck_id is None else [deck for deck in found.decks if deck.id == deck_id]
    if deck_id is not None and not decks:
        raise NoSuchDeck
    ids = [deck.id for deck in decks]
    times = _times(access, now, extra)
    ahead = 0 if extra.ahead_since is None else _count_ahead(access, ids, times)
    allowed = max(found.new_cards, extra.new_until - found.begun_today)
    left = cards_left(decks, allowed) + ahead
    card = None
    if first is not None:
        card = _THIS.first(access, card_id=first, **times)
    if card is None or card["deck_id"] not in ids:
        card = _next(access, times, decks, allowed, ahead)
    return Turn(
        card,
        deck_name=next((deck.name for deck in decks if card is not None and deck.id == card["deck_id"]), ""),
        left=left,
        elsewhere=cards_left(found.open_decks, found.new_cards),
        new_waiting=max(0, sum(deck.new for deck in decks) - allowed),
        begun_today=found.begun_today,
        decks=len(found.decks),
        asked=ids,
    )


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


def _next(
    access: Access, times: Mapping[str, datetime], decks: Sequence[StudiedDeck], allowed: int, ahead: int
) -> StudyCard | None:
    with_begun = [deck.id for deck in decks if ahead or deck.repeat or deck.due]
    if with_begun:
        return _NEXT_BEGUN.first(access, decks=as_array(with_begun), **times)
    with_new = [deck for deck in decks if deck.new]
    if not with_new or not allowed:
        return None
    first = with_new[0] if len(with_new) == 1 else _first_for_exam(access, times["now"], with_new)
    return _NEXT_NEW.first(access, now=times["now"], decks=as_array([first.id]))


def _count_ahead(access: Access, decks: Iterable[UUID], times: Mapping[str, datetime]) -> int:
    found = _AHEAD.first(access, decks=as_array(decks), **times)
    return found["cards"] if found else 0


def _times(access: Access, now: datetime, extra: Extra) -> dict[str, datetime]:
    """The parameters of statements about cards that are due or studied ahead. Without `extra.ahead_since` none is."""
    if extra.ahead_since is None:
        return {"now": now, "ahead_ends": now, "ahead_since": now}
    return {"now": now, "ahead_ends": _ahead_ends(access, now), "ahead_since": extra.ahead_since}


def _ahead_ends(access: Access, now: datetime) -> datetime:
    """The last instant of the last day whose cards can be studied ahead."""
    return local_time(access, access.member.date_at(now) + timedelta(days=DAYS_AHEAD + 1), 0) - _INSTANT


def _first_for_exam(access: Access, now: datetime, decks: Sequence[StudiedDeck]) -> StudiedDeck:
    """The deck whose course has the next open exam or quiz; of equal ones, the oldest."""
    exams = {row["course_id"]: row["on"] for row in _NEXT_EXAMS.all(access, today=access.member.date_at(now))}

    def order(deck: StudiedDeck) -> tuple[date, datetime, UUID]:
        return exams.get(deck.course_id, date.max) if deck.course_id else date.max, deck.created_at, deck.id

    return min(decks, key=order)


def next_dates(access: Access, card: StudyCard, now: datetime) -> dict[str, datetime]:
    """The card's due time after each rating, if it were answered now."""
    last = card["last_reviewed_at"]
    at = now if last is None else max(now, last + _INSTANT)
    before, wanted = memory_of(card), access.member.desired_retention
    return {rating: next_state(before, rating, at, wanted)["due_at"] for rating in Rating.values}


def coming(
    access: Access,
    now: datetime,
    decks: Iterable[UUID] = (),
    *,
    course_id: UUID | None = None,
    ahead_since: datetime | None = None,
) -> Coming:
    """Reviews after `now` of begun cards, of these decks or of those of a course. One query.

    Args:
        ahead_since: when studying ahead began, if it did.
    """
    today = access.member.date_at(now)
    midnight, end = (local_time(access, today + timedelta(days=days), 0) for days in (1, _TOMORROW_ENDS))
    statement = _COMING if course_id is None else _COMING_OF_COURSE
    times = {"now": now, "midnight": midnight, "end": end, "ahead_ends": _ahead_ends(access, now)}
    times["ahead_since"] = ahead_since or now
    found = statement.first(access, decks=as_array(decks), course_id=course_id, **times)
    return found or {"next_at": None, "later_today": 0, "tomorrow": 0, "ahead": 0}
