"""import_vocab_decks with packages written by Anki's own library."""

import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.support.anki_packages import Anki
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, reviewed

pytestmark = [pytest.mark.database("sqlite", "reads files"), pytest.mark.django_db, pytest.mark.rest]

DAY = timedelta(days=1)


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Anki]:
    """An empty collection."""
    opened = Anki(tmp_path)
    yield opened
    opened.close()


def imported(owner: RestEntryPoint, package: bytes, **query: str) -> Any:
    form = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("Export.apkg", package)})
    return owner.request("POST", "/v1/vocab-decks/import", query=query, data=form, content_type=MULTIPART_CONTENT)


def repacked(package: bytes, *left_out: str, **replaced: bytes) -> bytes:
    """The package without members of these endings, and with others replaced."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            if name not in left_out:
                new.writestr(name, replaced.get(name.rpartition(".")[2], old.read(name)))
    return buffer.getvalue()


def members(package: bytes) -> set[str]:
    with zipfile.ZipFile(io.BytesIO(package)) as opened:
        return set(opened.namelist())


@pytest.mark.parametrize("legacy", [False, True], ids=["anki21b", "anki21"])
def test_each_deck_with_notes_becomes_a_deck(owner: RestEntryPoint, anki: Anki, legacy: bool) -> None:
    anki.add("Biology::Cells", [("Nucleus", "Holds the DNA."), ("Ribosome", "Makes proteins.")])
    anki.add("Words", [("Haus", "house")])
    package = anki.package(legacy=legacy)
    assert ("collection.anki21" if legacy else "collection.anki21b") in members(package)
    response = imported(owner, package, name="Ignored")
    assert response.status_code == 201
    answer = response.json()
    assert [(deck["name"], deck["card_count"]) for deck in answer["decks"]] == [("Biology::Cells", 2), ("Words", 1)]
    assert (answer["cards"], answer["skipped"], answer["media_left_out"]) == (3, 0, 0)
    cells = deck_with_cards(owner, answer["decks"][0])["cards"]
    assert [(card["term"], card["state"], card["reps"]) for card in cells] == [
        ("Nucleus", "new", 0),
        ("Ribosome", "new", 0),
    ]


@pytest.mark.parametrize("legacy", [False, True], ids=["anki21b", "anki21"])
def test_the_fsrs_schedule_is_kept(owner: RestEntryPoint, anki: Anki, legacy: bool) -> None:
    anki.add("Cells", [("Easy", "x"), ("Again", "x"), ("New", "x")])
    anki.answer("Cells", "easy", "again")
    easy, again, _ = anki.cards()
    [deck] = imported(owner, anki.package(legacy=legacy)).json()["decks"]
    found = {card["term"]: card for card in deck_with_cards(owner, deck)["cards"]}
    assert [found[term]["state"] for term in ("Easy", "Again", "New")] == ["review", "learning", "new"]
    for term, theirs in (("Easy", easy), ("Again", again)):
        assert found[term]["stability"] == pytest.approx(theirs.memory_state.stability, rel=1e-3)
        assert found[term]["difficulty"] == pytest.approx(theirs.memory_state.difficulty, rel=1e-3)
        assert (found[term]["reps"], found[term]["lapses"]) == (1, 0)
    now = datetime.now(UTC)
    due = {term: datetime.fromisoformat(card["due_at"]) for term, card in found.items()}
    assert abs(due["Easy"] - (now + easy.ivl * DAY)) <= DAY
    assert abs(due["Again"] - datetime.fromtimestamp(again.due, UTC)) <= timedelta(seconds=1)
    assert abs(datetime.fromisoformat(found["Easy"]["last_reviewed_at"]) - now) <= DAY
    assert reviewed(owner, found["Easy"], "good")["reps"] == 2


@pytest.mark.parametrize("legacy", [False, True], ids=["anki21b", "anki21"])
def test_suspended_cards_stay_suspended(owner: RestEntryPoint, anki: Anki, legacy: bool) -> None:
    """Counts equal Anki's, and cards to review are ordered by its due days."""
    terms = ("Third", "First", "Second", "Asleep", "Buried", "New", "Unwanted")
    anki.add("Cells", [(term, "x") for term in terms])
    anki.answer("Cells", *["easy"] * 4)
    for days, term in enumerate(("First", "Second", "Third", "Asleep"), start=1):
        anki.put_off(term, days)
    anki.suspend("Asleep", "Unwanted")
    anki.bury("Buried")
    theirs = {state: len(anki.collection.find_cards(f"is:{state} -is:suspended")) for state in ("review", "new")}
    with time_machine.travel(datetime.now(UTC) + 10 * DAY, tick=False):
        [deck] = imported(owner, anki.package(legacy=legacy)).json()["decks"]
        assert (deck["card_count"], deck["due_count"] - deck["new_count"], deck["new_count"]) == (7, *theirs.values())
        asked = deck_with_cards(owner, deck, due_only=True)["cards"]
        assert [card["term"] for card in asked] == ["First", "Second", "Third", "Buried", "New"]
        found = deck_with_cards(owner, deck)["cards"]
    assert {card["term"] for card in found if card["suspended"]} == {"Asleep", "Unwanted"}
    assert {card["term"]: card["state"] for card in found}["Asleep"] == "review"


@pytest.mark.parametrize("legacy", [False, True], ids=["anki21b", "anki21"])
def test_html_becomes_text_and_media_is_omitted(owner: RestEntryPoint, anki: Anki, legacy: bool) -> None:
    anki.add_media("cell.png", b"picture")
    anki.add(
        "Cells",
        [
            ("<b>A</b> &amp; B [sound:a.mp3]", 'one<br>two <img src="cell.png"><div>three</div>'),
            ('<img src="cell.png">', "A picture alone makes no term."),
            ("No definition", ""),
            ("x" * 201, "Too long a term."),
        ],
    )
    answer = imported(owner, anki.package(legacy=legacy)).json()
    [card] = deck_with_cards(owner, answer["decks"][0])["cards"]
    assert (card["term"], card["definition"]) == ("A & B", "one\ntwo\nthree")
    assert (answer["cards"], answer["skipped"], answer["media_left_out"]) == (1, 3, 1)


def test_a_note_becomes_one_card(owner: RestEntryPoint, anki: Anki) -> None:
    anki.add("Cells", [("Nucleus", "Core")], kind="Basic (and reversed card)")
    assert len(anki.cards()) == 2
    answer = imported(owner, anki.package(), name="One deck").json()
    assert [(deck["name"], deck["card_count"]) for deck in answer["decks"]] == [("One deck", 1)]


def test_the_dummy_collection_of_a_newer_package_is_never_read(owner: RestEntryPoint, anki: Anki) -> None:
    anki.add("Cells", [("Nucleus", "Core")])
    for legacy, present in ((False, "collection.anki21b"), (True, "collection.anki21")):
        response = imported(owner, repacked(anki.package(legacy=legacy), present))
        assert response.json()["error"]["type"] == "invalid_request"
    assert owner.made("list_vocab_decks")["data"] == []


def test_a_package_without_notes_has_no_cards(owner: RestEntryPoint, anki: Anki) -> None:
    assert imported(owner, anki.package()).json()["error"]["type"] == "validation_failed"


def test_broken_packages_are_rejected(owner: RestEntryPoint, anki: Anki) -> None:
    anki.add("Cells", [("Nucleus", "Core")])
    package = anki.package()
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    no_zstd = repacked(package, anki21b=b"\x28\xb5\x2f\xfd junk")
    no_database = repacked(anki.package(legacy=True), anki21=bytes(4096))
    for broken in (package[: len(package) // 2], empty.getvalue(), no_zstd, no_database):
        assert imported(owner, broken).json()["error"]["type"] == "invalid_request"
    assert owner.made("list_vocab_decks")["data"] == []


def test_5_000_notes_in_11_decks(owner: RestEntryPoint, anki: Anki) -> None:
    for part in range(2):
        anki.add(f"Part {part}", [(f"Term {part} {n}", f"<b>Definition</b> {n}") for n in range(2_500)])
    anki.add("Last", [("Term", "Definition")])
    answer = imported(owner, anki.package()).json()
    assert (len(answer["decks"]), answer["cards"], answer["skipped"]) == (11, 5_001, 0)
    assert sum(deck["card_count"] for deck in owner.made("list_vocab_decks")["data"]) == 5_001
