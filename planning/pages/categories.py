"""The page for changing the grade categories of a course."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.models import Member
from accounts.pages.once import OnceForm, done_once
from accounts.pages.signed_in import for_active_members, signed_in
from accounts.rows.access import Access, change
from grades.breakdown import get_grades
from grades.categories import set_grade_categories
from grades.serializers import GradeBreakdownRow
from grades.views import GradeViewSet
from planning.pages.category_forms import CategoriesForm
from studyservice.operations.errors import Conflict


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
def grade_categories(request: HttpRequest, course_id: UUID) -> HttpResponse:
    """Show all categories in one form. A post replaces them."""
    member = signed_in(request)
    if request.method != "POST":
        grades = get_grades(Access(member), course_id)
        return _page(request, grades, CategoriesForm(grades["categories"]))
    return _save(request, member, course_id)


class _Again(Exception):
    """The form must be shown again.

    Attributes:
        changed: whether the categories changed since it was shown.
    """

    def __init__(self, grades: GradeBreakdownRow, form: CategoriesForm, *, changed: bool) -> None:
        super().__init__()
        self.grades, self.form, self.changed = grades, form, changed


def _save(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Replace the categories, unless they changed since the form was shown."""
    try:
        said = done_once(
            request,
            member,
            GradeViewSet.set_grade_categories,
            lambda: _replace(Access(member), course_id, request.POST),
        )
    except _Again as again:
        status = HTTPStatus.CONFLICT if again.changed else HTTPStatus.UNPROCESSABLE_ENTITY
        return _page(request, again.grades, again.form, status, changed=again.changed)
    except Conflict:  # the form was sent before, with other content
        grades = get_grades(Access(member), course_id)
        form = CategoriesForm(grades["categories"], request.POST)
        return _page(request, grades, form, HTTPStatus.CONFLICT, changed=True)
    messages.success(request, said)
    return HttpResponseRedirect(f"{reverse('course', args=[course_id])}#grade")


def _replace(access: Access, course_id: UUID, sent: QueryDict) -> str:
    """Replace the categories. Return the message.

    Raises:
        _Again: a field is invalid, or the categories changed since the form was shown.
    """
    with change(access, "set_grade_categories"):  # no other write can happen between the check and the change
        grades = get_grades(access, course_id)
        form = CategoriesForm(grades["categories"], sent)
        changed = sent.get("known", "") != form.known
        if changed or not form.is_valid():
            raise _Again(grades, form, changed=changed)
        set_grade_categories(access, course_id, categories=form.entries())
    return "Saved the grade categories."


def _page(
    request: HttpRequest,
    grades: GradeBreakdownRow,
    form: CategoriesForm,
    status: HTTPStatus = HTTPStatus.OK,
    *,
    changed: bool = False,
) -> HttpResponse:
    context = {"grades": grades, "form": form, "changed": changed, "once": OnceForm()}
    return render(request, "planning/grade_categories.html", context, status=status)
