"""A deck as a file, CSV or TSV, which import_vocab_decks reads as the same cards.

A shared deck may have been written by anybody, so what a spreadsheet would calculate has an apostrophe before it
(`studyservice.operations.spreadsheets`); reading takes away exactly one (`vocab.reading.tables`).
"""

import csv
import io
from typing import TypedDict
from uuid import UUID

from accounts.models import Member
from studyservice.database.statements import Param, Select
from studyservice.operations.downloads import DownloadRow
from studyservice.operations.spreadsheets import as_text
from vocab.decks import require_deck
from vocab.models import Card

MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "tsv": "text/tab-separated-values; charset=utf-8"}

_SEPARATORS = {"csv": ",", "tsv": "\t"}
_HEADER = ("term", "definition")


class _Texts(TypedDict):
    term: str
    definition: str


_CARDS = Select[_Texts](
    Card.objects.filter(member_id=Param("member_id"), deck_id=Param("deck_id")).order_by("position", "id"),
    {"term": "term", "definition": "definition"},
)


def export_vocab_deck(member: Member, deck_id: UUID, *, format: str = "csv") -> DownloadRow:  # noqa: A002  # the parameter's name
    """The deck's cards as they were added, in RFC 4180 with a header, UTF-8 with the mark that spreadsheets look for.

    Raises:
        NotFound: there is no such deck of the member's.
    """
    name = require_deck(member, deck_id)["name"]
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter=_SEPARATORS[format])
    writer.writerow(_HEADER)
    for card in _CARDS.all(member_id=member.id, deck_id=deck_id):
        writer.writerow((as_text(card["term"]), as_text(card["definition"])))
    return {
        "content": table.getvalue().encode("utf-8-sig"),
        "filename": f"{name}.{format}",
        "media_type": MEDIA_TYPES[format],
    }
