"""Anki notes in plain text: import_vocab_decks reads them, and export_vocab_deck writes them."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.anki_packages import Anki
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, sent_deck

pytestmark = [pytest.mark.database("sqlite", "reads files"), pytest.mark.django_db, pytest.mark.rest]

TEXTS = [
    ("Nucleus", "Holds the DNA."),
    ("#comment?", 'a "quoted" word'),
    ("tab\there", "one\ntwo\r\n\r\nthree  four"),
    ("=1+1", "'=1"),
    ("<b>bold?</b> &amp;", "{{c1::no gap}}"),
    ("{{c1::no gap}}", "[sound:none.mp3]"),
    ("細胞", "🧬"),
]
"""Texts that a reader might misinterpret."""


@pytest.fixture
def anki(tmp_path: Path) -> Any:
    """An empty collection."""
    with closing(Anki(tmp_path)) as opened:
        yield opened


def imported(owner: RestEntryPoint, content: str | bytes, filename: str = "Notes.txt", **query: str) -> Any:
    data = content.encode() if isinstance(content, str) else content
    return sent_deck(owner, data, filename, **query)


def cards(owner: RestEntryPoint, response: Any) -> dict[str, list[tuple[str, str]]]:
    """The texts by deck name."""
    assert response.status_code == 201, response.content
    return {
        deck["name"]: [(card["term"], card["definition"]) for card in deck_with_cards(owner, deck)["cards"]]
        for deck in response.json()["decks"]
    }


@pytest.mark.parametrize("html", [True, False], ids=["html", "text"])
@pytest.mark.parametrize("columns", [True, False], ids=["all columns", "decks alone"])
def test_anki_exports_are_imported(owner: RestEntryPoint, anki: Anki, html: bool, columns: bool) -> None:
    anki.add("Biology::Cells", [("#Nucleus", "<b>Holds</b> the &lt;DNA&gt;"), ('a "q"', "x\ty")])
    anki.add("Words", [("{{c1::Haus}} und {{c2::Hof}}", "")], kind="Cloze")
    assert cards(owner, imported(owner, anki.notes(html=html, columns=columns))) == {
        "Biology::Cells": [("#Nucleus", "Holds the <DNA>"), ('a "q"', "x\ty")],
        "Words": [("[...] und Hof", "Haus"), ("Haus und [...]", "Hof")],
    }


@each(
    "content",
    [
        "#separator:Semicolon\n#html:false\na;b\n",
        "#separator:|\r\n#columns:Front|Back\r\na|b\r\n",
        "#separator:tab\n#columns:Notes\tBack\tFront\nx\tb\ta\n",
        "#html:true\n<i>a</i>,b\n",
        "#separator:tab\n#tags column:1\n#if matches:keep both\nx\ta\tb\n",
        "\ufeff#separator:comma\n# a remark\na,b\n#another remark\n",
        "#deck:Notes\n#notetype:Basic\na\tb\n",
    ],
)
def test_the_header_is_applied(owner: RestEntryPoint, content: str) -> None:
    assert cards(owner, imported(owner, content)) == {"Notes": [("a", "b")]}


def test_decks_are_named_by_their_column_or_the_file(owner: RestEntryPoint) -> None:
    content = "#separator:comma\n#deck column:3\na,b,Cells\nc,d,\ne,f,Cells\n"
    assert cards(owner, imported(owner, content)) == {"Cells": [("a", "b"), ("e", "f")], "Notes": [("c", "d")]}


def test_a_cloze_note_may_have_one_column(owner: RestEntryPoint) -> None:
    content = "#separator:;\n#html:true\n#notetype:Cloze\n{{c1::TCP}} is a protocol\n"
    assert cards(owner, imported(owner, content)) == {"Notes": [("[...] is a protocol", "TCP")]}


def test_notes_without_a_card_are_counted(owner: RestEntryPoint) -> None:
    response = imported(owner, f"#separator:comma\na,b\nc\n,d\n{'x' * 201},e\n")
    assert (response.json()["cards"], response.json()["skipped"]) == (1, 3)
    assert imported(owner, "#separator:comma\na\n").status_code == 422


def test_wrong_quotation_marks_are_reported_with_their_row(owner: RestEntryPoint) -> None:
    [detail] = imported(owner, '#separator:comma\n#html:false\na,b\nc,"d\n').json()["error"]["details"]
    assert (detail["field"], detail["message"].split(":")[0]) == ("file", "Row 4")


def exported(owner: RestEntryPoint, texts: list[tuple[str, str]], name: str = "Organelles") -> Any:
    texts_as_cards = [{"term": term, "definition": definition} for term, definition in texts]
    deck = owner.made("create_vocab_deck", name=name, cards=texts_as_cards)
    return owner.request("GET", f"/v1/vocab-decks/{deck['id']}/export", query={"format": "anki"})


def test_the_export_has_the_header_that_anki_reads(owner: RestEntryPoint) -> None:
    response = exported(owner, TEXTS[:2])
    assert (response.status_code, response.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert response.headers["Content-Disposition"] == 'attachment; filename="Organelles.txt"'
    assert response.content.decode() == (
        "#separator:tab\n#html:false\n#notetype:Basic\n#columns:Front\tBack\tDeck\n#deck column:3\n"
        '"Nucleus"\t"Holds the DNA."\t"Organelles"\n'
        '"#comment?"\t"a ""quoted"" word"\t"Organelles"\n'
    )


def test_an_export_is_imported_as_the_same_cards(owner: RestEntryPoint) -> None:
    content = exported(owner, TEXTS, name="A::B\tC").content
    assert cards(owner, imported(owner, content)) == {"A::B\tC": TEXTS}


def test_anki_reads_the_export(owner: RestEntryPoint, anki: Anki) -> None:
    anki.read_notes(exported(owner, TEXTS[:5]).content)
    found = sorted(tuple(anki.collection.get_note(id_).fields) for id_ in anki.collection.find_notes("deck:Organelles"))
    assert found == sorted(
        [
            ("Nucleus", "Holds the DNA."),
            ("#comment?", "a &quot;quoted&quot; word"),
            ("tab\there", "one<br>two<br><br>three  four"),
            ("=1+1", "&#x27;=1"),
            ("&lt;b&gt;bold?&lt;/b&gt; &amp;amp;", "{{c1::no gap}}"),
        ]
    )


def test_tables_keep_their_format(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Nucleus")
    for format_ in ("csv", "tsv"):
        assert owner.made("export_vocab_deck", deck_id=deck["id"], format=format_).startswith(b"\xef\xbb\xbfterm")
