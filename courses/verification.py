"""Checks of entries against the syllabus that they were read from. Nothing is refused."""

from collections.abc import Sequence
from datetime import date

from courses.entry_serializers import CategoryEntryFields, EnteredItemRow, EntryFields, WarningRow
from courses.syllabi.comparison import Stored
from courses.syllabi.evidence import evidence_for
from courses.syllabi.reader import Syllabus
from courses.syllabi.warnings import Claim, cautions_about


def verify(
    rows: Sequence[EnteredItemRow],
    entries: Sequence[EntryFields],
    *,
    text: str | None,
    term: str,
    today: date,
    weights: Sequence[CategoryEntryFields] = (),
    stored: Sequence[Stored] = (),
) -> list[WarningRow]:
    """Add the evidence to each row whose entry has a quote; return the warnings.

    It can take a second of CPU for a text of 500,000 characters, so call it outside a transaction.

    Args:
        rows: the answers, one for each of `entries`.
        entries: the entries sent.
        text: the syllabus. Without one no quote is found.
        term: the course's.
        today: the member's date.
        weights: the categories sent with the entries.
        stored: the items that the course had before.
    """
    syllabus = Syllabus.of(text or "", today=today, term=term)
    claims = []
    for row, entry in zip(rows, entries, strict=True):
        due_on, quote = entry["due_on"], entry.get("quote")
        if quote is not None:
            row["evidence"] = evidence_for(syllabus, quote, due_on).value
        claims.append(Claim(entry["title"], due_on, quote))
    cautions = cautions_about(syllabus, claims, [float(one["weight"]) for one in weights], stored)
    return [
        {"type": caution.type, "message": caution.message, "index": caution.index}
        for caution in cautions
        if not (caution.type == "duplicate" and caution.index is not None and rows[caution.index].get("existing"))
    ]
