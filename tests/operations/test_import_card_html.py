"""import_vocab_decks: the HTML of cards as text."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, sent_deck

pytestmark = [pytest.mark.database("sqlite", "reads files"), pytest.mark.django_db, pytest.mark.rest]


def definitions(owner: RestEntryPoint, *fields: str, html: str = "true") -> list[str]:
    """The definitions of Anki notes with these fields."""
    cells = ['"{}"'.format(field.replace('"', '""')) for field in fields]
    rows = "".join(f"{number}\t{cell}\n" for number, cell in enumerate(cells))
    response = sent_deck(owner, f"#separator:tab\n#html:{html}\n{rows}".encode(), "notes.txt")
    assert response.status_code == 201, response.content
    [deck] = response.json()["decks"]
    return [card["definition"] for card in deck_with_cards(owner, deck)["cards"]]


SCRIPTS = [
    ("6.022 \u00d7 10<sup>23</sup> mol<sup>-1</sup>", "6.022 \u00d7 10²³ mol⁻¹"),
    ("2<sup>10</sup> = 1024", "2¹⁰ = 1024"),
    ("SO<sub>4</sub><sup>2-</sup>", "SO₄²⁻"),
    ("10<sup>n+1</sup>", "10^(n+1)"),
    ("x<sub>i</sub> and v<sub>max</sub>", "x_i and v_(max)"),
    ("<b>10<sup><i>\u2212</i><span>3</span></sup></b>", "10⁻³"),
    ("2<sup>2<sup>n</sup></sup>, x<sub>i<sup>2</sup></sub>", "2^(2^n), x_(i²)"),
    ("f<sup>(n)</sup>, <sup>14</sup><sub>6</sub>C", "f^(n), ¹⁴₆C"),
    ("Ca<sup> 2 + </sup>ions", "Ca²⁺ ions"),
    ("<p>10<sup>2</p><p>10<sup><div>3</div></sup></p>", "10²\n\n10³"),
    ("<table><tr><td>a<sub>1<td>a<sub>2</table>", "a₁ | a₂"),
    ("A<SUP class=x>&minus;1</SUP>, 20<sup>°</sup>C, f<sup>&prime;</sup>", "A⁻¹, 20°C, f\u2032"),
    ("<pre>x<sup>2</sup>\n  y<sub>0</sub></pre>", "x²\n  y₀"),
]

RUBY = [
    ("<ruby>漢字<rt>かんじ</rt></ruby>", "漢字(かんじ)"),
    ("<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>を読む", "漢(かん)字(じ)を読む"),
    ("<ruby>漢字<rt>かんじ</ruby>", "漢字(かんじ)"),
    ("<ruby><rb>漢</rb><rb>字</rb><rt>かん</rt><rt>じ</rt></ruby>", "漢字(かんじ)"),
    ("<ruby>\n <b>東</b>\n <rt><i>とう</i></rt>\n</ruby>", "東(とう)"),
    ("<ruby>字<rt></rt></ruby>", "字"),
    ("漢字<rt>かんじ</rt>", "漢字(かんじ)"),
]

BLOCKS = [
    ("<pre>if x:<br>    y()</pre>", "if x:\n    y()"),
    ("<pre>\nif x:\n\ty()\n\n\nz()\n</pre>", "if x:\n\ty()\n\n\nz()"),
    ("<pre>    if x:\n        y()</pre>also", "if x:\n    y()\nalso"),
    ("Run:<pre><code>  a\n    b</code></pre>", "Run:\n  a\n    b"),
    ("<pre>a<br><br><br>b</pre>", "a\n\n\nb"),
    ("<div><div><p>a</p></div></div><div><div><p>b</p></div></div>", "a\n\nb"),
    ("a<div><br></div><div><br></div><div>b</div>", "a\n\nb"),
    ("<ul><li><p>a</p></li> <li><p>b</p></li></ul>", "a\n\nb"),
    ("<p>a</p> <p> </p> <p>b</p>", "a\n\nb"),
    ("a<br><br><br>b", "a\n\nb"),
]

AS_BEFORE = [
    ("21<sup>st</sup> century, 1<sup>er</sup> mai", "21st century, 1er mai"),
    ("x<sup></sup>, 5 &lt; 6 ^ 7_8", "x, 5 < 6 ^ 7_8"),
    ("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>", "漢字(かんじ)"),
    ("<ruby>漢字<rp>\uff08</rp><rt>かんじ</rt><rp>\uff09</rp></ruby>です", "漢字\uff08かんじ\uff09です"),
    ("漢字[かんじ]", "漢字[かんじ]"),
    ("a<br>b", "a\nb"),
    ("<p>a   b</p>\n  <p>c</p>", "a b\n\nc"),
    ("<table><tr><td>a</td><td>b</td></tr></table>", "a | b"),
]


@each(("field", "text"), [*SCRIPTS, *RUBY, *BLOCKS, *AS_BEFORE])
def test_html_becomes_text_with_its_meaning(owner: RestEntryPoint, field: str, text: str) -> None:
    assert definitions(owner, field) == [text]


def test_text_without_html_is_exact(owner: RestEntryPoint) -> None:
    fields = ["10<sup>2</sup>", "a\n\n\nb", "<ruby>漢字<rt>かんじ</rt></ruby>"]
    assert definitions(owner, *fields, html="false") == fields


def test_exponents_of_gaps_are_kept(owner: RestEntryPoint) -> None:
    note = "#separator:tab\n#html:true\n#notetype:Cloze\n10<sup>{{c1::23}}</sup> is {{c2::N<sub>A</sub>}}\n"
    [deck] = sent_deck(owner, note.encode(), "notes.txt").json()["decks"]
    cards = [(card["term"], card["definition"]) for card in deck_with_cards(owner, deck)["cards"]]
    assert cards == [("10^[...] is N_A", "23"), ("10²³ is [...]", "N_A")]


@each("markup", ["<sup>", "<ruby>", "<sub><sup>", "<ruby><rt>"])
def test_deeply_nested_markup_is_read(owner: RestEntryPoint, markup: str) -> None:
    [text] = definitions(owner, f"{markup * 20_000}x{markup.replace('<', '</') * 20_000}y")
    assert (text.count("x"), text[-1]) == (1, "y")


LONG_ON_BOTH_SIDES = (
    "the longest term has 300 characters (at most 200) and the longest definition has 2001 characters (at most 2000)"
)


def refused(response: Any) -> list[str]:
    assert response.status_code == 422
    return [detail["message"] for detail in response.json()["error"]["details"]]


@each(
    ("term", "definition", "words"),
    [
        ("a", "b" * 4500, "the longest definition has 4500 characters (at most 2000)"),
        ("a" * 201, "b", "the longest term has 201 characters (at most 200)"),
        (
            "a" * 300,
            f"<b>{'b' * 2001}</b>",
            LONG_ON_BOTH_SIDES,
        ),
        ("a", "b" * 1_000_001, "the longest definition has 1000001 characters (at most 2000)"),
        ("a", "<br>b" * 400_000, "the longest definition has 2000000 characters (at most 2000)"),
    ],
)
def test_notes_that_are_all_too_long_are_reported_with_the_length(
    owner: RestEntryPoint, term: str, definition: str, words: str
) -> None:
    response = sent_deck(owner, f"#separator:tab\n#html:true\n{term}\t{definition}\nc\t\n".encode(), "notes.txt")
    sentence = f"The notes are too long for cards: {words}. Shorten them in Anki, then export them again."
    assert refused(response) == [sentence]


@each("notes", ["a\t\n\tb\n", "a\t<img src=x>\n"])
def test_notes_without_text_are_not_too_long(owner: RestEntryPoint, notes: str) -> None:
    [message] = refused(sent_deck(owner, f"#separator:tab\n#html:true\n{notes}".encode(), "notes.txt"))
    assert message.startswith("Has no cards")


def test_a_long_note_among_others_is_skipped(owner: RestEntryPoint) -> None:
    response = sent_deck(owner, f"#separator:tab\na\t{'b' * 4500}\nc\td\n".encode(), "notes.txt").json()
    assert (response["cards"], response["skipped"]) == (1, 1)
