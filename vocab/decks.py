"""A member's decks."""

from datetime import date
from typing import TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import FilteredRelation, OuterRef, Q, Subquery
from django.utils import timezone

from accounts.changes.deleting import delete_object
from accounts.changes.writing import writing
from accounts.models import Member
from courses.models import Course
from studyservice.database.statements import Param, Select, aggregated
from studyservice.operations.errors import ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from vocab.changes import keep_reviews
from vocab.errors import NoSuchDeck
from vocab.models import Card, Deck
from vocab.readiness import deck_readiness, no_cards
from vocab.serializers import CardRecord, CardRow, DeckColumns, DeckFields, DeckRecord, DeckRow


class _Stored(TypedDict):
    name: str
    course_id: UUID | None


_CARDS = Card.objects.filter(member_id=Param("member_id"))
_OF_THIS = _CARDS.filter(deck_id=OuterRef("id"))
_DECKS = (
    Deck.objects.filter(member_id=Param("member_id"))
    .annotate(
        due=aggregated(_OF_THIS.filter(due_at__lte=Param("now")), "COUNT", "due_at"),
        its_course=FilteredRelation("course", condition=Q(course__member_id=Param("member_id"))),
        next_due=Subquery(_OF_THIS.order_by("due_at").values("due_at")[:1]),
    )
    .order_by("created_at", "id")
)
_COLUMNS = DeckRecord.columns() | {"due_count": "due", "next_due_at": "next_due"}
_LIST = Select[DeckColumns](_DECKS, _COLUMNS)
_ONE = Select[DeckColumns](_DECKS.filter(id=Param("deck_id")), _COLUMNS)
_OF_DECK = _CARDS.filter(deck_id=Param("deck_id"))
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
    on: date | None = None,
) -> list[DeckRow]:
    """Every deck, oldest first, or only `deck_id`, with its cards if asked for; one query, another for cards, and
    another for `on`.

    Cards that are not due are counted by nobody: `card_count` is kept, and an index leads to those that are due.

    Args:
        due_only: leaves out the cards that are not due.
        limit: most cards.
        on: a day on which the readiness is told.

    Raises:
        ValidationFailed: `on` is past, or more than a year ahead.
    """
    readiness = {} if on is None else deck_readiness(member, on, deck_id)
    now = timezone.now()
    one = {"member_id": member.id, "deck_id": deck_id}
    columns = _LIST.all(member_id=member.id, now=now) if deck_id is None else _ONE.all(**one, now=now)
    decks = cast("list[DeckRow]", columns)
    if on is not None:
        for deck in decks:
            deck["readiness"] = readiness.get(deck["id"]) or no_cards(on)
    if decks and include_cards:
        most = _NO_LIMIT if limit is None else limit
        cards = _DUE_CARDS.all(**one, now=now, limit=most) if due_only else _CARDS_DUE_FIRST.all(**one, limit=most)
        decks[0]["cards"] = cards
    return decks


def require_deck(member: Member, deck_id: UUID) -> _Stored:
    """What can be changed of the deck, as it is stored.

    Raises:
        NotFound: there is no such deck of the member's.
    """
    stored = Deck.objects.filter(member_id=member.id, id=deck_id).values("name", "course_id").first()
    if stored is None:
        raise NoSuchDeck
    return cast("_Stored", stored)


def require_course(member: Member, course_id: UUID | None) -> None:
    """Let a deck belong to no other member's course; to none is right.

    Raises:
        ValidationFailed: it is no course of the member's.
    """
    if course_id is not None and not Course.objects.filter(member_id=member.id, id=course_id).exists():
        raise ValidationFailed.of("course_id", "Is no course of yours. list_courses gives the ids.")


def update_vocab_deck(member: Member, deck_id: UUID, **changes: Unpack[DeckFields]) -> DeckRow:
    """Change the fields given; gives the deck without its cards.

    Raises:
        NotFound: there is no such deck of the member's.
        ValidationFailed: `course_id` is no course of the member's.
    """
    with writing(member.id, "update_vocab_deck") as write:
        stored = require_deck(member, deck_id)
        require_course(member, changes.get("course_id"))
        if different := write.differing(Deck, deck_id, stored["name"], stored, changes):
            Deck.objects.filter(member_id=member.id, id=deck_id).update(**different, updated_at=write.now)
        [deck] = list_vocab_decks(member, deck_id=deck_id, include_cards=False)
        return deck


def delete_vocab_deck(member: Member, deck_id: UUID) -> DeletedRow:
    """Remove the deck with its cards and their review log; practice history keeps the attempts.

    Raises:
        NotFound: there is no such deck of the member's.
    """
    with writing(member.id, "delete_vocab_deck") as write:
        keep_reviews(write, Card.objects.filter(member_id=member.id, deck_id=deck_id))
        if not delete_object(write, Deck, deck_id):
            raise NoSuchDeck
    return deletion(deck_id)
