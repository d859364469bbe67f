"""import_vocab_decks with cloze notes of Anki: one card for each gap."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeMember, OpenEntryPoint
from tests.support.anki_packages import Anki
from tests.support.archives import lines_of, parts_of, zipped
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, sent_deck

pytestmark = [pytest.mark.database("sqlite", "reads files"), pytest.mark.django_db, pytest.mark.rest]

formats = pytest.mark.parametrize("legacy", [False, True], ids=["anki21b", "anki21"])


@pytest.fixture
def anki(tmp_path: Path) -> Any:
    """An empty collection."""
    with closing(Anki(tmp_path)) as opened:
        yield opened


def gaps(owner: RestEntryPoint, anki: Anki, *notes: tuple[str, ...], legacy: bool = False) -> tuple[list[Any], int]:
    """The cards of cloze notes with these fields, and the number of skipped notes."""
    anki.add("Cells", notes, kind="Cloze")
    answer = sent_deck(owner, anki.package(legacy=legacy), "Export.apkg").json()
    [deck] = answer["decks"]
    cards = deck_with_cards(owner, deck)["cards"]
    assert len(cards) == answer["cards"]
    return [(card["term"], card["definition"]) for card in cards], answer["skipped"]


@formats
def test_each_gap_is_a_card_that_shows_the_others(owner: RestEntryPoint, anki: Anki, legacy: bool) -> None:
    note = ("{{c1::Mitochondria}} make <b>{{c2::ATP}}</b> &amp; heat.", "")
    assert gaps(owner, anki, note, legacy=legacy) == (
        [("[...] make ATP & heat.", "Mitochondria"), ("Mitochondria make [...] & heat.", "ATP")],
        0,
    )


def test_gaps_with_the_same_number_are_one_card(owner: RestEntryPoint, anki: Anki) -> None:
    cards, _ = gaps(owner, anki, ("{{c2::Rome}} lies on {{c1::the Tiber}}, {{c2::Paris}} does not.", ""))
    assert cards == [
        ("Rome lies on [...], Paris does not.", "the Tiber"),
        ("[...] lies on the Tiber, [...] does not.", "Rome, Paris"),
    ]


def notes_of(owner: RestEntryPoint) -> dict[str, list[str]]:
    """The notes in the archive, each with the answers of its cards."""
    found: dict[str, list[str]] = {}
    for line in lines_of(owner.made("export_data"), "cards"):
        found.setdefault(str(line["note"]), []).append(line["definition"])
    return found


@formats
def test_the_cards_of_a_note_share_it(owner: RestEntryPoint, anki: Anki, legacy: bool) -> None:
    """API answers leave it out."""
    anki.add("Cells", [("Front", "Back")])
    gaps(owner, anki, ("{{c1::a}} {{c2::b}}", ""), ("{{c1::c}} {{c2::d}}", ""), legacy=legacy)
    assert sorted(notes_of(owner).values()) == [["Back"], ["a", "b"], ["c", "d"]]
    assert notes_of(owner)["None"] == ["Back"]
    [deck] = owner.made("list_vocab_decks")["data"]
    assert not any("note" in card for card in deck_with_cards(owner, deck)["cards"])
    logged = owner.made("list_changes", limit=1)["data"]
    assert "note" not in str(logged[0]["after"])


def test_a_note_that_grew_keeps_its_cards_together(owner: RestEntryPoint) -> None:
    header = "#separator:tab\n#notetype:Cloze\n#guid column:1\n#deck:Cells\n"
    for row in ("guid\t{{c1::a}} {{c2::b}}", "guid\t{{c1::a}} {{c2::b}} {{c3::c}}", "other\t{{c1::d}} {{c2::e}}"):
        assert sent_deck(owner, f"{header}{row}\n".encode(), "Cells.txt", if_exists="merge").status_code in {200, 201}
    assert [len(cards) for cards in notes_of(owner).values()] == [5, 2], "each text is another card"


def test_notes_survive_an_undo_and_an_archive(
    owner: RestEntryPoint, anki: Anki, make_member: MakeMember, entry_point: OpenEntryPoint
) -> None:
    gaps(owner, anki, ("{{c1::a}} {{c2::b}}", ""))
    before = notes_of(owner)
    [deck] = owner.made("list_vocab_decks")["data"]
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    [change] = owner.made("list_changes", limit=1)["data"]
    owner.made("undo_change", change_id=change["id"])
    assert notes_of(owner) == before
    archive = owner.made("export_data")
    newcomer = entry_point(make_member("new@example.org"))
    newcomer.made("import_data", file=archive)
    assert notes_of(newcomer) == before


def test_an_archive_without_notes_is_read(
    owner: RestEntryPoint, anki: Anki, make_member: MakeMember, entry_point: OpenEntryPoint
) -> None:
    gaps(owner, anki, ("{{c1::a}} {{c2::b}}", ""))
    members = parts_of(owner.made("export_data"))
    lines = [json.loads(line) for line in members["data/cards.jsonl"].splitlines()]
    older = [json.dumps({name: value for name, value in line.items() if name != "note"}) for line in lines]
    newcomer = entry_point(make_member("new@example.org"))
    newcomer.made("import_data", file=zipped(members | {"data/cards.jsonl": "\n".join([*older, ""]).encode()}))
    assert notes_of(newcomer) == {"None": ["a", "b"]}


def test_a_hint_appears_only_in_its_gap(owner: RestEntryPoint, anki: Anki) -> None:
    """As in Anki, the hint replaces the answer."""
    cards, _ = gaps(owner, anki, ("{{c1::Canberra::city}} was founded in {{c2::1913}}.", ""))
    assert cards == [("[city] was founded in 1913.", "Canberra"), ("Canberra was founded in [...].", "1913")]


def test_the_second_field_follows_the_answer(owner: RestEntryPoint, anki: Anki) -> None:
    cards, _ = gaps(owner, anki, ("The {{c1::nucleus}} holds the DNA.", "See <i>page 4</i>."))
    assert cards == [("The [...] holds the DNA.", "nucleus\nSee page 4.")]


def test_a_nested_gap_is_a_card_too(owner: RestEntryPoint, anki: Anki) -> None:
    cards, _ = gaps(owner, anki, ("{{c1::the {{c2::left}} ventricle}} pumps", ""))
    assert cards == [("[...] pumps", "the left ventricle"), ("the [...] ventricle pumps", "left")]


def test_braces_outside_of_gaps_are_kept(owner: RestEntryPoint, anki: Anki) -> None:
    cards, _ = gaps(owner, anki, ("{{c1::a}} }} {{x}} {{c2::open", ""))
    assert cards == [("[...] }} {{x}} {{c2::open", "a")]


def test_notes_without_a_card_are_counted(owner: RestEntryPoint, anki: Anki) -> None:
    """A note without a gap, a picture as the answer, two gaps in a text that is too long, and shapes over a picture."""
    cards, skipped = gaps(
        owner,
        anki,
        ("No gap", "x"),
        ('A {{c1::<img src="cell.png">}} is drawn.', "x"),
        ("{{c1::a}} {{c2::b}} " + "x" * 200, ""),
        ("{{c1::image-occlusion:rect:left=.1:top=.2}}", "x"),
        ("{{c1::Kept}} here", ""),
    )
    assert (cards, skipped) == ([("[...] here", "Kept")], 5)


@formats
def test_each_gap_keeps_its_own_schedule(owner: RestEntryPoint, anki: Anki, legacy: bool) -> None:
    anki.add("Cells", [("{{c1::One}} and {{c2::two}}", "")], kind="Cloze")
    anki.answer("Cells", "easy")
    [deck] = sent_deck(owner, anki.package(legacy=legacy), "Export.apkg").json()["decks"]
    found = {card["definition"]: card for card in deck_with_cards(owner, deck)["cards"]}
    assert [(found[gap]["state"], found[gap]["reps"]) for gap in ("One", "two")] == [("review", 1), ("new", 0)]
    [theirs] = [card for card in anki.cards() if card.ord == 0]
    due = datetime.fromisoformat(found["One"]["due_at"])
    assert abs(due - (datetime.now(UTC) + timedelta(days=theirs.ivl))) <= timedelta(days=1)
