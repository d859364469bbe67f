"""A member's decks."""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from accounts.models import Member
from accounts.writing import writing
from courses.models import Course
from studyservice.database.statements import Insert, Param, Row, Select
from studyservice.operations.errors import Conflict, NotFound, ValidationFailed
from studyservice.operations.serializers import deletion
from vocab.models import Card, Deck
from vocab.serializers import CardRecord, DeckRecord

MAX_DECKS = 100
"""Decks per member."""

_DECKS = Deck.objects.filter(member_id=Param("member_id")).order_by("created_at", "id")
_CARDS = Card.objects.filter(member_id=Param("member_id"))
_OF_DECK = _CARDS.filter(deck_id=Param("deck_id"))


def _counted(cards: QuerySet[Card]) -> Select:
    """The cards of each deck in numbers, from the index alone."""
    return Select(
        cards.values("deck_id").annotate(
            card_count=Count("due_at"),
            due_count=Count("due_at", filter=Q(due_at__lte=Param("now"))),
            next_due_at=Min("due_at"),
        ),
        {name: name for name in ("deck_id", "card_count", "due_count", "next_due_at")},
    )


_LIST = Select(_DECKS, DeckRecord)
_LIST_COUNTS = _counted(_CARDS)
_ONE = Select(_DECKS.filter(id=Param("deck_id")), DeckRecord)
_ONE_COUNTS = _counted(_OF_DECK)
_CARDS_DUE_FIRST = Select(_OF_DECK.order_by("due_at", "position", "id"), CardRecord)
_MY_COURSE = Select(Course.objects.filter(member_id=Param("member_id"), id=Param("course_id")), {"id": "id"})
_INSERT = Insert(Deck)
_INSERT_CARDS = Insert(Card)
_NEW_CARD = {field.attname: field.get_default() for field in Card._meta.local_concrete_fields}

_EMPTY: Row = {"card_count": 0, "due_count": 0, "next_due_at": None}


def list_vocab_decks(member: Member, *, include_cards: bool, deck_id: UUID | None = None) -> list[Row]:
    """Every deck, oldest first, or only `deck_id`, with its cards if asked for; two queries, three with cards."""
    now = timezone.now()
    if deck_id is None:
        return _with_counts(_LIST.all(member_id=member.id), _LIST_COUNTS.all(member_id=member.id, now=now))
    one = {"member_id": member.id, "deck_id": deck_id}
    decks = _with_counts(_ONE.all(**one), _ONE_COUNTS.all(**one, now=now))
    if decks and include_cards:
        decks[0]["cards"] = _CARDS_DUE_FIRST.all(**one)
    return decks


def _with_counts(decks: list[Row], counted: list[Row]) -> list[Row]:
    counts = {row.pop("deck_id"): row for row in counted}
    return [deck | counts.get(deck["id"], _EMPTY) for deck in decks]


def create_vocab_deck(member: Member, *, name: str, cards: list[dict[str, Any]], course_id: UUID | None = None) -> Row:
    """A new deck with its cards, all of them due.

    Args:
        cards: `term` and `definition` of each.

    Raises:
        ValidationFailed: `course_id` is no course of the member's.
        Conflict: the member has `MAX_DECKS` decks.
    """
    with writing(member.id) as now:
        if course_id is not None and _MY_COURSE.first(member_id=member.id, course_id=course_id) is None:
            raise ValidationFailed.of("course_id", "Is no course of yours. list_courses gives the ids.")
        if Deck.objects.filter(member_id=member.id).count() >= MAX_DECKS:
            raise Conflict(f"There are {MAX_DECKS} decks, the most there can be. Delete one first.")
        deck_id = uuid4()
        _INSERT.run(id=deck_id, member_id=member.id, course_id=course_id, name=name, created_at=now, updated_at=now)
        _insert_cards(member, deck_id, cards, timezone.now())
        [deck] = list_vocab_decks(member, deck_id=deck_id, include_cards=True)
        return deck


def _insert_cards(member: Member, deck_id: UUID, cards: list[dict[str, Any]], due_at: datetime) -> None:
    """New cards; due by the clock that tells what is due, which the member's write clock may be ahead of."""
    common = _NEW_CARD | {"member_id": member.id, "deck_id": deck_id, "due_at": due_at}
    _INSERT_CARDS.run_all(
        [common | card | {"id": uuid4(), "position": position} for position, card in enumerate(cards, start=1)]
    )


def delete_vocab_deck(member: Member, deck_id: UUID) -> Row:
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
