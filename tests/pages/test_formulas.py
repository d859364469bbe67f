"""Formulas of cards on the study page: which text is one, and what comes out of it."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "pages call tested operations")]

X = "<math><mi>x</mi></math>"


def shown(browser: Client, owner: RestEntryPoint, definition: str) -> str:
    """The definition as the study page shows it."""
    cards = [{"term": "Term", "definition": definition}]
    deck = owner.made("create_vocab_deck", name="Formulas", cards=cards)
    page = browser.get(f"/decks/{deck['id']}/study").content.decode()
    found = re.search(r'<p class="definition" tabindex="-1">(.*?)</p>', page, re.DOTALL)
    assert found
    return found[1]


@each(
    ("text", "html"),
    [
        ("Let $x$ be", f"Let {X} be"),
        ("$x$-axis and ($x$)", f"{X}-axis and ({X})"),
        ("$x<y$ & <b>", "<math><mi>x</mi><mo>&lt;</mo><mi>y</mi></math> &amp; &lt;b&gt;"),
        ("so\n$$ x $$\nhence", 'so<math display="block"><mi>x</mi></math>hence'),
        (r"$\frac{1}{x}$", "<math><mfrac><mn>1</mn><mi>x</mi></mfrac></math>"),
        (r"$\widetilde{x}$", '<math><mover accent="true"><mi>x</mi><mo stretchy="true">~</mo></mover></math>'),
        (
            r"$\ldots$",
            '<math><mo lspace="0">.</mo><mo lspace="0" rspace="0.1667em">.</mo><mo lspace="0" rspace="0">.</mo></math>',
        ),
        (r"\$5 for $x$ or \$6", f"$5 for {X} or $6"),
        ("$x$$x$", X + X),
        (r"\$$x$", f"${X}"),
        (r"$x\$$", "<math><mi>x</mi><mi>$</mi></math>"),
        (r"$\text{<b>}$", "<math><mtext>&lt;b&gt;</mtext></math>"),
        (
            r"$[...]$",
            '<math><mo stretchy="false">[</mo><mi>.</mi><mi>.</mi><mi>.</mi><mo stretchy="false">]</mo></math>',
        ),
    ],
)
def test_a_formula_is_mathml(browser: Client, owner: RestEntryPoint, text: str, html: str) -> None:
    assert shown(browser, owner, text) == html


@each(
    "text",
    [
        "$5 and $10",
        "$ x$ and $x $",
        "$x$2 and $$x$$2",
        "$x and y",
        "$$ $$ and $$",
        r"$\unknown{x}$",
        r"$\frac{1}$ and $\frac{1}{2",
        r"$x & y$",
        r"$\def\a{x}\a$",
        r"$\let\a\sqrt \a{x}$",
        r"$\newcommand\a{\a\a}\a$",
        "$" + "{" * 1900 + "$",
        "$" + r"\sqrt" * 295 + "x$",
        "$" + r"\sqrt{" * 250 + "}" * 250 + "$",
    ],
)
def test_other_text_stays_as_it_is(browser: Client, owner: RestEntryPoint, text: str) -> None:
    assert shown(browser, owner, text) == text.replace("&", "&amp;")


ELEMENT = re.compile(r"<(/?)([a-z]+)((?: [a-z]+=\"[a-z0-9. -]*\")*)>")
FORBIDDEN = re.compile(r" (?:href|class|id|style|on[a-z]+|src|mathcolor|mathbackground)=")


@each(
    "latex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\url{https://example.org}",
        r"\class{danger}{x}",
        r"\style{color: red}{x}",
        r"\htmlId{main}{x}",
        r"\color{red}{x}",
        r"\textcolor{#f00}{x}",
        r"\begin{align}x\label{main}\end{align}",
        r"\eqref{main}",
        r"\text{\textbf{x}\emph{<script>}}",
        r"\cancel{x}",
        r"\begin{array}{l|c}x&y\\\hline z&w\end{array}",
        r"\hspace{9999em}x",
        r"\text{</math><img src=x onerror=alert(1)>}",
    ],
)
def test_no_link_class_id_or_style_comes_out(browser: Client, owner: RestEntryPoint, latex: str) -> None:
    html = shown(browser, owner, f"$${latex}$$")
    assert not FORBIDDEN.search(re.sub(r">[^<]*<", "><", html))
    assert "9999em" not in html or html.startswith("$$")
    for tag in re.findall(r"<[^>]*>", html):
        found = ELEMENT.fullmatch(tag)
        assert found, tag
        assert found[2] == "math" or found[2].startswith("m"), tag


@each(
    "text", ["$x$" * 660, "$" + "x" * 1990 + "$", r"\$" * 1000, "$" + r"\hat" * 295 + "x$", "$$" + r"\\" * 990 + "$$"]
)
def test_the_longest_cards_are_shown(browser: Client, owner: RestEntryPoint, text: str) -> None:
    assert len(shown(browser, owner, text)) < 100_000


def test_a_term_has_formulas_too(browser: Client, owner: RestEntryPoint) -> None:
    cards = [{"term": "What is $x$?", "definition": "$x$"}]
    deck = owner.made("create_vocab_deck", name="Formulas", cards=cards)
    assert f"What is {X}?</h1>" in browser.get(f"/decks/{deck['id']}/study").content.decode()


def test_lists_forms_and_exports_keep_the_latex(browser: Client, owner: RestEntryPoint) -> None:
    cards: Any = [{"term": r"\$5 is $x$", "definition": r"$\frac{1}{2}$"}]
    deck = owner.made("create_vocab_deck", name="Formulas", cards=cards)
    card = deck_with_cards(owner, deck)["cards"][0]
    assert {name: card[name] for name in cards[0]} == cards[0]
    for path in ("", f"/cards/{card['id']}", "/export?format=tsv"):
        page = browser.get(f"/decks/{deck['id']}{path}")
        text = b"".join(page) if page.streaming else page.content
        assert r"$\frac{1}{2}$" in text.decode()
        assert r"\$5 is $x$" in text.decode()
