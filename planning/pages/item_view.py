"""The content of the page of an item."""

from http import HTTPStatus
from typing import NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.once import address_here
from accounts.rows.access import Access
from grades.breakdown import get_grades
from grades.serializers import GradeBreakdownRow, GradeScoreRow
from planning.agenda_serializers import ItemDetailRow
from planning.milestones import milestones_of
from planning.pages.item_forms import ItemForm, MilestoneForm, MinutesForm, NewMilestoneForm
from planning.readiness import get_item_detail
from planning.serializers import MAX_MILESTONES, MilestoneRow
from studyservice.charts import Chart, columns, percent_range
from studyservice.http.middleware import may_fetch
from vocab.exam_records import TARGET, USUAL_MINUTES, StudyPlanRow
from vocab.plans import has_plan, plan_for


class Step(NamedTuple):
    """A milestone with the form for changing it."""

    milestone: MilestoneRow
    form: MilestoneForm


class Plan(NamedTuple):
    """The plan for an exam, prepared for display.

    Attributes:
        minutes_a_day: available minutes.
        minutes: of each day, with a line at the available minutes, unless that is far above.
        known: share of known cards on the day of the exam: without studying, and the gain by the plan.
        busiest: the most minutes on a day.
        is_over: whether a day needs more minutes than available.
    """

    told: StudyPlanRow
    minutes_a_day: int
    minutes: Chart
    known: Chart
    busiest: int
    is_over: bool


def show_item(
    request: HttpRequest,
    member: Member,
    item_id: UUID,
    *,
    form: ItemForm | None = None,
    new_step: NewMilestoneForm | None = None,
    changed_step: tuple[UUID, MilestoneForm] | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """The page, in at most six statements. Rejected forms show the member's input.

    Raises:
        NotFound: the member has no such item.
    """
    item = get_item_detail(Access(member), item_id)
    grades = get_grades(Access(member), item["course_id"])
    asked = MinutesForm(request.GET if "minutes" in request.GET else {"minutes": USUAL_MINUTES})
    if not asked.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    there = milestones_of(Access(member), item_id)
    context = {
        "item": item,
        "today": member.today(),
        "score": _score_of(grades, item_id),
        "form": form or ItemForm(item=item, categories=grades["categories"]),
        "steps": _steps(there, changed_step),
        "changed_id": changed_step[0] if changed_step else None,
        "new_step": new_step or NewMilestoneForm(),
        "full": len(there) >= MAX_MILESTONES,
        "here": address_here(request, "minutes", path=reverse("item", args=[item_id])),
        "minutes": asked,
        "can_plan": has_plan(item["kind"], item["due_on"], member.today()),
        "plan": _plan(Access(member), item, asked),
    }
    return may_fetch(request, render(request, "planning/item.html", context, status=status))


def _score_of(grades: GradeBreakdownRow, item_id: UUID) -> GradeScoreRow | None:
    scores = (score for category in grades["categories"] for score in category["scores"])
    return next((score for score in scores if score["item_id"] == item_id), None)


def _steps(there: list[MilestoneRow], changed: tuple[UUID, MilestoneForm] | None) -> list[Step]:
    forms = dict([changed]) if changed else {}
    return [
        Step(one, forms.get(one["id"]) or MilestoneForm(milestone=one, place=place, of=len(there)))
        for place, one in enumerate(there, start=1)
    ]


def _plan(access: Access, item: ItemDetailRow, asked: MinutesForm) -> Plan | None:
    """None without cards or a day to plan for, or if the minutes are invalid."""
    readiness = item["readiness"]
    if not asked.is_valid() or readiness is None or not readiness["cards"]:
        return None
    if not has_plan(item["kind"], item["due_on"], access.today()):
        return None
    told = plan_for(access, item, asked.cleaned_data["minutes"], TARGET, readiness)
    if told is None:
        return None
    minutes = [(day["minutes"] - day["over"], day["over"]) for day in told["days"]]
    busiest, given = max(sum(day) for day in minutes), asked.cleaned_data["minutes"]
    without = told["without"] or 0
    return Plan(
        told,
        given,
        columns(minutes, line=given if 2 * busiest >= given else None),
        percent_range([(0, without), (without, max(without, told["predicted"]))], mark=told["target"]),
        busiest,
        any(over for _, over in minutes),
    )
