"""import_vocab_decks: every text of a table is read whole, whatever separates it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.properties import examples
from tests.support.vocabulary import deck_with_cards, sent_deck

pytestmark = [pytest.mark.database("sqlite", "reads files"), pytest.mark.django_db, pytest.mark.rest]

Cards = list[tuple[str, str]]


def imported(owner: RestEntryPoint, content: str | bytes, **query: str) -> Cards:
    response = sent_deck(owner, content.encode() if isinstance(content, str) else content, **query)
    assert response.status_code == 201, response.content
    [deck] = response.json()["decks"]
    return [(card["term"], card["definition"]) for card in deck_with_cards(owner, deck)["cards"]]


def refused(owner: RestEntryPoint, content: str, **query: str) -> list[str]:
    response = sent_deck(owner, content.encode(), **query)
    assert response.status_code == 422, response.content
    return [detail["message"] for detail in response.json()["error"]["details"]]


OSMOSIS = [("osmosis", "water moving, through a membrane"), ("ATP", "energy")]
PRINTED = [("osmosis", "water, moving"), ("ATP", "energy; stored")]
"""Texts with separators of other tables."""


@each(
    ("content", "cards"),
    [
        ("term,definition\nosmosis,water moving, through a membrane\nATP,energy\n", OSMOSIS),
        ("osmosis,water moving, through a membrane\nATP,energy\n", OSMOSIS),
        ("osmosis,water moving, through a membrane\n", OSMOSIS[:1]),
        ('Term,Definition\nosmosis,"water moving, through a membrane"\nATP,energy,,\n', OSMOSIS),
        ("front;back\na;b; c;d\n", [("a", "b; c;d")]),
        ("a\tb\tc\nd\te\tf\n", [("a", "b\tc"), ("d", "e\tf")]),
        ('a,"b, c",d\n', [("a", "b, c,d")]),
        ('"a","b","c"\n', [("a", "b,c")]),
        ('"a, b",c, d\n', [("a, b", "c, d")]),
    ],
)
def test_in_two_columns_everything_after_the_first_separator_is_the_definition(
    owner: RestEntryPoint, content: str, cards: Cards
) -> None:
    assert imported(owner, content) == cards


@each("content", ["Wort,Bedeutung\na,b, c\n", "Wort\na,b, c\n"])
def test_a_header_in_any_language_may_name_two_columns(owner: RestEntryPoint, content: str) -> None:
    assert imported(owner, content, header="yes") == [("a", "b, c")]


@each(
    ("content", "header", "wrong"),
    [
        ("term,definition,notes\na,b,n\nc,d, e, f\n", "auto",
         "Row 3: has 4 columns, and the header 3. Put quotation marks around a text with a comma in it."),
        ("Wort;Bedeutung;N\na;b;c;d\n", "yes",
         "Row 2: has 4 columns, and the header 3. Put quotation marks around a text with a semicolon in it."),
        ("term\tdefinition\tnotes\na\tb\tc\td\n", "auto",
         "Row 2: has 4 columns, and the header 3. Put quotation marks around a text with a tab in it."),
        ("definition,term\nwater moving, through,osmosis\n", "auto",
         "Row 2: has 3 columns, and the header 2. Put quotation marks around a text with a comma in it."),
        ("notes,term,definition\n,osmosis,water moving, through\n", "auto",
         "Row 2: has 4 columns, and the header 3. Put quotation marks around a text with a comma in it."),
        ("term,notes,definition\na,b\n", "auto", "Row 2: has no second column. A row is a term and its definition."),
    ],
)  # fmt: skip
def test_a_row_that_is_longer_than_its_header_is_named(
    owner: RestEntryPoint, content: str, header: str, wrong: str
) -> None:
    assert refused(owner, content, header=header) == [wrong]
    assert owner.made("list_vocab_decks")["data"] == []


@each(
    "content",
    [
        "term,definition,notes\na,b,n\nc,d\n",
        "term,definition,notes\na,b,n,\nc,d,,,\n",
        "notes,definition,term\nn,b,a\n,d,c\n",
        'term,definition,notes\na,b,"n, m"\nc,d,\n',
    ],
)
def test_columns_beside_the_two_are_ignored(owner: RestEntryPoint, content: str) -> None:
    assert imported(owner, content) == [("a", "b"), ("c", "d")]


QUIZLET = [
    "osmosis{0}water, moving\nATP{0}energy; stored\n",
    "\nosmosis{0}water, moving\n\nATP{0}energy; stored",
]


@each("content", QUIZLET)
@each("separator", ["\t", " - ", " \u2013 ", " \u2014 ", "|", " = ", "=", ": ", "-", "---", "/////", "::", "->"])
def test_quizlet_exports_by_line_are_read(owner: RestEntryPoint, content: str, separator: str) -> None:
    assert imported(owner, content.format(separator)) == PRINTED


@each(
    ("content", "cards"),
    [
        ("osmosis,water moving, through a membrane;ATP,energy", OSMOSIS),
        ("osmosis,water moving, through a membrane;ATP,energy;", OSMOSIS),
        ("osmosis\twater moving, through a membrane;ATP\tenergy;\n", OSMOSIS),
        ("osmosis - water moving, through a membrane;ATP - energy", OSMOSIS),
        ("osmosis,water moving, through a membrane;\nATP,energy;\n", OSMOSIS),
        ("a\tone\ntwo;b\tthree;", [("a", "one\ntwo"), ("b", "three")]),
        ("a - one\ntwo\n\nb - three\n", [("a", "one\ntwo"), ("b", "three")]),
        ("a\tone\r\ntwo\r\n\r\nb\tthree", [("a", "one\ntwo"), ("b", "three")]),
    ],
)
def test_quizlet_exports_with_other_row_ends_are_read(owner: RestEntryPoint, content: str, cards: Cards) -> None:
    assert imported(owner, content) == [(term, definition.replace("\n", end(content))) for term, definition in cards]


def end(content: str) -> str:
    return "\r\n" if "\r\n" in content else "\n"


@each(
    ("content", "cards"),
    [
        ('quote,"To be" is the question\n', [("quote", '"To be" is the question')]),
        ('quote,"To be", he said, "or not"\n', [("quote", '"To be", he said, "or not"')]),
        ('quote\t"To be" or not\nact\t"never ends\n', [("quote", '"To be" or not'), ("act", '"never ends')]),
        ('quote - "To be"\n', [("quote", '"To be"')]),
        ('foot\t5\' 4"\ninch\t"\n', [("foot", "5' 4\""), ("inch", '"')]),
        ('"Yes" and "no",answers\n', [('"Yes" and "no"', "answers")]),
        ('a;"b" c;"d"\n', [("a", '"b" c;"d"')]),
        ('quote,"To be"\n', [("quote", "To be")]),
        ('quote,"He said ""yes"", then left" \n', [("quote", 'He said "yes", then left')]),
    ],
)
def test_a_text_may_begin_with_a_quotation_mark(owner: RestEntryPoint, content: str, cards: Cards) -> None:
    assert imported(owner, content) == cards


@each(
    ("content", "cards"),
    [
        (
            "der Hund, die Hunde;dog\ndie Uhr, die Uhren;clock\n",
            [("der Hund, die Hunde", "dog"), ("die Uhr, die Uhren", "clock")],
        ),
        ("well-being,Wohl - so\nself-love,Liebe - so\n", [("well-being", "Wohl - so"), ("self-love", "Liebe - so")]),
        ("a,b; c, d\n", [("a", "b; c, d")]),
        ("a,b;\nc,d; e\n", [("a", "b;"), ("c", "d; e")]),
        ('"x,y";z\n"a,b";c\n', [("x,y", "z"), ("a,b", "c")]),
    ],
)
def test_separators_within_texts_are_text(owner: RestEntryPoint, content: str, cards: Cards) -> None:
    assert imported(owner, content) == cards


def test_wrong_bytes_are_replaced_and_counted(owner: RestEntryPoint) -> None:
    response = sent_deck(owner, "\ufeffÜbung,a ".encode() + b"\xff\n" + "\ufeffÖl,\xf6l".encode() + b" \xf0\x9f\n")
    answer = response.json()
    assert (answer["cards"], answer["skipped"], answer["unreadable_characters"]) == (2, 0, 2)
    cards = deck_with_cards(owner, answer["decks"][0])["cards"]
    assert [(card["term"], card["definition"]) for card in cards] == [("Übung", "a �"), ("Öl", "öl �")]


@each("content", ["Käfer,beetle\n".encode("cp1252"), "Käfer,beetle\n".encode("utf-8-sig")])
def test_files_in_one_encoding_have_no_unreadable_characters(owner: RestEntryPoint, content: bytes) -> None:
    assert sent_deck(owner, content).json()["unreadable_characters"] == 0


TEXTS = st.text(st.sampled_from("ab \"',;\t\n\r-=+@|:.\u00fc#<"), min_size=1, max_size=12).map(str.strip).filter(bool)


@examples(120)
@given(cards=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30))
def test_exports_are_imported_unchanged(owner: RestEntryPoint, cards: Cards) -> None:
    rates.clear()
    entries = [{"term": term, "definition": definition} for term, definition in cards]
    deck: Any = owner.made("create_vocab_deck", name="Words", cards=entries)
    for format_ in ("csv", "tsv", "anki"):
        content = owner.made("export_vocab_deck", deck_id=deck["id"], format=format_)
        response = sent_deck(owner, content)
        [back] = response.json()["decks"]
        found = [(card["term"], card["definition"]) for card in deck_with_cards(owner, back)["cards"]]
        assert (format_, found) == (format_, cards)
        owner.made("delete_vocab_deck", deck_id=back["id"])
    owner.made("delete_vocab_deck", deck_id=deck["id"])
