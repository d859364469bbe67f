"""Creating decks, and merging cards into an existing deck with the same name."""

from collections.abc import Iterable, Sequence
from typing import cast
from uuid import UUID

from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.members.limits import Limit
from accounts.rows.access import Access
from studyservice.database.ahead import insert_later, update_later
from vocab.cards import add_cards
from vocab.decks import list_vocab_decks, require_course, require_named
from vocab.merge_serializers import CreatedDeckRow
from vocab.merging import Merge, StoredDeck, last_of_each, merge_cards, refuse_ids, similar_terms, without_ids
from vocab.models import Card, Deck
from vocab.serializers import CardEntryFields, CardFields

DECKS = Limit(most=100, what="decks", full="You have reached the limit of {most} decks. Delete one first.")


def create_vocab_deck(
    access: Access,
    *,
    name: str,
    cards: list[CardEntryFields],
    course_id: UUID | None = None,
    include_cards: bool = True,
    if_exists: str = "create",
) -> tuple[CreatedDeckRow, bool]:
    """Create a deck with these due cards. Return it, with its cards if `include_cards`, and whether it is new.

    With `if_exists` "merge", the cards are merged into the oldest deck with this name, if any. Names are compared
    trimmed and case-folded. The deck keeps its name and course, and the answer counts the merged cards.

    Raises:
        ValidationFailed: `course_id` is not a course of the member, or an entry names a card that cannot be changed.
        Conflict: the member has the maximum number of decks, or the deck would have too many cards.
    """
    with writing(access.member.id, "create_vocab_deck") as write:
        require_course(access, course_id)
        known = oldest_named(write, [name]).get(name) if if_exists == "merge" else None
        if known is not None:
            deck_id, merge = known.id, merge_cards(write, known, cards)
        else:
            refuse_ids(cards, "Is not a card of this deck." if if_exists == "merge" else "Needs if_exists merge.")
            require_named(course_id)
            require_room(write, 1)
            new = without_ids(cards)
            deck_id, made = make_deck(write, name, course_id, last_of_each(new) if if_exists == "merge" else new)
            merge = Merge({"added": len(made), "updated": 0, "unchanged": 0}, similar_terms({}, made))
        [deck] = list_vocab_decks(access, deck_id=deck_id, include_cards=include_cards)
        created = cast("CreatedDeckRow", deck)
        if if_exists == "merge":
            created["merged"], created["similar"] = merge
        return created, known is None


def require_room(write: Write, new: int) -> None:
    """Check the maximum number of decks, under the lock of `write`.

    Raises:
        Conflict: with `new` more, there would be more than `DECKS` allows.
    """
    if new:
        DECKS.require_room(Deck.objects.filter(member_id=write.member_id), new)


def make_deck(write: Write, name: str, course_id: UUID | None, cards: Sequence[CardFields]) -> tuple[UUID, list[Card]]:
    """Create a deck inside `write`, after `require_room`. Return its id and its cards."""
    require_named(course_id)
    fields = {"name": name, "course_id": course_id}
    deck = Deck(member_id=write.member_id, created_at=write.now, updated_at=write.now, **fields)
    insert_later([deck])
    write.made(Deck, deck.id, name, fields)
    return deck.id, add_cards(write, deck.id, cards)


def oldest_named(write: Write, names: Iterable[str]) -> dict[str, StoredDeck]:
    """The member's oldest deck with each name, trimmed and case-folded. One query, under the lock of `write`."""
    decks = (
        Deck.objects.filter(member_id=write.member_id)
        .order_by("created_at", "id")
        .values_list("id", "name", "course_id")
    )
    oldest: dict[str, StoredDeck] = {}
    for deck in decks:
        oldest.setdefault(_folded(deck[1]), StoredDeck(*deck))
    return {name: oldest[_folded(name)] for name in names if _folded(name) in oldest}


def set_course(write: Write, deck: StoredDeck, course_id: UUID | None) -> None:
    """Set the course of a deck after a merge; None keeps the current one."""
    if course_id is not None and (
        different := write.differing(Deck, deck.id, deck.name, deck._asdict(), {"course_id": course_id})
    ):
        update_later(Deck.objects.filter(member_id=write.member_id, id=deck.id), **different, updated_at=write.now)


def _folded(name: str) -> str:
    return name.strip().casefold()
