"""Importing flashcards from a file, on the page."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Member
from studyservice.rates.limiter import Rate, hit
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.samples import UNKNOWN_ID
from tests.support.uploads import multipart

pytestmark = [
    pytest.mark.database("sqlite", "pages call tested operations"),
    pytest.mark.rest,
    pytest.mark.django_db,
]

TABLE = b"term,definition\nmitosis,division\nosmosis,diffusion of water\n"


def send(browser: Client, content: bytes = TABLE, filename: str = "Organelles.csv", **fields: Any) -> Any:
    return browser.post("/decks/import", {"file": SimpleUploadedFile(filename, content), **fields})


def decks(owner: RestEntryPoint) -> list[tuple[str, Any, int]]:
    return [(deck["name"], deck["course_name"], deck["card_count"]) for deck in owner.made("list_vocab_decks")["data"]]


def test_a_table_becomes_a_deck_named_after_its_file(browser: Client, owner: RestEntryPoint) -> None:
    page = send(browser)
    assert page.status_code == 200
    assert "2 cards imported" in page.content.decode()
    assert decks(owner) == [("Organelles", None, 2)]
    [change] = owner.made("list_changes", limit=1)["data"]
    assert (change["operation"], change["by"]["kind"]) == ("import_vocab_decks", "page")


def test_unreadable_characters_are_reported(browser: Client) -> None:
    words = "1 character could not be read. Search the deck for � to fix it."
    assert words in send(browser, "Käfer,beetle ".encode() + b"\xff\n").content.decode()
    assert "could not be read" not in send(browser).content.decode()


def test_name_course_or_an_existing_deck_can_be_chosen(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    send(browser, name="Cells", course_id=course["id"])
    send(browser, b"term,definition\nmeiosis,halving\n", name="Cells", merge="on")
    assert decks(owner) == [("Cells", "Cell Biology", 3)]


def test_a_deck_and_a_course_lead_to_their_own_import(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    cards = [{"term": "nucleus", "definition": "a part of a cell"}]
    deck = owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=cards)
    link = f"/decks/import?deck={deck['id']}"
    assert browser.get(f"/decks/{deck['id']}").content.decode().count(f'href="{link}"') == 1
    form = form_with("merge", browser.get(link).content.decode())
    assert (form["name"], form["course_id"], form["merge"]) == (["Cells"], [course["id"]], ["on"])
    browser.post("/decks/import", form | {"text": [TABLE.decode()]})
    assert decks(owner) == [("Cells", "Cell Biology", 3)]
    link = f"/decks/import?course={course['id']}"
    assert f'href="{link}"' in browser.get(f"/courses/{course['id']}").content.decode()
    form = form_with("name", browser.get(link).content.decode())
    assert (form["name"], form["course_id"], "merge" in form) == ([""], [course["id"]], False)


def test_a_deck_that_is_not_the_members_fills_nothing_in(browser: Client, stranger: RestEntryPoint) -> None:
    cards = [{"term": "nucleus", "definition": "a part of a cell"}]
    theirs = stranger.made("create_vocab_deck", name="Latin", cards=cards)
    for id_ in (theirs["id"], UNKNOWN_ID, "x"):
        form = form_with("name", browser.get(f"/decks/import?deck={id_}").content.decode())
        assert (form["name"], "merge" in form) == ([""], False)


@each(
    "pasted",
    [
        "mitosis\tdivision\r\nosmosis\tdiffusion, of water",
        "mitosis;division\nosmosis;diffusion, of water\n",
        "term\tdefinition\nmitosis\tdivision\n\nosmosis\tdiffusion, of water",
        '"mitosis",division\nosmosis,"diffusion, of water"',
    ],
)
def test_rows_can_be_pasted(*, browser: Client, owner: RestEntryPoint, pasted: str) -> None:
    page = browser.post("/decks/import", {"text": pasted, "name": "Cells"})
    assert "2 cards imported" in page.content.decode()
    [deck] = owner.made("list_vocab_decks")["data"]
    found = owner.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"][0]["cards"]
    assert {(card["term"], card["definition"]) for card in found} == {
        ("mitosis", "division"),
        ("osmosis", "diffusion, of water"),
    }


@each(
    ("sent", "words"),
    [
        ({"text": " \n", "name": "Cells"}, "Choose a file, or paste rows."),
        ({"text": "mitosis\tdivision"}, "Enter a name for the deck."),
        ({"text": "mitosis\tdivision\n\tdiffusion", "name": "Cells"}, "Row 2: the term is empty."),
        ({"text": "x" * 500_001, "name": "Cells"}, "Use at most 500000 characters."),
    ],
)
def test_invalid_pasted_rows_are_kept(
    *, browser: Client, owner: RestEntryPoint, sent: dict[str, str], words: str
) -> None:
    page = browser.post("/decks/import", sent)
    text = page.content.decode()
    assert page.status_code == 422
    assert words in text
    assert "Choose the file again" not in text
    assert form_with("text", text)["text"] == [sent["text"]]
    assert decks(owner) == []


def test_a_file_counts_more_than_pasted_rows(browser: Client, owner: RestEntryPoint) -> None:
    send(browser, text="meiosis\thalving")
    assert decks(owner) == [("Organelles", None, 2)]


def test_existing_decks_are_listed(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    assert "Your decks" not in browser.get("/decks/import").content.decode()
    cards = [{"term": term, "definition": "a part of a cell"} for term in ("nucleus", "ribosome")]
    owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=cards)
    page = browser.get("/decks/import").content.decode()
    assert f'Cells</strong> <span class="hint">2 cards, 2 due · <a href="/courses/{course["id"]}">Cell Biology<' in page


def test_invalid_rows_are_named_and_the_input_is_kept(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    page = send(browser, b"term,definition\nmitosis,\n", name="Cells", merge="on")
    assert page.status_code == 422
    text = page.content.decode()
    assert "Row 2: the definition is empty." in text
    form = form_with("merge", text)
    assert (form["name"], form["merge"]) == (["Cells"], ["on"])
    assert decks(owner) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [({}, "Choose a file, or paste rows."), ({"course_id": "0"}, "Choose one of your courses, or none.")],
)
def test_missing_input_is_reported(browser: Client, fields: dict[str, str], words: str) -> None:
    page = browser.post("/decks/import", fields)
    assert page.status_code == 422
    assert words in page.content.decode()


def test_a_strangers_course_is_rejected(browser: Client, stranger: RestEntryPoint) -> None:
    theirs = stranger.made("create_course", name="Botany")
    page = send(browser, course_id=theirs["id"])
    assert page.status_code == 422
    assert "Botany" not in page.content.decode()


def test_an_unreadable_table_is_reported(browser: Client) -> None:
    page = send(browser, b"PK\x03\x04nonsense", "a.apkg")
    assert page.status_code == 400
    assert "The file cannot be read." in page.content.decode()


def test_uploads_on_the_page_and_over_the_api_share_one_limit(
    browser: Client, owner: RestEntryPoint, owner_member: Member
) -> None:
    hit(Rate.DECK_IMPORTS, str(owner_member.id), 58)
    send(browser)
    path, form = "/v1/vocab-decks/import", "multipart/form-data; boundary=BoUnDaRyStRiNg"
    assert owner.client.post(path, multipart(TABLE), content_type=form).status_code == 201
    refused = owner.client.post(path, multipart(TABLE), content_type=form)
    assert (refused.status_code, refused.json()["error"]["type"]) == (429, "rate_limited")
    page = send(browser)
    assert page.status_code == 429
    assert "You have sent many files." in page.content.decode()
    assert int(page.headers["Retry-After"]) > 3000
