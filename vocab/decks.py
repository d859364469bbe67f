"""A member's decks."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import FilteredRelation, OuterRef, Q, Subquery, Sum
from django.utils import timezone

from courses.models import Course
from practice.models import PracticeSum, SumKind
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param, aggregated
from studyservice.operations.errors import NotFound, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.rows.access import Access, MemberSelect, change
from studyservice.rows.rows import Row
from vocab.changes import keep_reviews
from vocab.deck_cards import NO_LIMIT, Cards, ask_for_cards, cards_to_ask
from vocab.models import Card, CardState, Deck
from vocab.plans import cards_for
from vocab.readiness import deck_readiness, no_cards, with_recall
from vocab.scheduling import DUE_NOW
from vocab.serializers import CardOrder, DeckFields, DeckRow, ListedCardRow


class NoSuchDeck(NotFound):
    """The member has no such deck."""

    default_message = "There is no such deck. list_vocab_decks gives the ids."


class _ReadDeck(DeckRow):
    begun_today: Annotated[int | None, At("begun")]


class _NewToday(TypedDict):
    begun: int | None


_ALL_OF_THIS = Card.rows.whole.filter(deck_id=OuterRef("id"))
_ALL_DUE = _ALL_OF_THIS.filter(due_at__lte=Param("now"))
OF_THIS = _ALL_OF_THIS.filter(suspended=False)
DUE = _ALL_OF_THIS.filter(DUE_NOW)
# Indexes cover each of these counts: due cards, suspended due cards, and cards without reviews.
DUE_COUNT = aggregated(_ALL_DUE, "COUNT", "due_at") - aggregated(_ALL_DUE.filter(suspended=True), "COUNT", "due_at")
NEW_COUNT = aggregated(DUE.filter(last_reviewed_at=None, state=CardState.NEW), "COUNT", "due_at")
# After a move further west, a day may have tomorrow's date. It counts as today, as in the statistics.
_TODAY = PracticeSum.rows.whole.filter(kind=SumKind.DAY, starts_on__gte=Param("today"))
BEGUN_TODAY = aggregated(_TODAY, "SUM", "firsts")
"""The number of new cards that the member began today, in all decks."""

_DECKS = Deck.rows.declared.annotate(
    due=DUE_COUNT,
    new=NEW_COUNT,
    begun=BEGUN_TODAY,
    its_course=FilteredRelation("course", condition=Q(course__member_id=Param("member_id"))),
    next_due=Subquery(OF_THIS.order_by("due_at").values("due_at")[:1]),
).order_by("created_at", "id")
_COLUMNS = columns_of_row(_ReadDeck) | {"due_count": "due", "new_count": "new", "next_due_at": "next_due"}
"""Answers have the counts last."""

_NEW_TODAY = MemberSelect(_TODAY.order_by().values("member_id").annotate(begun=Sum("firsts")), _NewToday)
_LIST = MemberSelect[_ReadDeck](_DECKS, _COLUMNS)
_ONE = MemberSelect[_ReadDeck](_DECKS.filter(id=Param("deck_id")), _COLUMNS)
_OF_COURSE = MemberSelect[_ReadDeck](_DECKS.filter(course_id=Param("course_id")), _COLUMNS)


def list_vocab_decks(
    access: Access,
    *,
    include_cards: bool,
    deck_id: UUID | None = None,
    due_only: bool = False,
    limit: int | None = None,
    order: str = CardOrder.DUE,
    cards_after: UUID | None = None,
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
        order: of the cards, a `CardOrder`.
        cards_after: the card after which they begin.
        on: a day for which to return the readiness.
        for_item: only the decks of this exam's course, the first with today's cards of the plan for the exam, across
            all of them.
        minutes_a_day: of that plan.

    Raises:
        ValidationFailed: `on` is past, or more than a year ahead; `for_item` cannot have a plan; `cards_after` is not a
            card of the deck.
    """
    readiness = {} if on is None else deck_readiness(access, on, deck_id)
    now = timezone.now()
    cards: Cards | None = None
    if for_item is not None:
        course_id, planned = cards_for(access, for_item, minutes_a_day, limit)
        decks, cards = _read(access, _OF_COURSE, now, course_id=course_id), Cards(planned)
    elif deck_id is None:
        decks = _read(access, _LIST, now)
    elif include_cards and not due_only:
        in_order = ask_for_cards(access, deck_id, now, order=order, cards_after=cards_after, limit=limit)
        decks, cards = _read(access, _ONE, now, deck_id=deck_id), in_order()
    else:
        decks = _read(access, _ONE, now, deck_id=deck_id)
        cards = _to_ask(access, decks[0], now, limit) if decks and include_cards else None
    if on is not None:
        for deck in decks:
            deck["readiness"] = readiness.get(deck["id"]) or no_cards(access, on)
    if decks and cards is not None:
        if cards.more is not None:
            decks[0]["more_cards"] = cards.more
        listed = cards.cards
        decks[0]["cards"] = cast("list[ListedCardRow]", listed) if on is None else with_recall(access, on, listed)
    return decks


def _to_ask(access: Access, deck: DeckRow, now: datetime, limit: int | None) -> Cards:
    """The first cards of the deck to study now, with no more new ones than still allowed today."""
    most = deck["today_count"] if limit is None else min(limit, deck["today_count"])
    return Cards(cards_to_ask(access, deck["id"], now, most), None if limit is None else most < deck["today_count"])


def decks_of_course(access: Access, course_id: UUID) -> list[DeckRow]:
    """The decks of the course without their cards, oldest first. One query."""
    return _read(access, _OF_COURSE, timezone.now(), course_id=course_id)


def _read(access: Access, statement: MemberSelect[_ReadDeck], now: datetime, **given: UUID) -> list[DeckRow]:
    decks: list[DeckRow] = []
    for deck in statement.all(access, now=now, today=access.member.date_at(now), **given):
        left = new_left(access, deck.pop("begun_today"))  # type: ignore[misc]  # the row has its fields
        deck["today_count"] = deck["due_count"] - max(0, deck["new_count"] - left)
        decks.append(deck)
    return decks


def new_left(access: Access, begun_today: int | None) -> int:
    """The number of new cards that the member may still begin today."""
    if access.member.new_cards_a_day is None:
        return NO_LIMIT
    return max(0, access.member.new_cards_a_day - (begun_today or 0))


def left_today(access: Access, decks: Sequence[DeckRow]) -> int:
    """The number of cards left for today in these decks. All decks share the limit of new cards. One query."""
    found = _NEW_TODAY.first(access, today=access.today())
    new = sum(deck["new_count"] for deck in decks)
    over = new - new_left(access, None if found is None else found["begun"])
    return sum(deck["due_count"] for deck in decks) - max(0, over)


def require_deck(access: Access, deck_id: UUID) -> Row:
    """The stored id, name and course of the deck.

    Raises:
        NotFound: the call sees no such deck.
    """
    return Deck.rows.of(access).get(NoSuchDeck, "name", id=deck_id)


def require_course(access: Access, course_id: UUID | None) -> None:
    """Check the course of a deck. None is allowed.

    Raises:
        ValidationFailed: the call sees no such course.
    """
    if course_id is not None and Course.rows.of(access).find("id", id=course_id) is None:
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


def require_named(access: Access, course_id: UUID | None) -> None:
    """Prevent a credential limited to courses from creating a deck without a course, which it could not see.

    Raises:
        ValidationFailed: the course is missing.
    """
    if course_id is None and access.limits.courses is not None:
        raise ValidationFailed.of("course_id", "Name one of your courses. list_courses lists the ids.")


def update_vocab_deck(access: Access, deck_id: UUID, **changes: Unpack[DeckFields]) -> DeckRow:
    """Change the given fields. Return the deck without its cards.

    Raises:
        NotFound: the call sees no such deck.
        ValidationFailed: `course_id` is not a course that the call sees.
    """
    with change(access, "update_vocab_deck"):
        stored = require_deck(access, deck_id)
        require_course(access, changes.get("course_id"))
        if "course_id" in changes:
            require_named(access, changes["course_id"])
        Deck.rows.of(access).update(stored, changes)
        [deck] = list_vocab_decks(access, deck_id=deck_id, include_cards=False)
        return deck


def delete_vocab_deck(access: Access, deck_id: UUID) -> DeletedRow:
    """Delete the deck with its cards and their review log. Practice history keeps the attempts.

    Raises:
        NotFound: the call sees no such deck.
    """
    with change(access, "delete_vocab_deck"):
        keep_reviews(access, "card__deck_id", deck_id)
        if not Deck.rows.of(access).delete(deck_id):
            raise NoSuchDeck
    return deletion(deck_id)
