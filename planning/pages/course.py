"""The page of a course: its items with their milestones, its grade, its decks and files."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.pages.signed_in import for_active_members, signed_in
from accounts.rows.access import Access
from accounts.rows.rows import COURSE
from courses.item_batches import create_item
from courses.views import ItemViewSet
from grades.breakdown import get_grades
from grades.scores import add_grade_score, delete_grade_score, require_score
from grades.views import GradeViewSet
from planning.course_plan import items_with_milestones
from planning.pages.course_forms import NewItemForm, NewScoreForm
from planning.pages.course_view import show_course
from planning.pages.sending import sent
from studyservice.operations.errors import ApiError

_WRONG = HTTPStatus.UNPROCESSABLE_ENTITY


@for_active_members
@require_safe
def course_page(request: HttpRequest, course_id: UUID) -> HttpResponse:
    """Show the course."""
    return show_course(request, signed_in(request), course_id)


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
def add_item(request: HttpRequest, course_id: UUID) -> HttpResponse:
    """Add an item. GET leads to the course, as after a rejected form."""
    if request.method != "POST":
        return _section(course_id, "items")
    member = signed_in(request)
    form = NewItemForm(request.POST, categories=get_grades(Access(member), course_id)["categories"])
    if not form.is_valid():
        return show_course(request, member, course_id, item_form=form, status=_WRONG)
    item = form.new_item()
    done = sent(
        form,
        lambda: form.make_once(
            request, member, ItemViewSet.create_item, lambda: create_item(Access(member), course_id, **item)[0]
        ),
    )
    if isinstance(done, ApiError):
        return show_course(request, member, course_id, item_form=form, status=done.status)
    messages.success(request, f"Added “{done['title']}”.", extra_tags="above")
    return _section(course_id, "add-item", adding=True)


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
def add_score(request: HttpRequest, course_id: UUID) -> HttpResponse:
    """Add a score. GET leads to the course, as after a rejected form."""
    if request.method != "POST":
        return _section(course_id, "grade")
    member = signed_in(request)
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


@for_active_members
@require_POST
def delete_score(request: HttpRequest, score_id: UUID) -> HttpResponse:
    """Delete a score at once, as the member can undo it."""
    member = signed_in(request)
    score = require_score(Access(member), score_id)
    delete_grade_score(Access(member), score_id)
    said = f"The score of “{score['label']}” is deleted. You can restore it in Activity for 30 days."
    messages.success(request, said, extra_tags="above")
    return _section(score[COURSE], "grade")


def _section(course_id: UUID, section: str, *, adding: bool = False) -> HttpResponse:
    """A section of the course's page. With `adding`, its form is open for the next entry."""
    query = f"?open={section}" if adding else ""
    return HttpResponseRedirect(f"{reverse('course', args=[course_id])}{query}#{section}")
