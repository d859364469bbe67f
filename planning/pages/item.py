"""The page of an item: its details, its milestones, and the plan for an exam."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.once import OnceForm, address_here
from accounts.pages.signed_in import FORM, POST, for_active_members
from courses.items import get_item, update_item
from grades.breakdown import get_grades
from grades.serializers import GradeBreakdownRow, GradeScoreRow
from planning import milestones
from planning.agenda_serializers import ItemDetailRow
from planning.milestones import milestones_of
from planning.pages.forms import ItemForm, MilestoneForm, MinutesForm, NewMilestoneForm, sent
from planning.pages.remarks import gone_by, later_steps, later_than_item, with_remarks
from planning.pages.score_forms import AS_POINTS, ItemScoresForm, waits_for_score
from planning.readiness import get_item_detail
from planning.serializers import MAX_MILESTONES, MilestoneRow
from planning.views import MilestoneViewSet
from studyservice.charts import columns, percent_range
from studyservice.http.middleware import may_fetch
from studyservice.operations.errors import ApiError
from studyservice.rows.access import Access
from vocab.exam_records import TARGET, USUAL_MINUTES
from vocab.plans import has_plan, plan_for


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
        "score_form": _score_form(item, grades),
        "once": OnceForm(),
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


def _score_form(item: ItemDetailRow, grades: GradeBreakdownRow) -> ItemScoresForm | None:
    """The field for the score of an item that waits for one. The page of several scores takes it."""
    if not waits_for_score(item):
        return None
    form = ItemScoresForm(items=[item], categories=grades["categories"])
    field = form.fields[str(item["id"])]
    field.label, field.help_text = "Score (%)", AS_POINTS
    return form


def _steps(
    there: list[MilestoneRow], changed: tuple[UUID, MilestoneForm] | None
) -> list[tuple[MilestoneRow, MilestoneForm]]:
    """Each milestone with the form for changing it."""
    forms = dict([changed]) if changed else {}
    return [
        (one, forms.get(one["id"]) or MilestoneForm(milestone=one, place=place, of=len(there)))
        for place, one in enumerate(there, start=1)
    ]


def _plan(access: Access, item: ItemDetailRow, asked: MinutesForm) -> dict[str, object] | None:
    """The plan for an exam; None without cards or a day to plan for, or if the minutes are invalid.

    It has a chart of the minutes of each day, with a line at the available ones unless that is far above, and one of
    the share of known cards on the day of the exam: without studying, and the gain by the plan.
    """
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
    return {
        "told": told,
        "minutes_a_day": given,
        "minutes": columns(minutes, line=given if 2 * busiest >= given else None),
        "known": percent_range([(0, without), (without, max(without, told["predicted"]))], mark=told["target"]),
        "busiest": busiest,
        "is_over": any(over for _, over in minutes),
    }


_WRONG = HTTPStatus.UNPROCESSABLE_ENTITY


@for_active_members(FORM)
def item_page(request: HttpRequest, member: Member, item_id: UUID) -> HttpResponse:
    """Show the item. A post changes it."""
    if request.method != "POST":
        return show_item(request, member, item_id)
    item = get_item(Access(member), item_id)
    categories = get_grades(Access(member), item["course_id"])["categories"]
    form = ItemForm(request.POST, item=item, categories=categories)
    if not form.is_valid():
        return show_item(request, member, item_id, form=form, status=_WRONG)
    changes = form.fields_changed()
    done = sent(form, lambda: update_item(Access(member), item_id, **changes))
    if isinstance(done, ApiError):
        return show_item(request, member, item_id, form=form, status=done.status)
    day = changes.get("due_on")
    late = later_steps(Access(member), item_id, done["title"], day) if day else ""
    said = f"Saved “{done['title']}”." if changes else "Nothing was changed."
    messages.success(request, with_remarks(said, gone_by(day, member.today()), late))
    return redirect("item", item_id=item_id)


@for_active_members(FORM)
def add_milestone(request: HttpRequest, member: Member, item_id: UUID) -> HttpResponse:
    """Add a milestone. GET leads to the item, as after a rejected form."""
    if request.method != "POST":
        return _to_steps(item_id)
    form = NewMilestoneForm(request.POST)
    if not form.is_valid():
        return show_item(request, member, item_id, new_step=form, status=_WRONG)
    title, due_on = form.cleaned_data["title"], form.cleaned_data["due_on"]
    done = sent(
        form,
        lambda: form.make_once(
            request,
            member,
            MilestoneViewSet.create_milestone,
            lambda: milestones.create_milestone(Access(member), item_id, title=title, due_on=due_on),
        ),
    )
    if isinstance(done, ApiError):
        return show_item(request, member, item_id, new_step=form, status=done.status)
    late = later_than_item(Access(member), item_id, due_on)
    messages.success(request, with_remarks(f"Added “{title}”.", late), extra_tags="above")
    return _to_steps(item_id)


@for_active_members(FORM)
def change_milestone(request: HttpRequest, member: Member, milestone_id: UUID) -> HttpResponse:
    """Change a milestone. GET leads to its item."""
    milestone = _milestone(Access(member), milestone_id)
    item_id = milestone["item_id"]
    if request.method != "POST":
        return _to_steps(item_id)
    there = milestones.milestones_of(Access(member), item_id)
    place = next((place for place, one in enumerate(there, start=1) if one["id"] == milestone_id), 1)
    form = MilestoneForm(request.POST, milestone=milestone, place=place, of=len(there))
    if not form.is_valid():
        return show_item(request, member, item_id, changed_step=(milestone_id, form), status=_WRONG)
    new_place, changes = form.fields_changed()
    done = sent(form, lambda: milestones.update_milestone(Access(member), milestone_id, place=new_place, **changes))
    if isinstance(done, ApiError):
        return show_item(request, member, item_id, changed_step=(milestone_id, form), status=done.status)
    said = f"Saved “{done['title']}”." if changes or new_place else "Nothing was changed."
    late = later_than_item(Access(member), item_id, None if done["done"] else changes.get("due_on"))
    messages.success(request, with_remarks(said, late), extra_tags="above")
    return _to_steps(item_id)


@for_active_members(POST)
def delete_milestone(request: HttpRequest, member: Member, milestone_id: UUID) -> HttpResponse:
    """Delete a milestone at once, as the member can undo it."""
    milestone = _milestone(Access(member), milestone_id)
    milestones.delete_milestone(Access(member), milestone_id)
    said = f"“{milestone['title']}” is deleted."
    messages.success(request, said, extra_tags="above")
    return _to_steps(milestone["item_id"])


def _milestone(access: Access, milestone_id: UUID) -> MilestoneRow:
    return milestones.get_milestone(access, milestone_id)


def _to_steps(item_id: UUID) -> HttpResponse:
    return HttpResponseRedirect(reverse("item", args=[item_id]) + "#milestones")
