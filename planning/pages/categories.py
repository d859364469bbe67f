"""The page for changing the grade categories of a course."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from http import HTTPStatus
from typing import Any
from uuid import UUID

import orjson
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.forms import PercentField
from accounts.pages.once import OnceForm, done_once
from accounts.pages.signed_in import FORM, for_active_members
from courses.entry_serializers import MAX_CATEGORIES
from courses.pages.item_fields import TOO_LONG
from courses.pages.review import drop_lowest_field
from grades.breakdown import get_grades
from grades.categories import set_grade_categories
from grades.models import GradeCategory
from grades.serializers import CATEGORY_COLUMNS, CategoryFields, CategoryRow, GradeBreakdownRow
from grades.views import GradeViewSet
from studyservice.operations.columns import max_length
from studyservice.operations.errors import Conflict
from studyservice.rows.access import Access, change
from studyservice.templatetags.site import number

NEW_ROWS = 3
"""Number of empty rows for new categories."""


class CategoryForm(forms.Form):
    """A row with a stored category, or an empty one. Rows to delete and empty rows cannot be invalid."""

    use_required_attribute = False

    name = forms.CharField(
        label="Name",
        max_length=max_length(GradeCategory, "name"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Enter a name.", "max_length": TOO_LONG},
    )
    weight = PercentField(label="Weight (%)", least=0, most=100)
    drop_lowest = drop_lowest_field()
    delete = forms.BooleanField(label="Delete", required=False)

    def __init__(self, key: str, category: CategoryRow | None, data: Mapping[str, Any] | None) -> None:
        initial = {}
        if category is not None:
            initial = {
                "name": category["name"],
                "weight": number(category["weight"]),
                "drop_lowest": category["drop_lowest"],
            }
        super().__init__(data, prefix=key, initial=initial)
        self.category = category
        self.title = "New category" if category is None else category["name"]
        if category is None:
            del self.fields["delete"]

    def clean(self) -> dict[str, Any]:
        """Accept rows to delete and rows that stay empty, whatever is in them."""
        if self.is_deleted or self.is_empty:
            self.errors.clear()
        return self.cleaned_data

    @property
    def is_deleted(self) -> bool:
        """Return whether the member selected it for deletion."""
        return bool(self.cleaned_data.get("delete"))

    @property
    def is_empty(self) -> bool:
        """Return whether it is a row for a new category without any input."""
        return self.category is None and not any(self[name].data for name in self.fields)

    def entry(self) -> CategoryFields:
        """The category for `set_grade_categories`."""
        given = self.cleaned_data
        return {
            "id": None if self.category is None else self.category["id"],
            "name": given["name"],
            "weight": Decimal(given["weight"]),
            "drop_lowest": given["drop_lowest"] or 0,
        }


class CategoriesForm:
    """All categories of a course, and empty rows for new ones.

    Args:
        data: the sent data; rows missing from it show the stored values.
    """

    def __init__(self, categories: Sequence[CategoryRow], data: Mapping[str, Any] | None = None) -> None:
        empty = [None] * min(NEW_ROWS, MAX_CATEGORIES - len(categories))
        keyed = [(str(one["id"]), one) for one in categories] + [(f"new{n}", one) for n, one in enumerate(empty)]
        self.rows = [
            CategoryForm(key, one, data if data is not None and f"{key}-name" in data else None) for key, one in keyed
        ]
        self.known = known(categories)

    def is_valid(self) -> bool:
        """True if every row was sent and none is invalid."""
        return all(row.is_valid() for row in self.rows)

    @property
    def errors(self) -> bool:
        """True if a row is invalid."""
        return any(row.errors for row in self.rows)

    def entries(self) -> list[CategoryFields]:
        """The complete list for `set_grade_categories`."""
        return [row.entry() for row in self.rows if not row.is_deleted and not row.is_empty]


def known(categories: Sequence[CategoryRow]) -> str:
    """A fingerprint of the categories in a form, to detect concurrent changes."""
    shown = [[one["id"], *(one[name] for name in CATEGORY_COLUMNS)] for one in categories]  # type: ignore[literal-required]  # its columns
    return sha256(orjson.dumps(shown)).hexdigest()


@for_active_members(FORM)
def grade_categories(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Show all categories in one form. A post replaces them."""
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
