"""Read cards from CSV and TSV: RFC 4180, any usual separator, with or without a header.

In CSV, a text that begins like a formula has an apostrophe before it (`vocab.exporting`), which is removed. In TSV,
texts are unchanged.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice

from vocab.reading.found import (
    MAX_CARDS,
    MAX_DEFINITION,
    MAX_TERM,
    MAX_TOLD,
    FoundCard,
    FoundDeck,
    TooManyError,
    WrongRowsError,
)

TERMS = frozenset({"term", "front", "question", "word", "prompt", "expression"})
"""Headers of the column of terms, in lower case."""

DEFINITIONS = frozenset({"definition", "back", "answer", "meaning", "translation", "explanation"})
"""Headers of the column of definitions, in lower case."""

_TAB = "\t"
_SEPARATORS = (_TAB, ",", ";")
_LOOKED_AT = 50
"""Number of rows for detecting the separator."""

ESCAPED_FORMULA = re.compile("'+[=+@\uff1d\uff0b\uff0d\uff20-]")
"""The beginning of a text with an apostrophe that prevents spreadsheets from calculating it (OWASP, CSV injection)."""


def read_table(content: str, header: str = "auto") -> FoundDeck:
    """The cards of a table, in order, without empty rows.

    Args:
        content: of the file.
        header: whether the first row is a heading: `yes`, `no`, or `auto`, which decides by its words. A heading also
            determines the columns, by default the first two.

    Raises:
        WrongRowsError: rows are broken, lack a column, or have a text that is too long.
        TooManyError: there are more than `MAX_CARDS`.
    """
    separator = likely_separator(content)
    rows = rows_of(content, separator)
    text_of = str if separator == _TAB else _unescaped
    cards: list[FoundCard] = []
    wrong: list[str] = []
    term_at, definition_at = 0, 1
    try:
        for place, (number, row) in enumerate(rows):
            columns = columns_of(row) if place == 0 and header != "no" else None
            if columns is not None or (place == 0 and header == "yes"):
                term_at, definition_at = columns or (term_at, definition_at)
                continue
            found = _card(row, term_at, definition_at, text_of)
            if isinstance(found, str):
                wrong.append(f"Row {number}: {found}")
                if len(wrong) > MAX_TOLD:
                    break
            elif len(cards) == MAX_CARDS:
                raise TooManyError
            else:
                cards.append(found)
    except BrokenRowError as broken:
        wrong.append(f"Row {broken.number}: {broken}")
    if wrong:
        raise WrongRowsError(wrong)
    return {"name": None, "cards": cards}


class BrokenRowError(Exception):
    """The end of a row cannot be determined.

    Attributes:
        number: of the row, from 1.
    """

    def __init__(self, number: int, why: str) -> None:
        self.number = number
        super().__init__(why)


def rows_of(content: str, separator: str, *, comment: str = "") -> Iterator[tuple[int, list[str]]]:
    """The non-empty rows with their numbers, from 1. A quoted text with line breaks is part of one row.

    Args:
        comment: the beginning of comment lines, which are numbered but skipped.

    Raises:
        BrokenRowError: the quotation marks are wrong.
    """
    number = 0
    is_between_rows = True

    def lines() -> Iterator[str]:
        nonlocal number, is_between_rows
        for line in io.StringIO(content, newline=""):
            if is_between_rows:
                number += 1
                if comment and line.startswith(comment):
                    continue
            is_between_rows = False
            yield line

    reader = csv.reader(lines(), delimiter=separator, strict=True)
    while True:
        is_between_rows = True
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            raise BrokenRowError(number, f"the quotation marks are wrong ({fault}).") from fault
        if any(cell.strip() for cell in row):
            yield number, row


def likely_separator(content: str, *, comment: str = "") -> str:
    """The separator with a known header, else with equal rows, else with the most rows."""
    return max(_SEPARATORS, key=lambda separator: _likelihood(content, separator, comment))


def _likelihood(content: str, separator: str, comment: str) -> tuple[bool, bool, int]:
    """The sort key for `max`, which takes the first of equal ones. Rows after a broken one do not count."""
    rows: list[list[str]] = []
    with suppress(BrokenRowError):
        rows.extend(row for _, row in islice(rows_of(content, separator, comment=comment), _LOOKED_AT))
    lengths = [len(row) for row in rows]
    alike = len(set(lengths)) == 1 and lengths[0] > 1
    return bool(rows) and columns_of(rows[0]) is not None, alike, sum(length > 1 for length in lengths)


def columns_of(row: list[str]) -> tuple[int, int] | None:
    """The columns of terms and definitions in a header. None if the row is not a header."""
    words = [cell.strip().casefold() for cell in row]
    term_at = next((place for place, word in enumerate(words) if word in TERMS), None)
    definition_at = next((place for place, word in enumerate(words) if word in DEFINITIONS), None)
    return None if term_at is None or definition_at is None else (term_at, definition_at)


def _card(row: list[str], term_at: int, definition_at: int, text_of: Callable[[str], str]) -> FoundCard | str:
    """The card of a row, or its error."""
    if len(row) <= max(term_at, definition_at):
        return "has no second column. A row is a term and its definition."
    term, definition = (text_of(row[place].strip()) for place in (term_at, definition_at))
    for what, text, most in (("term", term, MAX_TERM), ("definition", definition, MAX_DEFINITION)):
        if not text:
            return f"the {what} is empty."
        if len(text) > most:
            return f"the {what} has more than {most} characters."
    return {"term": term, "definition": definition}


def _unescaped(text: str) -> str:
    return text[1:] if ESCAPED_FORMULA.match(text) else text
