"""The page of a course: its items with their milestones, its grade, its decks and files."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.once import address_here
from accounts.pages.signed_in import FORM, POST, READ, for_active_members
from courses.pages.colors import courses_here
from courses.pages.courses import first_steps
from courses.syllabi.warnings import about_weights
from courses.uploads.files import files_of
from courses.views import ItemViewSet
from grades.breakdown import get_grades
from grades.scores import add_grade_score, delete_grade_score, require_score
from grades.serializers import GradeBreakdownRow
from grades.views import GradeViewSet
from planning.course_plan import PlannedItem, items_with_milestones
from planning.pages.due_lists import take_overdue_steps
from planning.pages.forms import AssumeForm, NewItemForm, Refused, sent
from planning.pages.remarks import created, of_created, with_remarks
from planning.pages.score_forms import NewScoreForm
from studyservice.charts import percent_range
from studyservice.http.middleware import may_fetch
from studyservice.operations.errors import ApiError
from studyservice.rows.access import Access
from studyservice.rows.rows import COURSE
from vocab.decks import decks_of_course


def _grade_shown(grades: GradeBreakdownRow) -> dict[str, object]:
    """The breakdown with its outlook, the warning that its weights do not add up, the letters that open work can
    affect, and a chart of the range that is still possible, with a line at the current grade.
    """
    outlook, current = grades["outlook"], grades["current_grade"]
    worst, best = outlook["worst"], outlook["best"]
    chart = None
    if worst is not None and best is not None and current is not None:
        chart = percent_range([(worst, best)], mark=current)
    return {
        **grades,
        **outlook,
        "cautions": about_weights([category["weight"] for category in grades["categories"]]),
        "needed": [one for one in outlook["needed"] if one["score"] is not None],
        "chart": chart,
    }


def show_course(
    request: HttpRequest,
    member: Member,
    course_id: UUID,
    *,
    item_form: NewItemForm | None = None,
    score_form: NewScoreForm | None = None,
    refused: Refused | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """The page, in at most six statements. Rejected forms show the member's input.

    Raises:
        Http404: the member has no such course.
    """
    courses = courses_here(request)
    course = next((course for course in courses if course["id"] == course_id), None)
    if course is None:
        raise Http404
    assume = AssumeForm(request.GET if "assume" in request.GET else None)
    if assume.is_bound and not assume.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    grades = get_grades(
        Access(member), course_id, assume=assume.cleaned_data.get("assume") if assume.is_bound else None
    )
    items = items_with_milestones(Access(member), course_id)
    today = member.today()

    def is_past(item: PlannedItem) -> bool:
        return item["due_on"] is not None and item["due_on"] < today and item["status"] != "missed"

    context = {
        "course": course,
        "open": request.GET.get("open"),
        "here": address_here(request, "assume", "open", path=reverse("course", args=[course_id])),
        "today": today,
        "refused": refused,
        "late_steps": take_overdue_steps(item for item in items if item["status"] != "missed"),
        "missed": [item for item in items if item["status"] == "missed"],
        "ahead": [item for item in items if item["due_on"] is not None and item["due_on"] >= today],
        "undated": [item for item in items if item["due_on"] is None],
        "past": [item for item in items if is_past(item)],
        "item_form": item_form or NewItemForm(categories=grades["categories"]),
        "score_form": score_form or NewScoreForm(categories=grades["categories"], items=items),
        "assume": assume,
        "grade": _grade_shown(grades),
        "decks": decks_of_course(Access(member), course_id),
        "files": files_of(Access(member), course_id),
        "first_steps": first_steps(Access(member), len(courses)),
    }
    return may_fetch(request, render(request, "planning/course.html", context, status=status))


_WRONG = HTTPStatus.UNPROCESSABLE_ENTITY


@for_active_members(READ)
def course_page(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Show the course."""
    return show_course(request, member, course_id)


@for_active_members(FORM)
def add_item(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Add an item. GET leads to the course, as after a rejected form."""
    if request.method != "POST":
        return _section(course_id, "items")
    form = NewItemForm(request.POST, categories=get_grades(Access(member), course_id)["categories"])
    if not form.is_valid():
        return show_course(request, member, course_id, item_form=form, status=_WRONG)
    item = form.new_item()
    done = sent(
        form,
        lambda: form.make_once(
            request, member, ItemViewSet.create_item, lambda: created(Access(member), course_id, item)
        ),
    )
    if isinstance(done, ApiError):
        return show_course(request, member, course_id, item_form=form, status=done.status)
    said = with_remarks(f"Added “{done['title']}”.", of_created(done, member.today()))
    messages.success(request, said, extra_tags="above")
    return _section(course_id, "add-item", adding=True)


@for_active_members(FORM)
def add_score(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Add a score. GET leads to the course, as after a rejected form."""
    if request.method != "POST":
        return _section(course_id, "grade")
    categories = get_grades(Access(member), course_id)["categories"]
    form = NewScoreForm(request.POST, categories=categories, items=items_with_milestones(Access(member), course_id))
    if not form.is_valid():
        return show_course(request, member, course_id, score_form=form, status=_WRONG)
    score = form.new_score()
    done = sent(
        form,
        lambda: form.make_once(
            request, member, GradeViewSet.add_grade_score, lambda: add_grade_score(Access(member), course_id, **score)
        ),
    )
    if isinstance(done, ApiError):
        return show_course(request, member, course_id, score_form=form, status=done.status)
    messages.success(request, f"Added the score of “{done['label']}”.", extra_tags="above")
    return _section(course_id, "add-score", adding=True)


@for_active_members(POST)
def delete_score(request: HttpRequest, member: Member, score_id: UUID) -> HttpResponse:
    """Delete a score at once, as the member can undo it."""
    score = require_score(Access(member), score_id)
    delete_grade_score(Access(member), score_id)
    said = f"The score of “{score['label']}” is deleted."
    messages.success(request, said, extra_tags="above")
    return _section(score[COURSE], "grade")


def _section(course_id: UUID, section: str, *, adding: bool = False) -> HttpResponse:
    """A section of the course's page. With `adding`, its form is open for the next entry."""
    query = f"?open={section}" if adding else ""
    return HttpResponseRedirect(f"{reverse('course', args=[course_id])}{query}#{section}")
