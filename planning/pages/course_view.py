"""The content of the page of a course."""

from http import HTTPStatus
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.once import address_here
from accounts.rows.access import Access
from courses.pages.colors import courses_here
from courses.pages.first_steps import first_steps
from courses.uploads.files import files_of
from grades.breakdown import get_grades
from planning.course_plan import PlannedItem, items_with_milestones
from planning.pages.course_forms import AssumeForm, NewItemForm, NewScoreForm
from planning.pages.grade_view import grade_shown
from studyservice.http.middleware import may_fetch
from vocab.decks import decks_of_course


def show_course(
    request: HttpRequest,
    member: Member,
    course_id: UUID,
    *,
    item_form: NewItemForm | None = None,
    score_form: NewScoreForm | None = None,
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
        "missed": [item for item in items if item["status"] == "missed"],
        "ahead": [item for item in items if item["due_on"] is not None and item["due_on"] >= today],
        "undated": [item for item in items if item["due_on"] is None],
        "past": [item for item in items if is_past(item)],
        "item_form": item_form or NewItemForm(categories=grades["categories"]),
        "score_form": score_form or NewScoreForm(categories=grades["categories"], items=items),
        "assume": assume,
        "grade": grade_shown(grades),
        "decks": decks_of_course(Access(member), course_id),
        "files": files_of(Access(member), course_id),
        "first_steps": first_steps(Access(member), len(courses)),
    }
    return may_fetch(request, render(request, "planning/course.html", context, status=status))
