"""Notes exported from Anki as plain text: a table after header lines like `#separator:tab` with its format."""

import csv
import io
from typing import Any

from vocab.reading.found import FoundCard, NoteCards, WrongRowsError
from vocab.reading.notes import ClozeText, note_id, note_texts, text_of_html
from vocab.reading.rows import BrokenRowError, Layout, rows_of
from vocab.reading.tables import columns_of, likely_separator

_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|", "colon": ":"}
_DECK, _NOTE_TYPE = "deck", "notetype"
_SPECIAL = (f"{_DECK} column", f"{_NOTE_TYPE} column", "guid column", "tags column")
_KEYS = frozenset({"separator", "html", "columns", _DECK, _NOTE_TYPE, *_SPECIAL})
_COMMENT = "#"
_BASIC = "Basic"
"""Names of the note types without gaps that every collection has."""


def is_anki_text(content: str) -> bool:
    """Return whether the first lines describe the format."""
    return not _header(content).keys().isdisjoint(_KEYS)


def read_anki_text(content: str) -> dict[str, Any]:
    """The decks of a file. Notes and gaps without a card are counted as skipped.

    A note with a gap in its first field is a cloze note, unless its type is one of Anki's basic ones.

    Raises:
        WrongRowsError: the quotation marks of a row are wrong.
        TooManyError: its notes make more than `MAX_CARDS` cards.
    """
    header = _header(content)
    separator = _separator(header.get("separator", "")) or likely_separator(content, comment=_COMMENT)
    special = {name: int(header[name]) - 1 for name in _SPECIAL if header.get(name, "").isdecimal()}
    fields_at = _fields_at(header.get("columns", ""), separator, set(special.values()))
    text_of = text_of_html if header.get("html", "").lower() == "true" else str.strip
    cards = NoteCards()
    try:
        for _, row, *_ in rows_of(content, Layout(separator), comment=_COMMENT, quotes=True):
            fields = [_cell(row, place) for place in fields_at]
            note_type = _cell(row, special.get(f"{_NOTE_TYPE} column")) or header.get(_NOTE_TYPE, "")
            name = _cell(row, special.get(f"{_DECK} column")).strip() or header.get(_DECK) or None
            is_cloze = not note_type.startswith(_BASIC) and bool(ClozeText(fields[0]).numbers)
            guid = _cell(row, special.get("guid column"))
            for _, term, definition in note_texts(fields, is_cloze=is_cloze, text_of=text_of):
                card: FoundCard = {"term": term, "definition": definition}
                if is_cloze:
                    card["note"] = note_id(guid or fields[0])
                cards.add(name, name, card)
    except BrokenRowError as broken:
        raise WrongRowsError([f"Row {broken.number}: {broken}"]) from broken
    return cards.output()


def _header(content: str) -> dict[str, str]:
    """Parse the header lines, which begin with `#`. Names are in lower case."""
    found: dict[str, str] = {}
    for line in io.StringIO(content):
        if not line.startswith(_COMMENT):
            break
        name, _, value = line.removeprefix(_COMMENT).rstrip("\r\n").partition(":")
        found[name.strip().lower()] = value.strip() or value
    return found


def _separator(as_output: str) -> str | None:
    """The separator, given by name or as a character."""
    separator = _SEPARATORS.get(as_output.lower(), as_output)
    return separator if len(separator) == 1 and separator not in '"\r\n' else None


def _fields_at(names: str, separator: str, special: set[int]) -> tuple[int, int]:
    """The positions of the two fields: by column names, else the first non-special columns."""
    [row] = csv.reader([names], delimiter=separator)
    named = columns_of(row)
    if named is not None:
        return named
    first, second = [place for place in range(len(special) + 2) if place not in special][:2]
    return first, second


def _cell(row: list[str], place: int | None) -> str:
    return row[place] if place is not None and 0 <= place < len(row) else ""
