"""Creating decks, and merging cards into an existing deck: new terms are added, known cards keep their schedule."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, cast
from uuid import UUID

from studyservice.operations.errors import Detail, ValidationFailed
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, change
from studyservice.rows.rows import Row
from vocab.card_changes import add_cards, require_room_for_cards
from vocab.deck_serializers import CreatedDeckRow, MergedRow, SimilarRow
from vocab.decks import list_vocab_decks, require_course, require_named
from vocab.models import Card, Deck
from vocab.serializers import CardChangesBody, CardEntryFields, CardFields

DECKS = Maximum(most=100, what="decks", full="You have reached the limit of {most} decks. Delete one first.")

MOST_SIMILAR = 20
"""Maximum number of similar terms in one answer."""

_ACCENTS = range(0x0300, 0x0370)
"""The combining marks of Latin, Greek and Cyrillic letters."""

_Texts = dict[str, object]
"""The writable fields of a card, including `suspended`."""


class Merge(NamedTuple):
    """The outcome: the numbers of distinct entries, and similar terms."""

    merged: MergedRow
    similar: list[SimilarRow]


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
            told = "Is not a card of this deck." if if_exists == "merge" else "Needs if_exists merge."
            if details := [_wrong_id(index, told) for index, entry in enumerate(cards) if entry.get("card_id")]:
                raise ValidationFailed(details)
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


def _folded(name: str) -> str:
    return name.strip().casefold()


def merge_cards(access: Access, deck: Row, entries: Sequence[CardEntryFields]) -> Merge:
    """Apply all entries with a `card_id` first, then match the others by term and add new ones.

    Terms are compared exactly. If several cards have a term but none has the definition, the first in the deck gets it.
    Of two entries with the same term, the last counts.

    Raises:
        ValidationFailed: a `card_id` is not in the deck or is repeated, or a changed term would equal that of another
            card.
        Conflict: the deck would have too many cards.
    """
    cards = Card.rows.of(access)
    rows = cards.all("position", *CardChangesBody.Meta.fields, deck_id=deck["id"])
    rows.sort(key=itemgetter("position", "id"))
    stored: dict[UUID, _Texts] = {row["id"]: {name: row[name] for name in CardChangesBody.Meta.fields} for row in rows}
    texts = _with_named(stored, entries)
    by_term: dict[object, list[UUID]] = {}
    for card_id, fields in texts.items():
        by_term.setdefault(fields["term"], []).append(card_id)
    _require_new_terms(stored, texts, by_term, entries)
    named = [entry["card_id"] for entry in entries if entry.get("card_id")]
    updated = sum(texts[card_id] != stored[card_id] for card_id in named if card_id is not None)
    new: list[CardFields] = []
    unchanged = len(named) - updated
    for card in last_of_each(without_ids(entries)):
        same = by_term.get(card["term"])
        if same is None:
            new.append(card)
        elif any(texts[card_id]["definition"] == card["definition"] for card_id in same):
            unchanged += 1
        else:
            texts[same[0]] = texts[same[0]] | {"definition": card["definition"]}
            updated += 1
    changed = [(row, texts[row["id"]]) for row in rows if texts[row["id"]] != stored[row["id"]]]
    added: list[Row] = []
    if new or changed:
        if new:
            require_room_for_cards(len(rows), len(new))
        access.open_write.about(Deck, deck["id"], deck["name"], deck["course_id"])
        cards.update_each(changed)
        after = rows[-1]["position"] if rows else 0
        added = add_cards(access, deck["id"], deck["course_id"], new, after=after)
        Deck.rows.of(access).touch(deck["id"])
    terms = {card_id: str(fields["term"]) for card_id, fields in texts.items()}
    return Merge({"added": len(added), "updated": updated, "unchanged": unchanged}, similar_terms(terms, added))


def _with_named(stored: Mapping[UUID, _Texts], entries: Sequence[CardEntryFields]) -> dict[UUID, _Texts]:
    """The texts of all cards after applying the entries with a `card_id`."""
    texts = dict(stored)
    named: set[UUID] = set()
    details: list[Detail] = []
    for index, entry in enumerate(entries):
        card_id = entry.get("card_id")
        if card_id is None:
            continue
        if card_id not in stored:
            details.append(_wrong_id(index, "Is not a card of this deck. list_vocab_decks lists them."))
        elif card_id in named:
            details.append(_wrong_id(index, "Is in the list already."))
        else:
            named.add(card_id)
            sent = {name: value for name, value in entry.items() if name != "card_id"}
            texts[card_id] = texts[card_id] | sent
    if details:
        raise ValidationFailed(details)
    return texts


def _require_new_terms(
    stored: Mapping[UUID, _Texts],
    texts: Mapping[UUID, _Texts],
    by_term: Mapping[object, list[UUID]],
    entries: Sequence[CardEntryFields],
) -> None:
    """Reject a changed term that another card of the deck has after applying all entries with a `card_id`."""
    details: list[Detail] = []
    for index, entry in enumerate(entries):
        card_id = entry.get("card_id")
        if card_id is None or texts[card_id]["term"] == stored[card_id]["term"]:
            continue
        if len(by_term[texts[card_id]["term"]]) > 1:
            details.append({"field": f"cards[{index}].term", "message": "Another card of this deck has this term."})
    if details:
        raise ValidationFailed(details)


def _wrong_id(index: int, message: str) -> Detail:
    return {"field": f"cards[{index}].card_id", "message": message}


def without_ids(entries: Iterable[CardEntryFields]) -> list[CardFields]:
    """The entries without a `card_id`, which have every field of a card."""
    plain = [entry for entry in entries if not entry.get("card_id")]
    return [cast("CardFields", {name: value for name, value in one.items() if name != "card_id"}) for one in plain]


def last_of_each(cards: Iterable[CardFields]) -> list[CardFields]:
    """One card for each term, at its first position, with its last definition."""
    return list({card["term"]: card for card in cards}.values())


def similar_terms(stored: Mapping[UUID, str], added: Iterable[Row]) -> list[SimilarRow]:
    """The added terms that differ from an earlier one only in case, accents, white space or a final period.

    Args:
        stored: the terms of the deck by position; of several similar ones, the first is reported.
    """
    first: dict[str, tuple[UUID, str]] = {}
    for card_id, term in stored.items():
        first.setdefault(_resembling(term), (card_id, term))
    similar: list[SimilarRow] = []
    for card in added:
        card_id, term = card["id"], card["term"]
        existing_id, existing = first.setdefault(_resembling(term), (card_id, term))
        if existing_id != card_id:
            similar.append({"term": term, "card_id": card_id, "existing": existing, "existing_card_id": existing_id})
    return similar[:MOST_SIMILAR]


def _resembling(term: str) -> str:
    letters = unicodedata.normalize("NFD", term.casefold())
    plain = "".join(letter for letter in letters if ord(letter) not in _ACCENTS and not letter.isspace())
    return plain.removesuffix(".")
