"""Changes that an older release stored in another form can be undone."""

import json
import zlib
from typing import Any

import pytest

from studyservice.models import Change
from tests.operations.test_undo_change import newest, undo, undone
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.database("both")]


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    """A deck whose creation tells the number of its cards instead of the cards."""
    deck = made_deck(owner, "Nucleus", "Pore")
    after = {"name": deck["name"], "course_id": None, "cards": 2}
    contents = json.dumps({"before": None, "after": after}).encode()
    Change.objects.update(contents=contents, taken=None, undoable=True)
    return deck


def test_a_deck_is_deleted_with_cards_that_are_only_counted(owner: RestEntryPoint, deck: Any) -> None:
    undone(owner)
    assert owner.made("list_vocab_decks")["data"] == []


def test_a_deck_with_more_cards_than_counted_stays(owner: RestEntryPoint, deck: Any) -> None:
    change = newest(owner)
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=[{"term": "ATP", "definition": "Energy"}])
    before = deck_with_cards(owner, deck)
    assert undo(owner, change).error == "conflict"
    assert deck_with_cards(owner, deck) == before


def test_a_deck_with_a_reviewed_card_stays(owner: RestEntryPoint, deck: Any) -> None:
    change = newest(owner)
    reviewed(owner, deck["cards"][0], "good")
    assert undo(owner, change).error == "conflict"
    assert len(deck_with_cards(owner, deck)["cards"]) == 2


def test_references_without_their_target_are_those_to_the_deleted_object(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    owner.made("delete_course", course_id=course["id"])
    change = Change.objects.get(operation="delete_course")
    lines = [json.loads(line) for line in zlib.decompress(bytes(change.taken or b"")).splitlines()]
    for line in lines:
        if isinstance(line, dict):
            line.pop("to", None)
    change.taken = zlib.compress("\n".join(map(json.dumps, lines)).encode())
    change.save()
    undone(owner)
    assert deck_with_cards(owner, deck)["course_id"] == course["id"]


def read_by_0_6(change: Change) -> tuple[set[str], set[str]]:
    """Read a row as version 0.6 does: the kinds of further objects, and the ids that it considers deleted."""
    stored = bytes(change.contents)
    contents = json.loads(stored if stored.startswith(b"{") else zlib.decompress(stored))
    further = {type_ for type_, _id, _name, *_sides in contents.get("more", ())}
    deleted: set[str] = set()
    place = None
    for text in zlib.decompress(bytes(change.taken)).splitlines() if change.taken is not None else ():
        line = json.loads(text)
        if isinstance(line, dict):
            _, *columns = line["table"]
            place = columns.index("id") if columns else None
        elif place is not None:
            deleted.add(line[place])
    assert contents.keys() >= {"before", "after"}
    return further, deleted


def test_version_0_6_lists_new_rows_and_undoes_none(owner: RestEntryPoint, course: Any, item: Any) -> None:
    owner.made("create_milestone", item_id=item["id"], title="Outline", more=[{"title": "Draft"}])
    owner.made("update_item", item_id=item["id"], title="Final")
    owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Quiz", "weight": 40}])
    owner.made("delete_item", item_id=item["id"])
    rows = list(Change.objects.all())
    assert len(rows) == 6
    deleted = {change.operation: read_by_0_6(change)[1] for change in rows}
    assert not any(change.undoable for change in rows)
    assert item["id"] in deleted.pop("delete_item")
    assert not any(deleted.values())
