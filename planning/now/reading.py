"""Read the data for "what now" together with the agenda, in three statements for any amount of data."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, NamedTuple, cast
from uuid import UUID

from django.db.models import Case, FilteredRelation, OuterRef, Q, Subquery, When, Window
from django.db.models.functions import RowNumber

from courses import models as courses
from courses.item_rows import (
    EXAMINED,
    ITEMS_OF_OPEN_COURSES,
    LISTED,
    MISSED_FOR,
    OF_STATUS,
    PART,
    SHARES_OF_COURSE,
    SOONEST_FIRST,
    WHOLE_OF_PART,
    exact_worth,
    mean_worth,
)
from courses.serializers import ItemRow
from planning import models
from planning.now.ranks import EXAM_WITHIN, WORK_WITHIN
from planning.now.situation import Item, Milestone, Situation, WeakTopic, next_exams
from planning.readiness import EXAM_WITH_CARDS, Due, DueColumns, due_among
from planning.serializers import MilestoneRow
from practice.stats import TOPICS, TopicCounts, weak_topics, window
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect
from vocab.exam_records import ReadinessRow
from vocab.studied import StudiedDeck, studied

_OF_ITEM = tuple(columns_of_row(DueColumns))
"""The columns of an item in the agenda's own statement, in order."""

WEAK_IN = 30
"""Number of days, including today, for finding weak topics."""


class _Columns(DueColumns):
    """An item with one of its open milestones, or without; `part / whole` in place of its worth.

    `shares` are those of its course, only in one row of each course.
    """

    part: int | None
    whole: int | None
    shares: str | None
    step_id: Annotated[UUID | None, At("step__id")]
    step_title: Annotated[str, At("step__title")]
    step_due_on: Annotated[date | None, At("step__due_on")]
    step_position: Annotated[int, At("step__position")]
    step_created_at: Annotated[datetime, At("step__created_at")]


class _Topic(TopicCounts):
    course_name: Annotated[str | None, At("course")]
    has_ended: Annotated[bool | None, At("course_archived")]


class Reading(NamedTuple):
    """The agenda, and the data for "what now".

    Attributes:
        milestones: those of the agenda, in its order.
        readiness: for the exams and quizzes of `due`.
    """

    due: Due
    milestones: list[MilestoneRow]
    readiness: Mapping[UUID, ReadinessRow]
    situation: Situation


def read(access: Access, at: datetime, until: date) -> Reading:
    """The agenda up to `until` and the situation now. Three queries."""
    today = access.member.date_at(at)
    furthest = max(until, today + timedelta(days=WORK_WITHIN))
    rows = _items().all(access, today=today, missed_from=today - MISSED_FOR, furthest=furthest)
    milestones = [_milestone(row) for row in rows if row["step_id"] is not None]
    by_id = {row["id"]: row for row in rows}
    worth = {item_id: exact_worth(row["part"], row["whole"]) for item_id, row in by_id.items()}
    listed = {item_id: _listed(row, worth[item_id][1]) for item_id, row in by_id.items()}
    due = due_among(list(listed.values()), today, until)
    items = cast("Mapping[UUID, ItemRow]", listed)
    work = [_item(item, worth[item_id][0]) for item_id, item in items.items()]
    exams = next_exams(work, today)
    last = today + timedelta(days=EXAM_WITHIN)
    soon = {exam.id: exam.day for exam in exams.values() if exam.day <= last}
    known = studied(access, at, due.days, soon)
    situation = Situation(
        today=today,
        seconds_a_card=known.seconds_a_card,
        new_cards=known.new_cards,
        items=work,
        milestones=milestones,
        decks=known.open_decks,
        weak_topic=_weak_topic(access, today, known.decks),
        mean_worths={row["course_id"]: mean for row in rows if (mean := mean_worth(row["shares"])) is not None},
    )
    return Reading(due, _of_agenda(milestones, items, today, until), known.readiness, situation)


@cache
def _items() -> MemberSelect[_Columns]:
    """Every item that the agenda or the rules may need, with its open milestones. Built on first use."""
    soon = models.Milestone.rows.declared.filter(done=False, due_on__lte=Param("furthest")).values("item_id")
    exams = courses.Item.rows.declared.filter(
        OF_STATUS[courses.ItemStatus.OPEN],
        course_id=OuterRef("id"),
        kind__in=sorted(EXAMINED),
        due_on__gte=Param("today"),
    ).order_by("due_on", "created_at", "id")
    open_courses = courses.Course.rows.declared.filter(archived=False)
    next_of_courses = open_courses.annotate(next_exam=Subquery(exams.values("id")[:1])).values("next_exam")
    ahead = Q(due_on__gte=Param("today"), due_on__lte=Param("furthest"))
    missed = Q(due_on__gte=Param("missed_from")) & OF_STATUS[courses.ItemStatus.MISSED]
    found = ITEMS_OF_OPEN_COURSES.filter(ahead | missed | Q(id__in=soon) | Q(id__in=next_of_courses)).annotate(
        has_cards=EXAM_WITH_CARDS,
        part=PART,
        whole=WHOLE_OF_PART,
        place=Window(RowNumber(), partition_by="course_id"),
        shares=Case(When(place=1, then=SHARES_OF_COURSE)),
        step=FilteredRelation(
            "milestones", condition=Q(milestones__done=False, milestones__member_id=Param("member_id"))
        ),
    )
    columns = columns_of_row(_Columns) | LISTED
    del columns["worth"]
    return MemberSelect[_Columns](found.order_by(*SOONEST_FIRST), columns)


_COURSE = courses.Course.rows.declared.filter(id=OuterRef("course_id")).order_by()
_TOPICS = MemberSelect(
    TOPICS.annotate(course=Subquery(_COURSE.values("name")), course_archived=Subquery(_COURSE.values("archived"))),
    _Topic,
)


def _milestone(row: _Columns) -> Milestone:
    return Milestone(
        id=cast("UUID", row["step_id"]),
        item_id=row["id"],
        title=row["step_title"],
        due_on=row["step_due_on"],
        position=row["step_position"],
        created_at=row["step_created_at"],
    )


def _listed(row: _Columns, hundredths: int | None) -> DueColumns:
    """The item as read by the agenda's own statement."""
    columns: Mapping[str, Any] = row
    return cast("DueColumns", {name: hundredths if name == "worth" else columns[name] for name in _OF_ITEM})


def _item(row: ItemRow, worth: Fraction | None) -> Item:
    return Item(
        id=row["id"],
        course_id=row["course_id"],
        course_name=row["course_name"],
        title=row["title"],
        kind=row["kind"],
        status=row["status"],
        due_on=row["due_on"],
        worth=worth,
        created_at=row["created_at"],
    )


def _of_agenda(
    milestones: list[Milestone], items: Mapping[UUID, ItemRow], today: date, until: date
) -> list[MilestoneRow]:
    """Milestones due by `until`, then undated ones of items due from today until then."""

    def is_shown(milestone: Milestone) -> bool:
        if milestone.due_on is not None:
            return milestone.due_on <= until
        day = items[milestone.item_id]["due_on"]
        return day is not None and today <= day <= until

    shown = [one for one in milestones if is_shown(one)]
    shown.sort(key=lambda one: (one.due_on is None, one.due_on or today, one.position, one.created_at, one.id))
    return [
        {
            "id": one.id,
            "item_id": one.item_id,
            "title": one.title,
            "due_on": one.due_on,
            "done": False,
            "position": one.position,
            "item_title": items[one.item_id]["title"],
            "course_name": items[one.item_id]["course_name"],
            "overdue": False,  # is filled in
        }
        for one in shown
    ]


def _weak_topic(access: Access, today: date, decks: Iterable[StudiedDeck]) -> WeakTopic | None:
    there = {deck.id: deck for deck in decks}

    def has_ended(row: _Topic) -> bool:
        deck = None if row["deck_id"] is None else there.get(row["deck_id"])
        return bool(row["has_ended"]) if deck is None else deck.has_ended

    found = _TOPICS.all(access, **window(today - timedelta(days=WEAK_IN - 1)))
    counted = [row for row in found if not has_ended(row)]
    names = {row["course_id"]: row["course_name"] for row in counted}
    for weak in weak_topics(counted)[:1]:
        deck = None if weak["deck_id"] is None else there.get(weak["deck_id"])
        return WeakTopic(
            topic=weak["topic"],
            deck_id=None if deck is None else deck.id,
            course_name=names[weak["course_id"]] if deck is None else deck.course_name,
            accuracy=weak["accuracy"],
        )
    return None
