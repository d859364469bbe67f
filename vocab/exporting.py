"""A deck as a file that import_vocab_decks reads as the same cards.

CSV is for spreadsheets. A shared deck may be from anybody, so a text that a spreadsheet would treat as a formula gets
an apostrophe before it. Import removes exactly one (`vocab.reading.tables`). TSV and Anki's notes in plain text contain
every text unchanged.
"""

import csv
import io
from collections.abc import Sequence
from uuid import UUID

from accounts.rows.access import Access
from studyservice.operations.answers import DownloadRow
from studyservice.operations.spreadsheets import csv_lines
from vocab.card_changes import cards_of
from vocab.decks import require_deck

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "anki": "text/plain; charset=utf-8",
}
ENDINGS = {"csv": "csv", "tsv": "tsv", "anki": "txt"}

_HEADER = ("term", "definition")
_ANKI_HEADER = "#separator:tab\n#html:false\n#notetype:Basic\n#columns:Front\tBack\tDeck\n#deck column:3\n"
"""Escape for Anki, which unescapes it exactly. The note type prevents braces from becoming gaps."""


def export_vocab_deck(access: Access, deck_id: UUID, *, format: str = "csv") -> DownloadRow:  # noqa: A002  # the parameter's name
    """The deck's cards in the order they were added.

    Raises:
        NotFound: the member has no such deck.
    """
    name = require_deck(access, deck_id)["name"]
    cards = [(card["term"], card["definition"]) for card in cards_of(access, deck_id)]
    return {
        "content": _content(format, name, cards),
        "filename": f"{name}.{ENDINGS[format]}",
        "media_type": MEDIA_TYPES[format],
    }


def _content(format_: str, deck: str, cards: Sequence[tuple[str, str]]) -> bytes:
    """CSV and TSV follow RFC 4180 with a header, in UTF-8 with the byte order mark that spreadsheets need."""
    if format_ == "csv":
        return b"".join(csv_lines(_HEADER, cards))
    table = io.StringIO(newline="")
    if format_ == "tsv":
        csv.writer(table, delimiter="\t").writerows([_HEADER, *cards])
        return table.getvalue().encode("utf-8-sig")
    # Every field is quoted, because Anki reads an unquoted row beginning with "#" as a comment.
    table.write(_ANKI_HEADER)
    writer = csv.writer(table, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows((term, definition, deck) for term, definition in cards)
    return table.getvalue().encode()
