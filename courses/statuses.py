"""The status of an item: the first that applies, for a loaded row and for a statement."""

from datetime import date, timedelta

from django.db.models import F, Q

from courses.models import ItemKind, ItemStatus
from studyservice.database.statements import Param

_GRADED, _DONE, _OPEN, _PAST, _MISSED = ItemStatus.values
"""Plain strings: using the enumeration for each item of a list took longer than everything else."""

EXAMINED = frozenset({ItemKind.EXAM.value, ItemKind.QUIZ.value})
"""Kinds of items that have readiness and that end on their date."""

MISSED_FOR = timedelta(days=30)
"""How long get_agenda lists a missed item."""

_UNENDED = Q(done=False, graded=False)
_OVERDUE = _UNENDED & Q(due_on__lt=Param("today"))
_TOO_LATE = Q(kind__in=sorted(EXAMINED)) | Q(due_on__lt=F("missable_from"))


OF_STATUS = {
    _GRADED: Q(graded=True),
    _DONE: Q(graded=False, done=True),
    _OPEN: _UNENDED & (Q(due_on=None) | Q(due_on__gte=Param("today"))),
    _PAST: _OVERDUE & _TOO_LATE,
    _MISSED: _OVERDUE & ~Q(kind__in=sorted(EXAMINED)) & Q(due_on__gte=F("missable_from")),
}
"""The items in each status, on the day passed to the statement as `today`."""


def status_of(  # noqa: PLR0917  # the columns that determine the status
    kind: str, due_on: date | None, done: bool, graded: bool, missable_from: date, today: date
) -> str:
    """Return the status of an item."""
    if graded:
        return _GRADED
    if done:
        return _DONE
    if due_on is None or due_on >= today:
        return _OPEN
    if kind in EXAMINED or due_on < missable_from:
        return _PAST
    return _MISSED
