"""The page for giving a course's items their grade categories."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format

from accounts.models import Member
from accounts.pages.signed_in import FORM, for_active_members
from courses.items import change_items
from grades.breakdown import get_grades
from grades.serializers import CategoryRow, GradeBreakdownRow
from planning.course_plan import PlannedItem, items_with_milestones
from planning.pages.forms import id_field, offer
from studyservice.rows.access import Access, change

ITEMS_A_PAGE = 100


class ItemCategoriesForm(forms.Form):
    """A choice of category for each item."""

    use_required_attribute = False

    def __init__(self, data: Any = None, *, items: Sequence[PlannedItem], categories: Sequence[CategoryRow]) -> None:
        super().__init__(data)
        for item in items:
            about = [item["kind"].capitalize(), *([date_format(item["due_on"], "j M Y")] if item["due_on"] else [])]
            self.fields[str(item["id"])] = id_field(item["title"], ", ".join(about))
            offer(self, str(item["id"]), [(one["id"], one["name"]) for one in categories], "None")

    def chosen(self) -> dict[UUID, UUID]:
        """The chosen categories by item."""
        return {UUID(item): category for item, category in self.cleaned_data.items() if category is not None}


@for_active_members(FORM)
def item_categories(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Show the items without a category in one form. A post sets the chosen categories, as one change."""
    if request.method == "POST":
        return _save(request, member, course_id)
    grades = get_grades(Access(member), course_id)
    page = Paginator(_uncategorized(Access(member), course_id), ITEMS_A_PAGE).get_page(request.GET.get("page"))
    form = ItemCategoriesForm(items=list(page), categories=grades["categories"])
    return _shown(request, grades, form, page=page)


def _save(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Set the categories of the items that still have none. Items that were deleted meanwhile are left out."""
    access = Access(member)
    with change(access, "update_item"):
        grades = get_grades(access, course_id)
        items = [item for item in _uncategorized(access, course_id) if str(item["id"]) in request.POST]
        form = ItemCategoriesForm(request.POST, items=items, categories=grades["categories"])
        if not form.is_valid():
            return _shown(request, grades, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        changed = change_items(access, course_id, [(id_, {"category_id": to}) for id_, to in form.chosen().items()])
    said = f"Saved the category of {changed} item{'' if changed == 1 else 's'}." if changed else "Nothing was changed."
    messages.success(request, said)
    return HttpResponseRedirect(f"{reverse('course', args=[course_id])}#grade")


def _uncategorized(access: Access, course_id: UUID) -> list[PlannedItem]:
    return [item for item in items_with_milestones(access, course_id) if item["category_id"] is None]


def _shown(
    request: HttpRequest,
    grades: GradeBreakdownRow,
    form: ItemCategoriesForm,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    **more: Any,
) -> HttpResponse:
    return render(request, "planning/item_categories.html", {"grades": grades, "form": form, **more}, status=status)
