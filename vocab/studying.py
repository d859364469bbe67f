"""The next card on the study pages, the number of cards left, and upcoming reviews."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, NamedTuple, TypedDict
from uuid import UUID

from django.db.models import BooleanField, Case, Count, IntegerField, Min, Q, Subquery, Value, When

from courses.item_rows import EXAMINED, OF_STATUS
from courses.models import Item, ItemStatus
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect, as_array
from studyservice.rows.rows import OneOf
from vocab.card_changes import ONE_CARD, StoredCard
from vocab.decks import NoSuchDeck
from vocab.models import Card, CardState, Rating, Review
from vocab.plans import planned_cards
from vocab.scheduling import DUE_NOW, local_time, memory_of, next_state
from vocab.serializers import CardRow
from vocab.studied import StudiedDeck, cards_left, studied

_TOMORROW_ENDS = 2
"""Days from the start of today to the end of tomorrow."""

DAYS_AHEAD = 7
"""Number of days after today whose cards can be studied ahead."""

_MOST_DECKS = 2
"""Number of decks that are searched for a new card."""

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


class _Candidate(StudyCard):
    """A card that may be the next.

    Attributes:
        follows: whether the member's last review was of a card of the same note.
    """

    follows: bool


class _LastReview(TypedDict):
    note: Annotated[UUID | None, At("card__note")]


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

_REVIEWED = Review.rows.whole.filter(card__member_id=Param("member_id")).order_by("-reviewed_at", "-id")
_FOLLOWS = Case(
    When(note=Subquery(_REVIEWED.values("card__note")[:1]), then=Value(value=True)),
    default=Value(value=False),
    output_field=BooleanField(),
)
_LAST_REVIEW = MemberSelect(
    Review.rows.declared.filter(card__member_id=Param("member_id")).order_by("-reviewed_at", "-id")[:1], _LastReview
)
_NEXT_BEGUN = MemberSelect(
    _BEGUN.filter(_OF_DECKS, Q(due_at__lte=Param("now")) | _IS_AHEAD, due_at__lte=Param("ahead_ends"))
    .annotate(follows=_FOLLOWS)
    .order_by("follows", *_STEPS_FIRST)[:1],
    _Candidate,
)
_NEXT_NEW = MemberSelect(
    Card.rows.declared.filter(DUE_NOW, deck_id=Param("deck_id"), state=CardState.NEW)
    .annotate(follows=_FOLLOWS)
    .order_by("follows", "position", "id")[:1],
    _Candidate,
)
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
    """The next card of one deck, or of all but those of ended courses. At most six queries.

    First come learning and relearning cards, then reviews, then cards studied ahead, each by `due_at`. New cards within
    today's limit follow, deck by deck, starting with the one with the next exam, then the oldest. A card of the same
    note as the last one waits until no other card is left.

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


def exam_turn(access: Access, now: datetime, item_id: UUID, minutes_a_day: int, first: UUID | None = None) -> Turn:
    """The next card of today's queue in the plan for an exam or quiz. Three queries; after the last card four.

    A card of the same note as the last one waits until no other card is left.

    Args:
        first: a card to prefer if it is in the queue, because its answer was just undone.

    Raises:
        ValidationFailed: the member has no such item, or it has no plan.
    """
    _, cards = planned_cards(access, item_id, minutes_a_day)
    if not cards:
        found = studied(access, now, {}, {})
        return Turn(None, "", 0, elsewhere=cards_left(found.open_decks, found.new_cards))
    last = _LAST_REVIEW.first(access)
    note = None if last is None else last["note"]
    preferred = next((card["id"] for card in cards if card["note"] is None or card["note"] != note), cards[0]["id"])
    chosen = first if any(card["id"] == first for card in cards) else preferred
    card = _ONE.first(access, card_id=chosen)
    return Turn(card, card["deck_name"] if card else "", len(cards))


def _next(
    access: Access, times: Mapping[str, datetime], decks: Sequence[StudiedDeck], allowed: int, ahead: int
) -> StudyCard | None:
    waiting: StudyCard | None = None
    for card in _candidates(access, times, decks, allowed, ahead):
        if not card["follows"]:
            return card
        waiting = waiting or card
    return waiting


def _candidates(
    access: Access, times: Mapping[str, datetime], decks: Sequence[StudiedDeck], allowed: int, ahead: int
) -> Iterator[_Candidate]:
    """The first card of those begun, then of the new ones of two decks, each after a query."""
    with_begun = [deck.id for deck in decks if ahead or deck.repeat or deck.due]
    if with_begun and (begun := _NEXT_BEGUN.first(access, decks=as_array(with_begun), **times)):
        yield begun
    with_new = [deck for deck in decks if deck.new] if allowed else []
    if len(with_new) > 1:
        with_new = _by_exam(access, times["now"], with_new)
    for deck in with_new[:_MOST_DECKS]:
        if new := _NEXT_NEW.first(access, now=times["now"], deck_id=deck.id):
            yield new


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


def _by_exam(access: Access, now: datetime, decks: Sequence[StudiedDeck]) -> list[StudiedDeck]:
    """The decks by the next open exam or quiz of their course; of equal ones, the oldest first."""
    exams = {row["course_id"]: row["on"] for row in _NEXT_EXAMS.all(access, today=access.member.date_at(now))}

    def order(deck: StudiedDeck) -> tuple[date, datetime, UUID]:
        return exams.get(deck.course_id, date.max) if deck.course_id else date.max, deck.created_at, deck.id

    return sorted(decks, key=order)


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
