"""export_vocab_deck: GET /v1/vocab-decks/{deck_id}/export."""

import csv
import io
from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed, sent_deck

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

TEXTS = [
    ("Nucleus", "Holds the DNA."),
    ('The "core", they say', "a,b;c\td"),
    ("Steps", "one\ntwo\r\nthree"),
    ("=1+1", "+1"),
    ("-5", "@SUM(A1)"),
    ("'=1", "''-x"),
    ("'tis", "\uff1d1"),
    ("細胞", "🧬"),
    ("term", "definition"),
    ("'+1", "'-1"),
    ("'@a", "'''=b"),
    ("''plain", '"'),
    ("a\tb\r\nc", '"\t"\n"'),
    ("tab\x0bline\x0cpage", "x\x1bcontrol\x7f\x85\u2028y"),
]
"""Texts that a table might misinterpret."""


def deck_of(entry_point: RestEntryPoint, texts: list[tuple[str, str]], name: str = "Organelles") -> Any:
    cards = [{"term": term, "definition": definition} for term, definition in texts]
    return entry_point.made("create_vocab_deck", name=name, cards=cards)


def export(entry_point: RestEntryPoint, deck: Any, **query: str) -> Any:
    return entry_point.request("GET", f"/v1/vocab-decks/{deck['id']}/export", query=query)


def test_it_returns_a_file_to_save(owner: RestEntryPoint) -> None:
    response = export(owner, deck_of(owner, TEXTS[:2], name="Cells / “A”"))
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    disposition = response.headers["Content-Disposition"]
    assert disposition == "attachment; filename*=utf-8''Cells%20/%20%E2%80%9CA%E2%80%9D.csv"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.content.decode() == (
        "\ufeffterm,definition\r\n"
        "Nucleus,Holds the DNA.\r\n"
        '"The ""core"", they say","a,b;c\td"\r\n'
    )  # fmt: skip


def test_tsv_separates_columns_by_tabs(owner: RestEntryPoint) -> None:
    response = export(owner, deck_of(owner, TEXTS[:1]), format="tsv")
    assert response.headers["Content-Type"] == "text/tab-separated-values; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="Organelles.tsv"'
    assert response.content.decode() == "\ufeffterm\tdefinition\r\nNucleus\tHolds the DNA.\r\n"


@each("format_", ["csv", "tsv", "anki"])
def test_it_is_imported_as_the_same_cards(owner: RestEntryPoint, format_: str) -> None:
    content = export(owner, deck_of(owner, TEXTS), format=format_).content
    [deck] = sent_deck(owner, content, "Copy").json()["decks"]
    assert [(card["term"], card["definition"]) for card in deck_with_cards(owner, deck)["cards"]] == TEXTS


def cells(content: bytes, separator: str) -> list[tuple[str, ...]]:
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=separator)
    return [tuple(row) for row in rows]


def test_no_csv_cell_is_a_formula(owner: RestEntryPoint) -> None:
    rows = cells(export(owner, deck_of(owner, TEXTS)).content, ",")
    assert len(rows) == len(TEXTS) + 1
    assert [cell for row in rows for cell in row if cell[0] in "=+-@\uff1d\uff0b\uff0d\uff20"] == []


def test_every_tsv_cell_is_the_unchanged_text(owner: RestEntryPoint) -> None:
    assert cells(export(owner, deck_of(owner, TEXTS), format="tsv").content, "\t") == [("term", "definition"), *TEXTS]


def test_cards_are_in_the_order_they_were_added(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Nucleus", "Ribosome")
    reviewed(owner, deck["cards"][0], "easy")
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=[{"term": "Vacuole", "definition": "Stores."}])
    terms = [line.split(",")[0] for line in export(owner, deck).content.decode().splitlines()]
    assert terms[1:] == ["Nucleus", "Ribosome", "Vacuole"]
