"""Formulas on cards: LaTeX between dollar signs, shown as MathML.

`math-core` converts it: its MathML is what browsers implement, and it refuses what it does not know. Only elements and
attributes of an allow-list leave this module, so that a shared deck cannot bring links, styles, classes or ids into a
page. A formula that cannot be converted stays as it was typed.
"""

import re
from html.parser import HTMLParser

from django.utils.html import escape
from django.utils.safestring import SafeString
from math_core import LatexError, LatexToMathML

_MARK = re.compile(
    r"\\\$"
    r"|\n?\$\$(?P<block>(?:[^$\\]|\\.)++)\$\$(?!\d)\n?"
    r"|\$\$"
    r"|\$(?!\s)(?P<inline>(?:[^$\\]|\\.)++)(?<!\s)\$(?!\d)",
    re.DOTALL,
)
"""An escaped dollar, a formula, or two dollars that begin none. A line break beside `$$` belongs to the formula."""

_MOST_CHARACTERS = 2_000
_MOST_MARKS = 300
"""Maximum number of commands, groups, exponents and indices, and so of levels. Each takes about 2 KB of the stack, and
a converter without stack ends the process."""

_MOST_OUTPUT = 50_000
"""Maximum characters of a formula's MathML."""

_FITS = 20
"""Characters of LaTeX up to which a formula fits into a card. Others may scroll, so the keyboard must reach them."""

_ELEMENT = re.compile(
    r"math|mrow|mi|mn|mo|ms|mtext|mspace|mpadded|mphantom|mstyle|menclose|msup|msub|msubsup|mover|munder|"
    r"munderover|mmultiscripts|mprescripts|none|mfrac|msqrt|mroot|mtable|mtr|mtd"
)
_ATTRIBUTE = re.compile(
    r"display|displaystyle|scriptlevel|mathvariant|accent|accentunder|stretchy|symmetric|fence|form|separator|"
    r"largeop|movablelimits|lspace|rspace|minsize|maxsize|width|height|depth|voffset|linethickness|notation"
)
_VALUE = re.compile(r"-?\d{1,2}(?:\.\d+)?(?:em)?|[a-z]+(?: [a-z]+)*")
"""Numbers, lengths that fit on a page, and words."""

_ALIGNED = re.compile(r"text-align: (left|right)")

_DEFINES = re.compile(r"\\(?:g?def|let|global|(?:new|renew|provide)command)(?![A-Za-z])")
"""Definitions. What they expand to has no bound that is known before."""

_converter = LatexToMathML(fancy_error=False, allow_unreliable_rendering=True)


def with_formulas(text: str) -> SafeString:
    r"""The text as HTML, with its formulas as MathML and `\$` as a dollar."""
    html, end = [], 0
    for mark in _MARK.finditer(text):
        html += [escape(text[end : mark.start()]), _shown(mark)]
        end = mark.end()
    return SafeString("".join([*html, escape(text[end:])]))  # nosec B703  # each part is escaped, or of the allow-list


def _shown(mark: re.Match[str]) -> str:
    latex = mark["block"] or mark["inline"]
    if latex is None:
        return mark[0].removeprefix("\\")
    return _mathml(latex, is_block=mark["block"] is not None) or escape(mark[0])


def _mathml(latex: str, *, is_block: bool) -> str:
    """The formula as HTML; empty if it is empty, invalid or too much, or has unknown commands or definitions."""
    is_bounded = len(latex) <= _MOST_CHARACTERS and sum(map(latex.count, "\\{^_")) <= _MOST_MARKS
    if not latex.strip() or not is_bounded or _DEFINES.search(latex):
        return ""
    try:
        converted = _converter.convert_with_local_state(latex, displaystyle=is_block)
    except LatexError:
        return ""
    if len(converted) > _MOST_OUTPUT:
        return ""
    cleaner = _Cleaner()
    cleaner.feed(converted)
    cleaner.close()
    html = "".join(cleaner.html)
    return html.replace("<math", '<math tabindex="0"', 1) if len(latex) > _FITS else html


class _Cleaner(HTMLParser):
    """Keeps allowed elements and attributes, and the text of all elements.

    Attributes:
        html: the result, in parts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.html: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add an allowed element. The alignment of a cell, which is a style there, becomes an attribute."""
        if not _ELEMENT.fullmatch(tag):
            return
        kept = [(name, value) for name, value in attrs if _ATTRIBUTE.fullmatch(name) and _VALUE.fullmatch(value or "")]
        aligned = _ALIGNED.match(dict(attrs).get("style") or "")
        if aligned and tag == "mtd":
            kept.append(("columnalign", aligned[1]))
        self.html.append("".join([f"<{tag}", *(f' {name}="{value}"' for name, value in kept), ">"]))

    def handle_endtag(self, tag: str) -> None:
        """Close an allowed element."""
        if _ELEMENT.fullmatch(tag):
            self.html.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Add text."""
        self.html.append(escape(data))
