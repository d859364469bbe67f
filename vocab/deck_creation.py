"""Creating decks, and merging cards into an existing deck with the same name."""

from collections.abc import Iterable, Sequence
from typing import cast
from uuid import UUID

from accounts.members.data import Maximum
from accounts.rows.access import Access, change
from accounts.rows.rows import Row
from vocab.card_changes import add_cards
from vocab.deck_serializers import CreatedDeckRow
from vocab.decks import list_vocab_decks, require_course, require_named
from vocab.merging import Merge, last_of_each, merge_cards, refuse_ids, similar_terms, without_ids
from vocab.models import Deck
from vocab.serializers import CardEntryFields, CardFields

DECKS = Maximum(most=100, what="decks", full="You have reached the limit of {most} decks. Delete one first.")


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
    with change(access, "create_vocab_deck"):
        require_course(access, course_id)
        known = oldest_named(access, [name]).get(name) if if_exists == "merge" else None
        if known is not None:
            deck_id, merge = known["id"], merge_cards(access, known, cards)
        else:
            refuse_ids(cards, "Is not a card of this deck." if if_exists == "merge" else "Needs if_exists merge.")
            require_named(access, course_id)
            require_room(access, 1)
            new = without_ids(cards)
            deck_id, made = make_deck(access, name, course_id, last_of_each(new) if if_exists == "merge" else new)
            merge = Merge({"added": len(made), "updated": 0, "unchanged": 0}, similar_terms({}, made))
        [deck] = list_vocab_decks(access, deck_id=deck_id, include_cards=include_cards)
        created = cast("CreatedDeckRow", deck)
        if if_exists == "merge":
            created["merged"], created["similar"] = merge
        return created, known is None


def require_room(access: Access, new: int) -> None:
    """Check the maximum number of decks.

    Raises:
        Conflict: with `new` more, there would be more than `DECKS` allows.
    """
    if new:
        DECKS.require(Deck.rows.of(access.whole).count(), new)


def make_deck(access: Access, name: str, course_id: UUID | None, cards: Sequence[CardFields]) -> tuple[UUID, list[Row]]:
    """Create a deck after `require_room`. Return its id and its cards."""
    require_named(access, course_id)
    [deck] = Deck.rows.of(access).insert({"name": name, "course_id": course_id})
    return deck["id"], add_cards(access, deck["id"], course_id, cards)


def oldest_named(access: Access, names: Iterable[str]) -> dict[str, Row]:
    """The oldest deck with each name, trimmed and case-folded: id, name and course. One query."""
    decks = Deck.rows.of(access).all("name", "created_at")
    oldest: dict[str, Row] = {}
    for deck in sorted(decks, key=lambda deck: (deck["created_at"], deck["id"])):
        oldest.setdefault(_folded(deck["name"]), deck)
    return {name: oldest[_folded(name)] for name in names if _folded(name) in oldest}


def set_course(access: Access, deck: Row, course_id: UUID | None) -> None:
    """Set the course of a deck after a merge; None keeps the current one."""
    if course_id is not None:
        Deck.rows.of(access).update(deck, {"course_id": course_id})


def _folded(name: str) -> str:
    return name.strip().casefold()
