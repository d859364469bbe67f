"""Possible mistakes in valid entries, reported after the write. Nothing is rejected."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.db.models import F

from courses.entry_serializers import CategoryEntryFields, EnteredItemRow, EntryFields, WarningRow
from courses.models import Item
from courses.syllabi.comparison import Stored
from courses.syllabi.evidence import evidence_for
from courses.syllabi.reader import Syllabus
from courses.syllabi.warnings import Claim, cautions_about, weekdays_of_quotes
from studyservice.changes.calls import doubt
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.hooks import HookList
from studyservice.rows.access import Access, MemberSelect, as_array
from studyservice.rows.rows import OneOf

ItemDoubts = Callable[[Access, Sequence[UUID]], Iterator[str]]
"""Return sentences about objects below items."""

ITEM_DOUBTS = HookList[ItemDoubts]("ITEM_DOUBTS")


class _Dated(TypedDict):
    title: str
    due_on: date
    term: Annotated[str | None, At("course__term")]


_DATED = Item.rows.declared.filter(due_on__isnull=False, course__member_id=F("member_id")).order_by("due_on", "id")
_SEVERAL = MemberSelect(_DATED.filter(OneOf("id", "item_ids")), _Dated)
_OF_COURSE = MemberSelect(_DATED.filter(course_id=Param("course_id")), _Dated)


def doubt_new_item(title: str, due_on: date, term: str | None, today: date) -> None:
    """Report a new item outside its course's term to tools. Needs no statement."""
    doubt(partial(_outside, term, today, [(title, due_on)]))


def doubt_items(access: Access, item_ids: Sequence[UUID]) -> None:
    """Report items outside their course's term, or due before one of their milestones, to tools. Two statements."""
    if item_ids:
        doubt(partial(_about_items, access, item_ids))


def doubt_items_of(access: Access, course_id: UUID) -> None:
    """Report the course's items outside its term to tools. One statement."""
    doubt(partial(_outside_terms, access, _OF_COURSE, course_id=course_id))


def _about_items(access: Access, item_ids: Sequence[UUID]) -> Iterator[str]:
    yield from _outside_terms(access, _SEVERAL, item_ids=as_array(item_ids))
    for about in ITEM_DOUBTS:
        yield from about(access, item_ids)


def _outside_terms(access: Access, statement: MemberSelect[_Dated], **which: Any) -> Iterator[str]:
    rows = statement.all(access, **which)
    for term in dict.fromkeys(row["term"] for row in rows):
        items = [(row["title"], row["due_on"]) for row in rows if row["term"] == term]
        yield from _outside(term, access.today(), items)


def _outside(term: str | None, today: date, items: Sequence[tuple[str, date | None]]) -> Iterator[str]:
    """A sentence for each of the items, given by title and date, that is outside the term."""
    syllabus = Syllabus.of("", today=today, term=term)
    for caution in cautions_about(syllabus, [Claim(title, due_on, None) for title, due_on in items], [], []):
        if caution.type == "outside_term":
            yield caution.message


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
    cautions += weekdays_of_quotes(syllabus, claims, cautions)
    cautions.sort(key=lambda caution: len(claims) if caution.index is None else caution.index)
    return [
        {"type": caution.type, "message": caution.message, "index": caution.index}
        for caution in cautions
        if not (caution.type == "duplicate" and caution.index is not None and rows[caution.index].get("existing"))
    ]
