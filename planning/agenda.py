"""Upcoming deadlines and milestones."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, NamedTuple
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from planning.agenda_serializers import AgendaRow, NowRow
from planning.milestones import MILESTONES_OF_OPEN_COURSES, with_overdue
from planning.now.ranks import what_now
from planning.now.reading import read
from planning.now.situation import Situation
from planning.readiness import Due, due_items
from planning.serializers import MilestoneRow
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect
from vocab.exam_records import ReadinessRow
from vocab.readiness import item_readiness


class DoneMilestone(MilestoneRow):
    """A done milestone, with the course of its item."""

    course_id: Annotated[UUID, At("item__course_id")]


_UNDATED_IN_RANGE = Q(due_on=None, item__due_on__gte=Param("today"), item__due_on__lte=Param("until"))
_ORDER = (F("due_on").asc(nulls_last=True), "position", "created_at", "id")
_OPEN = MemberSelect(
    MILESTONES_OF_OPEN_COURSES.filter(Q(due_on__lte=Param("until")) | _UNDATED_IN_RANGE, done=False).order_by(*_ORDER),
    MilestoneRow,
)
_DONE = MemberSelect(
    MILESTONES_OF_OPEN_COURSES.filter(
        Q(due_on__gte=Param("today"), due_on__lte=Param("until")) | _UNDATED_IN_RANGE, done=True
    ).order_by(*_ORDER),
    DoneMilestone,
)


def get_agenda(access: Access, *, days: int, minutes: int | None = None) -> AgendaRow:
    """Items and milestones due from the member's today to `days` days later, including overdue milestones and missed
    items. Two queries, and a third for exams or quizzes with cards. `minutes` adds steps for now: three queries.
    """
    if minutes is not None:
        return look_ahead(access, days=days, minutes=minutes).agenda
    today = access.today()
    until = today + timedelta(days=days)
    due = due_items(access, today, until)
    milestones = _OPEN.all(access, today=today, until=until)
    readiness = item_readiness(access, due.days) if due.days else {}
    return _agenda(today, until, due, milestones, readiness)


class LookAhead(NamedTuple):
    """An agenda with steps for now, and the situation that they are based on."""

    agenda: AgendaRow
    now: NowRow
    situation: Situation


def look_ahead(access: Access, *, days: int, minutes: int) -> LookAhead:
    """The agenda with the steps for `minutes`. Three queries."""
    at = timezone.now()
    today = access.member.date_at(at)
    until = today + timedelta(days=days)
    found = read(access, at, until)
    row = _agenda(today, until, found.due, found.milestones, found.readiness)
    row["now"] = now = what_now(found.situation, minutes)
    return LookAhead(row, now, found.situation)


def done_milestones(access: Access, today: date, until: date) -> list[DoneMilestone]:
    """Done milestones of these days, and undated ones of their items, for the week. One query."""
    return _DONE.all(access, today=today, until=until)


def _agenda(
    today: date, until: date, due: Due, milestones: list[MilestoneRow], readiness: Mapping[UUID, ReadinessRow]
) -> AgendaRow:
    return {
        "today": today,
        "weekday": f"{today:%A}",
        "until": until,
        "items": due.items,
        "milestones": with_overdue(milestones, today),
        "readiness": [
            {"item_id": item["id"], "title": item["title"], "course_name": item["course_name"], **readiness[item["id"]]}
            for item in due.items
            if item["id"] in due.days
        ],
        "missed": due.missed,
    }
