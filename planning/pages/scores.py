"""The page for the scores of many items at once."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.once import OnceForm, done_once
from accounts.pages.signed_in import FORM, for_active_members
from grades.breakdown import get_grades
from grades.scores import add_grade_score
from grades.serializers import GradeBreakdownRow
from grades.views import GradeViewSet
from planning.course_plan import items_with_milestones
from planning.pages.course import add_score
from planning.pages.score_forms import ScoresForm, waits_for_score
from studyservice.operations.errors import Conflict
from studyservice.rows.access import Access, change

ITEMS_A_PAGE = 100


class _Again(Exception):
    """A field is invalid, so the form must be shown again."""

    def __init__(self, grades: GradeBreakdownRow, form: ScoresForm) -> None:
        super().__init__()
        self.grades, self.form = grades, form


@for_active_members(FORM)
def scores(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponseBase:
    """Show the items that wait for a score, in one form. A post adds every entered score, as one change.

    The form for a single score on the page of the course is posted here as well.
    """
    if "score" in request.POST:
        return add_score(request, course_id=course_id)
    access = Access(member)
    if request.method == "POST":
        return _save(request, member, course_id)
    grades = get_grades(access, course_id)
    waiting = [item for item in items_with_milestones(access, course_id) if waits_for_score(item)]
    page = Paginator(waiting, ITEMS_A_PAGE).get_page(request.GET.get("page"))
    form = ScoresForm(items=list(page), categories=grades["categories"])
    return _shown(request, grades, form, page=page)


def _save(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Add the scores. Rejected ones are shown with the member's input."""
    try:
        said = done_once(
            request, member, GradeViewSet.add_grade_score, lambda: _add(Access(member), course_id, request.POST)
        )
    except _Again as again:
        return _shown(request, again.grades, again.form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except Conflict as error:
        grades, form = _sent(Access(member), course_id, request.POST)
        form.of_items.add_error(None, error.message)
        return _shown(request, grades, form, status=error.status)
    messages.success(request, said)
    return HttpResponseRedirect(f"{reverse('course', args=[course_id])}#grade")


def _add(access: Access, course_id: UUID, sent: QueryDict) -> str:
    """Add the scores. Return the message.

    Raises:
        Conflict: the course would have too many scores.
        _Again: a field is invalid.
    """
    with change(access, "add_grade_score"):  # no other write can happen between the check and the change
        grades, form = _sent(access, course_id, sent)
        if form.errors:
            raise _Again(grades, form)
        added = [add_grade_score(access, course_id, **score) for score in form.scores()]
    return f"Saved {len(added)} score{'' if len(added) == 1 else 's'}." if added else "Nothing was changed."


def _sent(access: Access, course_id: UUID, sent: QueryDict) -> tuple[GradeBreakdownRow, ScoresForm]:
    """The breakdown, and the form with the input. Items that no longer wait are there if a score was entered."""
    grades = get_grades(access, course_id)
    there = (item for item in items_with_milestones(access, course_id) if str(item["id"]) in sent)
    items = [item for item in there if waits_for_score(item) or str(sent[str(item["id"])]).strip()]
    return grades, ScoresForm(sent, items=items, categories=grades["categories"])


def _shown(
    request: HttpRequest,
    grades: GradeBreakdownRow,
    form: ScoresForm,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    **more: object,
) -> HttpResponse:
    has_graded = any(score["item_id"] for category in grades["categories"] for score in category["scores"])
    context = {"grades": grades, "form": form, "has_graded": has_graded, "once": OnceForm(), **more}
    return render(request, "planning/scores.html", context, status=status)
