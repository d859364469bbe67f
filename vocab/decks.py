"""A member's decks."""

from datetime import datetime
from typing import TypedDict, cast
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from accounts.models import Member
from accounts.writing import writing
from courses.models import Course
from studyservice.database.statements import Param, Select
from studyservice.operations.errors import Conflict, NotFound, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from vocab.models import Card, Deck
from vocab.serializers import CardFields, CardRecord, CardRow, DeckColumns, DeckRecord, DeckRow

MAX_DECKS = 100
"""Decks per member."""

_DECKS = Deck.objects.filter(member_id=Param("member_id")).order_by("created_at", "id")
_CARDS = Card.objects.filter(member_id=Param("member_id"))
_OF_DECK = _CARDS.filter(deck_id=Param("deck_id"))


class _Ids(TypedDict):
    id: str


class _CardCounts(TypedDict):
    deck_id: UUID
    card_count: int
    due_count: int
    next_due_at: datetime | None


def _counted(cards: QuerySet[Card]) -> Select[_CardCounts]:
    """The cards of each deck in numbers, from the index alone."""
    return Select[_CardCounts](
        cards.values("deck_id").annotate(
            card_count=Count("due_at"),
            due_count=Count("due_at", filter=Q(due_at__lte=Param("now"))),
            next_due_at=Min("due_at"),
        ),
        {name: name for name in ("deck_id", "card_count", "due_count", "next_due_at")},
    )


_LIST = Select[DeckColumns](_DECKS, DeckRecord)
_LIST_COUNTS = _counted(_CARDS)
_ONE = Select[DeckColumns](_DECKS.filter(id=Param("deck_id")), DeckRecord)
_ONE_COUNTS = _counted(_OF_DECK)
_DUE_FIRST = _OF_DECK.order_by("due_at", "position", "id")
_CARDS_DUE_FIRST = Select[CardRow](_DUE_FIRST, CardRecord, limited=True)
_DUE_CARDS = Select[CardRow](_DUE_FIRST.filter(due_at__lte=Param("now")), CardRecord, limited=True)
_NO_LIMIT = 1_000_000
"""Far more than a deck holds, also one that an operator has made."""


def list_vocab_decks(
    member: Member,
    *,
    include_cards: bool,
    deck_id: UUID | None = None,
    due_only: bool = False,
    limit: int | None = None,
) -> list[DeckRow]:
    """Every deck, oldest first, or only `deck_id`, with its cards if asked for; two queries, three with cards.

    Args:
        due_only: leaves out the cards that are not due.
        limit: most cards.
    """
    now = timezone.now()
    if deck_id is None:
        return _with_counts(_LIST.all(member_id=member.id), _LIST_COUNTS.all(member_id=member.id, now=now))
    one = {"member_id": member.id, "deck_id": deck_id}
    decks = _with_counts(_ONE.all(**one), _ONE_COUNTS.all(**one, now=now))
    if decks and include_cards:
        most = _NO_LIMIT if limit is None else limit
        cards = _DUE_CARDS.all(**one, now=now, limit=most) if due_only else _CARDS_DUE_FIRST.all(**one, limit=most)
        decks[0]["cards"] = cards
    return decks


def _with_counts(decks: list[DeckColumns], counted: list[_CardCounts]) -> list[DeckRow]:
    """`decks` themselves, each with its cards in numbers."""
    counts = {row["deck_id"]: row for row in counted}
    rows = cast("list[DeckRow]", decks)
    for row in rows:
        count = counts.get(row["id"])
        row["card_count"] = count["card_count"] if count else 0
        row["due_count"] = count["due_count"] if count else 0
        row["next_due_at"] = count["next_due_at"] if count else None
    return rows


def create_vocab_deck(
    member: Member,
    *,
    name: str,
    cards: list[CardFields],
    course_id: UUID | None = None,
    include_cards: bool = True,
) -> DeckRow:
    """A new deck with its cards, all of them due; `include_cards` says whether they are answered.

    Raises:
        ValidationFailed: `course_id` is no course of the member's.
        Conflict: the member has `MAX_DECKS` decks.
    """
    with writing(member.id) as now:
        if course_id is not None and not Course.objects.filter(member_id=member.id, id=course_id).exists():
            raise ValidationFailed.of("course_id", "Is no course of yours. list_courses gives the ids.")
        if Deck.objects.filter(member_id=member.id).count() >= MAX_DECKS:
            raise Conflict(f"There are {MAX_DECKS} decks, the most there can be. Delete one first.")
        deck = Deck.objects.create(member_id=member.id, course_id=course_id, name=name, created_at=now, updated_at=now)
        due_at = timezone.now()  # the clock that tells what is due; the member's write clock may be ahead of it
        Card.objects.bulk_create(
            Card(member_id=member.id, deck_id=deck.id, position=position, due_at=due_at, **card)
            for position, card in enumerate(cards, start=1)
        )
        [made] = list_vocab_decks(member, deck_id=deck.id, include_cards=include_cards)
        return made


def reread_vocab_deck(member: Member, ids: _Ids) -> DeckRow:
    """The deck that a call made, with its cards, as it is by now.

    Raises:
        NotFound: it was deleted.
    """
    for deck in list_vocab_decks(member, deck_id=UUID(ids["id"]), include_cards=True):
        return deck
    raise NotFound("The deck that this call made was deleted.")


def delete_vocab_deck(member: Member, deck_id: UUID) -> DeletedRow:
    """Remove the deck with its cards and their review log; practice history keeps the attempts.

    Raises:
        NotFound: there is no such deck of the member's.
    """
    with writing(member.id):
        deck = Deck.objects.only("id", "member_id").filter(member_id=member.id, id=deck_id).first()
        if deck is None:
            raise NotFound("There is no such deck. list_vocab_decks gives the ids.")
        deck.delete()
    return deletion(deck_id)
