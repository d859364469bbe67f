"""A deck as a file, which import_vocab_decks reads as the same cards.

CSV is for spreadsheets. A shared deck may have been written by anybody, so what a spreadsheet would calculate has an
apostrophe before it there; reading takes away exactly one (`vocab.reading.tables`). TSV and Anki's notes in plain text
have every text as it is.
"""

import csv
import io
from collections.abc import Sequence
from typing import TypedDict
from uuid import UUID

from accounts.models import Member
from studyservice.database.statements import Param, Select
from studyservice.operations.downloads import DownloadRow
from studyservice.operations.spreadsheets import csv_lines
from vocab.decks import require_deck
from vocab.models import Card

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "anki": "text/plain; charset=utf-8",
}
ENDINGS = {"csv": "csv", "tsv": "tsv", "anki": "txt"}

_HEADER = ("term", "definition")
_ANKI_HEADER = "#separator:tab\n#html:false\n#notetype:Basic\n#columns:Front\tBack\tDeck\n#deck column:3\n"
"""Escape for Anki, which reads it exactly. The note type keeps braces from becoming gaps."""


class _Texts(TypedDict):
    term: str
    definition: str


_CARDS = Select[_Texts](
    Card.objects.filter(member_id=Param("member_id"), deck_id=Param("deck_id")).order_by("position", "id"),
    {"term": "term", "definition": "definition"},
)


def export_vocab_deck(member: Member, deck_id: UUID, *, format: str = "csv") -> DownloadRow:  # noqa: A002  # the parameter's name
    """The deck's cards as they were added.

    Raises:
        NotFound: there is no such deck of the member's.
    """
    name = require_deck(member, deck_id)["name"]
    cards = [(card["term"], card["definition"]) for card in _CARDS.all(member_id=member.id, deck_id=deck_id)]
    return {
        "content": _content(format, name, cards),
        "filename": f"{name}.{ENDINGS[format]}",
        "media_type": MEDIA_TYPES[format],
    }


def _content(format_: str, deck: str, cards: Sequence[tuple[str, str]]) -> bytes:
    """CSV and TSV are RFC 4180 with a header, in UTF-8 with the byte-order mark that spreadsheets need."""
    if format_ == "csv":
        return b"".join(csv_lines(_HEADER, cards))
    table = io.StringIO(newline="")
    if format_ == "tsv":
        csv.writer(table, delimiter="\t").writerows([_HEADER, *cards])
        return table.getvalue().encode("utf-8-sig")
    # Quoted throughout, since Anki reads a row that begins with "#" as a comment, but not in quotation marks.
    table.write(_ANKI_HEADER)
    writer = csv.writer(table, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows((term, definition, deck) for term, definition in cards)
    return table.getvalue().encode()
