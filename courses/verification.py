"""Check entries against their syllabus. Nothing is rejected."""

from calendar import day_name
from collections.abc import Sequence
from datetime import date

from courses.entry_serializers import CategoryEntryFields, EnteredItemRow, EntryFields, WarningRow
from courses.quote_weekdays import misplaced_weekday
from courses.syllabi.comparison import Stored
from courses.syllabi.evidence import evidence_for
from courses.syllabi.reader import Syllabus
from courses.syllabi.warnings import MOST_QUOTED, Caution, Claim, cautions_about


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
    """Add the evidence to each row whose entry has a quote, and return the warnings.

    A text of 500,000 characters can take a second of CPU, so call it outside a transaction.

    Args:
        rows: the answers, one for each of `entries`.
        entries: the sent entries.
        text: the syllabus; without one, no quote is found.
        term: the course's.
        today: the member's date.
        weights: the categories sent with the entries.
        stored: the existing items of the course.
    """
    syllabus = Syllabus.of(text or "", today=today, term=term)
    claims = []
    for row, entry in zip(rows, entries, strict=True):
        due_on, quote = entry["due_on"], entry.get("quote")
        if quote is not None:
            row["evidence"] = evidence_for(syllabus, quote, due_on).value
        claims.append(Claim(entry["title"], due_on, quote))
    cautions = cautions_about(syllabus, claims, [float(one["weight"]) for one in weights], stored)
    cautions += _of_quotes(syllabus, claims, cautions)
    cautions.sort(key=lambda caution: len(claims) if caution.index is None else caution.index)
    return [
        {"type": caution.type, "message": caution.message, "index": caution.index}
        for caution in cautions
        if not (caution.type == "duplicate" and caution.index is not None and rows[caution.index].get("existing"))
    ]


def _of_quotes(syllabus: Syllabus, claims: Sequence[Claim], cautions: Sequence[Caution]) -> list[Caution]:
    """A warning for each quote whose own weekday and date disagree, except for items that already have one."""
    warned = {caution.index for caution in cautions if caution.type == "weekday"}
    found = []
    for index, claim in enumerate(claims):
        if claim.quote is None or index in warned:
            continue
        if (misplaced := misplaced_weekday(syllabus, claim.quote)) is not None:
            weekday, day = misplaced
            title = claim.title if len(claim.title) <= MOST_QUOTED else f"{claim.title[: MOST_QUOTED - 1]}…"
            message = (
                f'The text of "{title}" says {day_name[weekday]} beside {day.day} {day:%B %Y}, which is a {day:%A}.'
            )
            found.append(Caution("weekday", message, index))
    return found
