"""The page for changing a score."""

from http import HTTPStatus
from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.forms import EditForm
from accounts.pages.signed_in import FORM, for_active_members
from grades.breakdown import get_grades
from grades.scores import require_score, update_grade_score
from grades.serializers import CategoryRow, ScoreFields
from planning.pages.forms import id_field, offer, sent
from planning.pages.score_forms import AS_POINTS, ScoreField, label_field
from studyservice.operations.errors import ApiError
from studyservice.rows.access import Access
from studyservice.rows.rows import COURSE, Row
from studyservice.templatetags.site import number


class ScoreChangesForm(EditForm):
    """A stored score, as points if it has them."""

    score = ScoreField(label="Score (%)", help_text=AS_POINTS)
    category_id = id_field("Category")
    label = label_field()

    def __init__(self, data: Any = None, *, score: Row, categories: list[CategoryRow]) -> None:
        points = "score" if score["points"] is None else "points"
        typed = "/".join(number(score[name]) for name in (points, "out_of") if score[name] is not None)
        stored = {"score": typed, "category_id": score["category_id"], "label": score["label"]}
        super().__init__(data, stored=stored)
        offer(self, "category_id", [(one["id"], one["name"]) for one in categories], "Choose a category")
        if score["item_id"] is not None:
            self.fields["category_id"].help_text = "Its item gets the same category."
        for field in self.fields.values():
            field.required = True

    def fields_changed(self) -> ScoreFields:
        """The arguments of `update_grade_score`."""
        changes = self.changes()
        return cast("ScoreFields", changes | changes.pop("score", {}))


@for_active_members(FORM)
def change_score(request: HttpRequest, member: Member, score_id: UUID) -> HttpResponse:
    """Show the score in a form. A post changes it, and leads to the grade of the course."""
    access = Access(member)
    score = require_score(access, score_id)
    grades = get_grades(access, score[COURSE])
    data = request.POST if request.method == "POST" else None
    form = ScoreChangesForm(data, score=score, categories=grades["categories"])
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    if form.is_valid():
        changes = form.fields_changed()
        done = sent(form, lambda: update_grade_score(access, score_id, **changes))
        if not isinstance(done, ApiError):
            said = f"Saved the score of “{done['label']}”." if changes else "Nothing was changed."
            messages.success(request, said, extra_tags="above")
            return HttpResponseRedirect(f"{reverse('course', args=[score[COURSE]])}#grade")
        status = done.status
    context = {"score": score, "grades": grades, "form": form}
    return render(request, "planning/change_score.html", context, status=status)
