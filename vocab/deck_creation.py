"""New decks, and cards that come into a deck of the same name that is there."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.members.limits import Limit
from accounts.models import Member
from studyservice.operations.errors import Conflict
from vocab.card_changes import add_to_deck, touch_deck
from vocab.cards import add_cards
from vocab.decks import list_vocab_decks, require_course
from vocab.models import Card, Deck
from vocab.serializers import CardFields, DeckRow

DECKS = Limit(most=100, what="decks", full="There are {most} decks, the most there can be. Delete one first.")


class _Stored(NamedTuple):
    id: UUID
    name: str
    course_id: UUID | None


class _Known(NamedTuple):
    """A card that is there."""

    id: UUID
    term: str
    definition: str


def create_vocab_deck(
    member: Member,
    *,
    name: str,
    cards: list[CardFields],
    course_id: UUID | None = None,
    include_cards: bool = True,
    if_exists: str = "create",
) -> tuple[DeckRow, bool]:
    """A deck with these cards, all of them due, and whether it is new; `include_cards` says whether they are answered.

    With `if_exists` of `merge` the cards go into the oldest deck of this name, if there is one: the names are compared
    trimmed and case-folded. It keeps its own name and course.

    Raises:
        ValidationFailed: `course_id` is no course of the member's.
        Conflict: the member has as many decks as it can have, or the deck would have too many cards.
    """
    with writing(member.id, "create_vocab_deck") as write:
        require_course(member, course_id)
        known = oldest_named(write, name) if if_exists == "merge" else None
        if known is not None:
            merge_cards(write, known, cards)
            deck_id = known.id
        else:
            require_room(write, 1)
            made = last_of_each(cards) if if_exists == "merge" else cards
            deck_id = make_deck(write, name, course_id, made)
        [deck] = list_vocab_decks(member, deck_id=deck_id, include_cards=include_cards)
        return deck, known is None


def require_room(write: Write, new: int) -> None:
    """Let the member have no more decks than there can be; under the lock of `write`.

    Raises:
        Conflict: with `new` more there would be more than `DECKS` allows.
    """
    if new and not DECKS.has_room(Deck.objects.filter(member_id=write.member_id), new):
        raise Conflict(f"A member has at most {DECKS.most} decks, and {new} more would be too many. Delete some first.")


def make_deck(write: Write, name: str, course_id: UUID | None, cards: Sequence[CardFields]) -> UUID:
    """Make a deck inside `write`, for which there is room; gives its id."""
    fields = {"name": name, "course_id": course_id}
    deck = Deck.objects.create(member_id=write.member_id, created_at=write.now, updated_at=write.now, **fields)
    write.made(Deck, deck.id, name, fields)
    add_cards(write, deck.id, cards)
    return deck.id


def oldest_named(write: Write, name: str) -> _Stored | None:
    """The member's oldest deck of this name, trimmed and case-folded; under the lock of `write`."""
    decks = (
        Deck.objects.filter(member_id=write.member_id)
        .order_by("created_at", "id")
        .values_list("id", "name", "course_id")
    )
    wanted = _folded(name)
    return next((_Stored(*deck) for deck in decks if _folded(deck[1]) == wanted), None)


def merge_cards(write: Write, deck: _Stored, cards: Iterable[CardFields]) -> None:
    """Add the terms that are new to the deck, and give known ones their new definition; their schedule stays.

    Terms are compared exactly. Of several cards of a term that has none of that definition, the first in the deck gets
    it; of two entries of a term the last counts.

    Raises:
        Conflict: the deck would have too many cards.
    """
    mine = Card.objects.filter(member_id=write.member_id, deck_id=deck.id)
    present: dict[str, list[_Known]] = {}
    for row in mine.order_by("position", "id").values_list("id", "term", "definition"):
        present.setdefault(row[1], []).append(_Known(*row))
    new: list[CardFields] = []
    changed: list[tuple[_Known, str]] = []
    for card in last_of_each(cards):
        same = present.get(card["term"])
        if same is None:
            new.append(card)
        elif all(one.definition != card["definition"] for one in same):
            changed.append((same[0], card["definition"]))
    if not new and not changed:
        return
    write.within(Deck, deck.id, deck.name)
    for known, definition in changed:
        write.changed(Card, known.id, known.term, {"definition": known.definition}, {"definition": definition})
    mine.bulk_update((Card(id=known.id, definition=text) for known, text in changed), ["definition"])
    if new:
        add_to_deck(write, deck.id, new)
    touch_deck(write, deck.id)


def set_course(write: Write, deck: _Stored, course_id: UUID | None) -> None:
    """Let a deck that was merged into belong to a course; None leaves it as it is."""
    if course_id is not None and (
        different := write.differing(Deck, deck.id, deck.name, deck._asdict(), {"course_id": course_id})
    ):
        Deck.objects.filter(member_id=write.member_id, id=deck.id).update(**different, updated_at=write.now)


def last_of_each(cards: Iterable[CardFields]) -> list[CardFields]:
    """One card for each term, where it stood first, with the definition that it had last."""
    return list({card["term"]: card for card in cards}.values())


def _folded(name: str) -> str:
    return name.strip().casefold()
