"""The page that changes the grade categories of a course."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.changes.writing import writing
from accounts.models import Member
from accounts.pages.signed_in import for_active_members, signed_in
from grades.breakdown import get_grades
from grades.categories import set_grade_categories
from grades.serializers import GradeBreakdownRow
from overview.pages.category_forms import CategoriesForm
from studyservice.operations.errors import NotFound


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
def grade_categories(request: HttpRequest, course_id: UUID) -> HttpResponse:
    """Shows all categories in one form; a post replaces them."""
    member = signed_in(request)
    try:
        if request.method != "POST":
            grades = get_grades(member, course_id)
            return _page(request, grades, CategoriesForm(grades["categories"]))
        return _save(request, member, course_id)
    except NotFound as error:
        raise Http404 from error


def _save(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Replace the categories, unless they changed since the form was shown."""
    with writing(member.id):  # nothing comes between the look and the change
        grades = get_grades(member, course_id)
        form = CategoriesForm(grades["categories"], request.POST)
        changed = request.POST.get("known", "") != form.known
        wrong = changed or not form.is_valid()
        if not wrong:
            set_grade_categories(member, course_id, categories=form.entries())
    if wrong:
        status = HTTPStatus.CONFLICT if changed else HTTPStatus.UNPROCESSABLE_ENTITY
        return _page(request, grades, form, status, changed=changed)
    messages.success(request, "Saved the grade categories.")
    return HttpResponseRedirect(f"{reverse('course', args=[course_id])}#grade")


def _page(
    request: HttpRequest,
    grades: GradeBreakdownRow,
    form: CategoriesForm,
    status: HTTPStatus = HTTPStatus.OK,
    *,
    changed: bool = False,
) -> HttpResponse:
    context = {"grades": grades, "form": form, "changed": changed}
    return render(request, "grade_categories.html", context, status=status)
