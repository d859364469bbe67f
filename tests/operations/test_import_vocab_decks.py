"""import_vocab_decks: POST /v1/vocab-decks/import, tables."""

from collections.abc import Callable
from typing import Any
from unittest.mock import ANY

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import DeckFactory, stored
from tests.support.samples import UNKNOWN_ID
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed
from tests.support.world import fields_of

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]
about_files = pytest.mark.database("sqlite", "reads files")

PATH = "/v1/vocab-decks/import"
Send = Callable[..., Any]


@pytest.fixture
def send(owner: RestEntryPoint) -> Send:
    """Sends a file, and returns the response."""

    def post(content: str | bytes, filename: str = "Organelles.csv", **query: str) -> Any:
        data = content.encode() if isinstance(content, str) else content
        form = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile(filename, data)})
        return owner.request("POST", PATH, query=query, data=form, content_type=MULTIPART_CONTENT)

    return post


def texts(owner: RestEntryPoint, deck: Any) -> list[tuple[str, str]]:
    return [(card["term"], card["definition"]) for card in deck_with_cards(owner, deck)["cards"]]


def messages(response: Any) -> list[str]:
    return [detail["message"] for detail in response.json()["error"]["details"]]


@pytest.mark.usefixtures("started_readings")
def test_it_creates_a_deck_named_after_its_file(owner: RestEntryPoint, send: Send) -> None:
    response = send('term,definition\r\nNucleus,Holds the DNA.\r\n\r\nRibosome,"Reads RNA,\nmakes proteins."\r\n')
    assert response.status_code == 201
    [deck] = owner.made("list_vocab_decks")["data"]
    counts = {"cards": 2, "skipped": 0, "media_left_out": 0, "unreadable_characters": 0}
    assert response.json() == {"decks": [deck]} | counts
    assert (deck["name"], deck["course_id"], deck["card_count"], deck["due_count"]) == ("Organelles", None, 2, 2)
    assert texts(owner, deck) == [("Nucleus", "Holds the DNA."), ("Ribosome", "Reads RNA,\nmakes proteins.")]


@pytest.mark.database("both")
def test_decks_of_one_import_are_listed_in_file_order(owner: RestEntryPoint, send: Send) -> None:
    made = send("".join(f"Term {number},x\n" for number in range(3001)), filename="German 1.csv").json()["decks"]
    names = ["German 1", *(f"German 1 ({number})" for number in range(2, 8))]
    assert [deck["name"] for deck in made] == names
    assert [deck["name"] for deck in owner.made("list_vocab_decks")["data"]] == names


@about_files
@each(
    "content",
    [
        "a,b\nc,d\n",
        "a\tb\nc\td",
        "a;b\r\nc;d\r\n",
        "a,b,\nc,d,,\n",
        "term,definition,notes\na,b,extra\nc,d\n",
        "a;b, with commas\nc;d\n".replace("b, with commas", "b"),
        "Front\tBack\na\tb\nc\td\n",
        "Answer;Notes;Question\nb;x;a\nd;y;c\n",
        '"a","b"\n"c","d"',
        "\ufeffTERM,DEFINITION\na,b\nc,d\n",
    ],
)
def test_separator_and_header_are_detected(owner: RestEntryPoint, send: Send, content: str) -> None:
    [deck] = send(content).json()["decks"]
    assert texts(owner, deck) == [("a", "b"), ("c", "d")]


@about_files
@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_detected(owner: RestEntryPoint, send: Send, encoding: str) -> None:
    [deck] = send("Käfer\tbeetle\nÖl\toil\n".encode(encoding)).json()["decks"]
    assert texts(owner, deck) == [("Käfer", "beetle"), ("Öl", "oil")]


def test_an_exported_deck_is_imported_unchanged(owner: RestEntryPoint, send: Send) -> None:
    cards = [
        {"term": "=1+1", "definition": '"quoted", and\n-5'},
        {"term": "term", "definition": "definition"},
        {"term": "'=x", "definition": "a\tb"},
    ]
    deck = owner.made("create_vocab_deck", name="Words", cards=cards)
    for format_ in ("csv", "tsv"):
        content = owner.made("export_vocab_deck", deck_id=deck["id"], format=format_)
        [back] = send(content, f"Words.{format_}").json()["decks"]
        assert (back["name"], texts(owner, back)) == ("Words", texts(owner, deck))


def test_name_and_course_can_be_set(owner: RestEntryPoint, course: Any, send: Send) -> None:
    [deck] = send("a,b\n", name=" Cells ", course_id=course["id"]).json()["decks"]
    assert (deck["name"], deck["course_name"]) == ("Cells", "Cell Biology")


def test_over_500_rows_are_split_into_decks(owner: RestEntryPoint, send: Send) -> None:
    response = send("".join(f"Term {n},x\n" for n in range(1001)))
    assert [(deck["name"], deck["card_count"]) for deck in response.json()["decks"]] == [
        ("Organelles", 500),
        ("Organelles (2)", 500),
        ("Organelles (3)", 1),
    ]
    assert response.json()["cards"] == 1001


def test_merging_creates_no_deck_twice(owner: RestEntryPoint, send: Send) -> None:
    deck = made_deck(owner, "Nucleus", "Ribosome")
    known = reviewed(owner, deck["cards"][0], "easy")
    response = send("Nucleus,Core.\nVacuole,Stores.\n", "organelles.csv", if_exists="merge")
    assert (response.status_code, response.json()["decks"][0]["id"]) == (200, deck["id"])
    assert known | {"definition": "Core."} in deck_with_cards(owner, deck)["cards"]
    again = send("Nucleus,Core.\nVacuole,Stores.\n", if_exists="merge")
    assert (again.status_code, again.json()["decks"][0]["card_count"]) == (200, 3)
    assert send("Alga,Green.\n", "Plants.csv", if_exists="merge").status_code == 201


@each(
    ("content", "wrong"),
    [
        ("a,b\nc\n", ["Row 2: has no second column. A row is a term and its definition."]),
        ("term,definition\na,\n,b\n", ["Row 2: the definition is empty.", "Row 3: the term is empty."]),
        (f"a,b\n{'x' * 201},b\na,{'x' * 2001}\n",
         ["Row 2: the term has more than 200 characters.", "Row 3: the definition has more than 2000 characters."]),
        ('a,b\n"c,d\n', [ANY]),
        ("just one column\nand another\n", [ANY, ANY]),
        ("term,definition\n", ["Has no cards: a term and a definition in each row, or in each note."]),
    ],
)  # fmt: skip
def test_invalid_rows_are_named_and_nothing_is_written(
    owner: RestEntryPoint, send: Send, content: str, wrong: list[str]
) -> None:
    response = send(content)
    assert set(fields_of(response)) == {"file"}
    assert messages(response) == wrong
    assert owner.made("list_vocab_decks")["data"] == []


def test_a_broken_row_is_numbered(send: Send) -> None:
    [message] = messages(send('a,b\nc,"d\n'))
    assert message.startswith("Row 2: the quotation marks are wrong")


@about_files
@each("content", [b"\x00\x01\x02", b"PK\x03\x04broken", b"%PDF-1.7\n\x00"])
def test_other_files_are_rejected(owner: RestEntryPoint, send: Send, content: bytes) -> None:
    response = send(content)
    assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request")
    assert owner.made("list_vocab_decks")["data"] == []


@about_files
def test_over_10_mib_is_rejected(send: Send) -> None:
    assert send(b"a" * (10 * 1024 * 1024 + 1)).status_code == 400


def test_over_100_decks_are_a_conflict_before_anything_is_written(
    owner: RestEntryPoint, owner_member: Any, send: Send
) -> None:
    stored(DeckFactory, 99, member=owner_member)
    response = send("".join(f"Term {n},x\n" for n in range(501)))
    assert response.json()["error"]["type"] == "conflict"
    assert len(owner.made("list_vocab_decks")["data"]) == 99
    assert send("a,b\n").status_code == 201


def test_merging_over_500_cards_is_a_conflict_and_changes_nothing(owner: RestEntryPoint, send: Send) -> None:
    deck = made_deck(owner, *(f"Old {n}" for n in range(400)))
    response = send("".join(f"New {n},x\n" for n in range(101)), if_exists="merge")
    assert response.json()["error"]["type"] == "conflict"
    assert deck_with_cards(owner, deck) == deck


@each(
    ("query", "wrong"),
    [({"course_id": UNKNOWN_ID}, "course_id"), ({"if_exists": "skip"}, "if_exists"), ({"name": "x" * 121}, "name")],
)
def test_invalid_parameter_values_are_rejected(
    owner: RestEntryPoint, send: Send, query: dict[str, str], wrong: str
) -> None:
    assert fields_of(send("a,b\n", **query)) == [wrong]
    assert owner.made("list_vocab_decks")["data"] == []


def test_exactly_one_file_is_required(owner: RestEntryPoint) -> None:
    form = encode_multipart(BOUNDARY, {"other": "x"})
    assert fields_of(owner.request("POST", PATH, data=form, content_type=MULTIPART_CONTENT)) == ["file"]


def test_it_adds_one_change(owner: RestEntryPoint, send: Send) -> None:
    send("".join(f"Term {n},x\n" for n in range(501)))
    [row] = owner.made("list_changes")["data"]
    assert (row["operation"], row["object"]["name"], row["undoable"]) == ("import_vocab_decks", "Organelles", True)
    assert (row["before"], row["after"]) == (None, {"name": "Organelles", "course_id": None, "cards": 501, "decks": 1})


@pytest.fixture
def send_form(owner: RestEntryPoint) -> Send:
    """Sends a file with further form fields, and returns the response."""

    def post(content: str, query: dict[str, str] | None = None, **fields: str) -> Any:
        file = SimpleUploadedFile("Organelles.csv", content.encode())
        form = encode_multipart(BOUNDARY, fields | {"file": file})
        return owner.request("POST", PATH, query=query or {}, data=form, content_type=MULTIPART_CONTENT)

    return post


def test_its_parameters_can_be_form_fields(owner: RestEntryPoint, course: Any, send_form: Send) -> None:
    sent = send_form("a,b\n", name="Cells", course_id=course["id"])
    [deck] = sent.json()["decks"]
    assert (deck["name"], deck["course_id"]) == ("Cells", course["id"])
    merged = send_form("a,c\n", name=" cells ", if_exists="merge")
    assert (merged.status_code, [one["id"] for one in merged.json()["decks"]]) == (200, [deck["id"]])


def test_equal_values_in_query_and_form_are_accepted_and_different_ones_rejected(
    owner: RestEntryPoint, send_form: Send
) -> None:
    assert send_form("a,b\n", {"name": "Cells"}, name="Cells").status_code == 201
    refused = send_form("a,b\n", {"name": "Cells", "header": "no"}, name="Genes", header="yes")
    assert (refused.status_code, fields_of(refused)) == (422, ["name", "header"])
    assert len(owner.made("list_vocab_decks")["data"]) == 1


def test_an_invalid_form_parameter_is_named(send_form: Send) -> None:
    refused = send_form("a,b\n", if_exists="replace", course_id="none")
    assert (refused.status_code, sorted(fields_of(refused))) == (422, ["course_id", "if_exists"])


@about_files
@each(
    ("content", "header", "cards"),
    [
        ("Wort,Bedeutung\na,b\n", "yes", [("a", "b")]),
        ("Wort,Bedeutung\na,b\n", "auto", [("Wort", "Bedeutung"), ("a", "b")]),
        ("Front,Back\na,b\n", "no", [("Front", "Back"), ("a", "b")]),
        ("Back,Front\nb,a\n", "yes", [("a", "b")]),
        ("Back,Front\nb,a\n", "auto", [("a", "b")]),
    ],
)
def test_header_sets_whether_the_first_row_is_a_heading(
    owner: RestEntryPoint, send: Send, content: str, header: str, cards: list[tuple[str, str]]
) -> None:
    [deck] = send(content, header=header).json()["decks"]
    assert texts(owner, deck) == cards


def test_merging_with_a_course_sets_it(owner: RestEntryPoint, course: Any, send: Send) -> None:
    [deck] = send("a,b\n").json()["decks"]
    [merged] = send("a,b\n", if_exists="merge", course_id=course["id"]).json()["decks"]
    assert (merged["id"], merged["course_id"]) == (deck["id"], course["id"])
    [kept] = send("a,b\nc,d\n", if_exists="merge").json()["decks"]
    assert kept["course_id"] == course["id"]
