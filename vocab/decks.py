"""A member's decks."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import Case, F, FilteredRelation, IntegerField, OuterRef, Q, Subquery, Value, When
from django.utils import timezone

from accounts.changes.deleting import delete_object
from accounts.changes.writing import writing
from accounts.credentials.limiting import current_limits
from accounts.models import Member
from accounts.rows.access import Access
from courses.models import Course
from practice.models import PracticeSum, SumKind
from studyservice.database.ahead import update_later
from studyservice.database.statements import Param, Select, aggregated
from studyservice.operations.errors import ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from vocab.changes import keep_reviews
from vocab.errors import NoSuchDeck
from vocab.models import Card, CardState, Deck
from vocab.plans import cards_for
from vocab.readiness import deck_readiness, no_cards, with_recall
from vocab.serializers import CardRecord, CardRow, DeckColumns, DeckFields, DeckRecord, DeckRow, ListedCardRow


class _Stored(TypedDict):
    name: str
    course_id: UUID | None


class _Columns(DeckColumns):
    begun_today: int | None


class _NewToday(TypedDict):
    begun: int | None


_CARDS = Card.objects.filter(member_id=Param("member_id"))
_ALL_OF_THIS = _CARDS.filter(deck_id=OuterRef("id"))
_ALL_DUE = _ALL_OF_THIS.filter(due_at__lte=Param("now"))
OF_THIS = _ALL_OF_THIS.filter(suspended=False)
DUE = _ALL_DUE.filter(suspended=False)
# Indexes cover each of these counts: due cards, suspended due cards, and cards without reviews.
DUE_COUNT = aggregated(_ALL_DUE, "COUNT", "due_at") - aggregated(_ALL_DUE.filter(suspended=True), "COUNT", "due_at")
NEW_COUNT = aggregated(DUE.filter(last_reviewed_at=None, state=CardState.NEW), "COUNT", "due_at")
# After a move further west, a day may have tomorrow's date. It counts as today, as in the statistics.
_TODAY = PracticeSum.objects.filter(member_id=Param("member_id"), kind=SumKind.DAY, starts_on__gte=Param("today"))
BEGUN_TODAY = aggregated(_TODAY, "SUM", "firsts")
"""The number of new cards that the member began today, in all decks."""

_DECKS = (
    Deck.objects.filter(member_id=Param("member_id"))
    .annotate(
        due=DUE_COUNT,
        new=NEW_COUNT,
        begun=BEGUN_TODAY,
        its_course=FilteredRelation("course", condition=Q(course__member_id=Param("member_id"))),
        next_due=Subquery(OF_THIS.order_by("due_at").values("due_at")[:1]),
    )
    .order_by("created_at", "id")
)
_COLUMNS = DeckRecord.columns() | {
    "due_count": "due",
    "new_count": "new",
    "next_due_at": "next_due",
    "begun_today": "begun",
}
_NEW_TODAY = Select[_NewToday](
    Member.objects.filter(id=Param("member_id")).annotate(begun=BEGUN_TODAY), {"begun": "begun"}
)
_LIST = Select[_Columns](_DECKS, _COLUMNS)
_ONE = Select[_Columns](_DECKS.filter(id=Param("deck_id")), _COLUMNS)
_OF_COURSE = Select[_Columns](_DECKS.filter(course_id=Param("course_id")), _COLUMNS)
_OF_DECK = _CARDS.filter(deck_id=Param("deck_id"))
_DUE_FIRST = _OF_DECK.order_by("due_at", "position", "id")
_CARDS_DUE_FIRST = Select[CardRow](_DUE_FIRST, CardRecord, limited=True)
_LEARNING_FIRST = (
    Case(
        When(state=CardState.NEW, then=Value(2)),
        When(state=CardState.REVIEW, then=Value(1)),
        default=Value(0),
        output_field=IntegerField(),
    ),
    Case(When(state=CardState.NEW, then=None), default=F("due_at")),
    "position",
    "id",
)
"""Learning and relearning cards, then reviews, each by due time; then new ones by position."""

_CARDS_TO_ASK = Select[CardRow](
    _OF_DECK.filter(suspended=False, due_at__lte=Param("now")).order_by(*_LEARNING_FIRST), CardRecord, limited=True
)
_NO_LIMIT = 1_000_000
"""Far more cards than a deck has, even one changed by an operator."""


def list_vocab_decks(
    access: Access,
    *,
    include_cards: bool,
    deck_id: UUID | None = None,
    due_only: bool = False,
    limit: int | None = None,
    on: date | None = None,
    for_item: UUID | None = None,
    minutes_a_day: int = 0,
) -> list[DeckRow]:
    """Every deck, oldest first, or only `deck_id`, with its cards on request. One query, another for cards, and another
    for `on`.

    No query reads cards that are not due: `card_count` is stored, and an index finds due cards.

    Args:
        due_only: only the cards to study now, in order, with no more new ones than still allowed today.
        limit: maximum number of cards.
        on: a day for which to return the readiness.
        for_item: only the decks of this exam's course, the first with today's cards of the plan for the exam, across
            all of them.
        minutes_a_day: of that plan.

    Raises:
        ValidationFailed: `on` is past, or more than a year ahead; `for_item` cannot have a plan.
    """
    readiness = {} if on is None else deck_readiness(access, on, deck_id)
    now = timezone.now()
    one = {"member_id": access.member.id, "deck_id": deck_id}
    moment = {"now": now, "today": access.member.date_at(now)}
    everything = None
    if include_cards and not due_only and for_item is None:
        everything = _CARDS_DUE_FIRST.ahead(**one, limit=_NO_LIMIT if limit is None else limit)
    if for_item is not None:
        course_id, planned = cards_for(access, for_item, minutes_a_day, limit)
        columns = _OF_COURSE.all(member_id=access.member.id, course_id=course_id, **moment)
    else:
        columns = _LIST.all(member_id=access.member.id, **moment) if deck_id is None else _ONE.all(**one, **moment)
    decks = [_deck_row(deck, new_left(access, deck.pop("begun_today"))) for deck in columns]  # type: ignore[misc]  # the row has its fields
    if on is not None:
        for deck in decks:
            deck["readiness"] = readiness.get(deck["id"]) or no_cards(access, on)
    if decks and (include_cards or for_item is not None):
        if for_item is not None:
            cards = planned
        elif everything is not None:
            cards = everything()
        else:
            most = decks[0]["today_count"]
            cards = _CARDS_TO_ASK.all(**one, now=now, limit=most if limit is None else min(limit, most))
        decks[0]["cards"] = cast("list[ListedCardRow]", cards) if on is None else with_recall(access, on, cards)
    return decks


def decks_of_course(access: Access, course_id: UUID) -> list[DeckRow]:
    """The decks of the course without their cards, oldest first. One query."""
    now = timezone.now()
    columns = _OF_COURSE.all(member_id=access.member.id, course_id=course_id, now=now, today=access.member.date_at(now))
    return [_deck_row(deck, new_left(access, deck.pop("begun_today"))) for deck in columns]  # type: ignore[misc]  # the row has its fields


def new_left(access: Access, begun_today: int | None) -> int:
    """The number of new cards that the member may still begin today."""
    if access.member.new_cards_a_day is None:
        return _NO_LIMIT
    return max(0, access.member.new_cards_a_day - (begun_today or 0))


def left_today(access: Access, decks: Sequence[DeckRow]) -> int:
    """The number of cards left for today in these decks. All decks share the limit of new cards. One query."""
    found = _NEW_TODAY.first(member_id=access.member.id, today=access.today())
    new = sum(deck["new_count"] for deck in decks)
    over = new - new_left(access, None if found is None else found["begun"])
    return sum(deck["due_count"] for deck in decks) - max(0, over)


def _deck_row(deck: DeckColumns, new_left: int) -> DeckRow:
    row = cast("DeckRow", deck)
    row["today_count"] = row["due_count"] - max(0, row["new_count"] - new_left)
    return row


def require_deck(access: Access, deck_id: UUID) -> _Stored:
    """The stored columns of the deck that can change.

    Raises:
        NotFound: the member has no such deck.
    """
    stored = Deck.objects.filter(member_id=access.member.id, id=deck_id).values("name", "course_id").first()
    if stored is None:
        raise NoSuchDeck
    return cast("_Stored", stored)


def require_course(access: Access, course_id: UUID | None) -> None:
    """Check the course of a deck. None is allowed.

    Raises:
        ValidationFailed: it is not a course of the member.
    """
    if course_id is not None and not Course.objects.filter(member_id=access.member.id, id=course_id).exists():
        raise ValidationFailed.of("course_id", "Not one of your courses. list_courses lists the ids.")


def deck_still_seen(access: Access, answer: Mapping[str, Any]) -> None:
    """Raise NotFound if the deck of a stored answer is no longer visible, and ValidationFailed if its course is not."""
    course_id = answer["course_id"]
    require_course(access, UUID(course_id) if course_id else None)
    require_deck(access, UUID(answer["id"]))


def decks_still_seen(access: Access, answer: Mapping[str, Any]) -> None:
    """The same for an answer with several decks."""
    for deck in answer["decks"]:
        deck_still_seen(access, deck)


def require_named(course_id: UUID | None) -> None:
    """Prevent a credential limited to courses from creating a deck without a course, which it could not see.

    Raises:
        ValidationFailed: the course is missing.
    """
    if course_id is None and current_limits().courses is not None:
        raise ValidationFailed.of("course_id", "Name one of your courses. list_courses lists the ids.")


def update_vocab_deck(access: Access, deck_id: UUID, **changes: Unpack[DeckFields]) -> DeckRow:
    """Change the given fields. Return the deck without its cards.

    Raises:
        NotFound: the member has no such deck.
        ValidationFailed: `course_id` is not a course of the member.
    """
    with writing(access.member.id, "update_vocab_deck") as write:
        stored = require_deck(access, deck_id)
        write.belongs(stored["course_id"])
        require_course(access, changes.get("course_id"))
        if "course_id" in changes:
            require_named(changes["course_id"])
        if different := write.differing(Deck, deck_id, stored["name"], stored, changes):
            update_later(Deck.objects.filter(member_id=access.member.id, id=deck_id), **different, updated_at=write.now)
        [deck] = list_vocab_decks(access, deck_id=deck_id, include_cards=False)
        return deck


def delete_vocab_deck(access: Access, deck_id: UUID) -> DeletedRow:
    """Delete the deck with its cards and their review log. Practice history keeps the attempts.

    Raises:
        NotFound: the member has no such deck.
    """
    with writing(access.member.id, "delete_vocab_deck") as write:
        keep_reviews(write, Card.objects.filter(member_id=access.member.id, deck_id=deck_id))
        if not delete_object(write, Deck, deck_id):
            raise NoSuchDeck
    return deletion(deck_id)
