"""The pages of what comes up: by week, and a month as a table."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from itertools import groupby
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date

from accounts.models import Member
from accounts.pages.once import address_here
from accounts.pages.signed_in import READ, for_active_members
from courses.models import ItemKind
from courses.pages.colors import courses_here, open_courses
from courses.serializers import CourseRow, ItemRow
from planning.pages.due_lists import Day, Due, due_of_item, due_of_step
from planning.pages.forms import Refused
from planning.upcoming import Filters, PlacedMilestone, upcoming
from studyservice.http.middleware import may_fetch
from studyservice.rows.access import Access

MOST_ROWS = 200
"""Maximum number of rows on a page of the list."""

WEEKS = 8
"""Number of weeks with a heading, including this one."""

_PAGES = range(1, 51)
_FILTERS = ("course", "kind", "from")
_WEEK = timedelta(days=7)


class FilterForm(forms.Form):
    """The choice of a course and a kind."""

    course = forms.ChoiceField(required=False)
    kind = forms.ChoiceField(
        required=False, choices=[("", "All kinds"), *((kind, kind.capitalize()) for kind in ItemKind.values)]
    )

    def __init__(self, courses: Iterable[CourseRow], data: Mapping[str, Any]) -> None:
        super().__init__(data)
        names = [(str(course["id"]), course["name"]) for course in courses]
        self.fields["course"] = forms.ChoiceField(required=False, choices=[("", "All courses"), *names])

    def filters(self) -> Filters:
        """The chosen filters of a valid form."""
        course, kind = self.cleaned_data["course"], self.cleaned_data["kind"]
        return Filters(course_id=UUID(course) if course else None, kind=kind or None)


class Week(NamedTuple):
    """A week of the list, or everything after the last one.

    Attributes:
        monday: the first day of the week; None for later ones.
        sunday: the last day.
        days: the days with something due.
    """

    monday: date | None
    sunday: date | None
    days: list[Day]


def monday_of(day: date) -> date:
    """The first day of the week."""
    return day - timedelta(days=day.weekday())


@for_active_members(READ)
def upcoming_page(request: HttpRequest, member: Member) -> HttpResponse:
    """Show items and open milestones from the member's today, or from another day, by week."""
    return show_upcoming(request, member)


def show_upcoming(request: HttpRequest, member: Member, *, refused: Refused | None = None) -> HttpResponse:
    """The page. `refused` is the row whose move was refused."""
    today = member.today()
    start = _start(request, today)
    page = next((page for page in _PAGES if request.GET.get("page") == str(page)), 1)
    courses = open_courses(courses_here(request))
    form = FilterForm(courses, request.GET)
    most = page * MOST_ROWS + 1
    found = upcoming(Access(member), start, form.filters(), limit=most) if form.is_valid() else []
    rows = found[(page - 1) * MOST_ROWS : page * MOST_ROWS]
    context = {
        "today": today,
        "tomorrow": today + timedelta(days=1),
        "this_week": monday_of(today),
        "next_week": monday_of(today) + _WEEK,
        "start": start,
        "form": form,
        "has_course": bool(courses),
        "weeks": _weeks(rows, today),
        "undated": [_due(row) for row in rows if row["due_on"] is None],
        "earlier": _address(request, page - 1) if page > 1 else "",
        "later": _address(request, page + 1) if len(found) > page * MOST_ROWS else "",
        "here": address_here(request, *_FILTERS, "page"),
        "refused": refused,
    }
    return may_fetch(request, render(request, "planning/upcoming.html", context))


def _start(request: HttpRequest, today: date) -> date:
    """The first day of the list: `?from=`, or today without a valid one."""
    try:
        return parse_date(request.GET.get("from", "")) or today
    except ValueError:
        return today


def _address(request: HttpRequest, page: int) -> str:
    """The address of another page of the list."""
    kept = {name: request.GET[name] for name in _FILTERS if name in request.GET}
    return f"{request.path}?{urlencode({**kept, 'page': page})}"


def _weeks(rows: Iterable[ItemRow | PlacedMilestone], today: date) -> list[Week]:
    """The dated rows by week and day."""
    later = monday_of(today) + WEEKS * _WEEK
    dated = [(row["due_on"], _due(row)) for row in rows if row["due_on"] is not None]
    days = [Day(day, [due for _, due in group]) for day, group in groupby(dated, key=lambda one: one[0])]
    weeks = groupby(days, key=lambda day: monday_of(day.date) if day.date < later else None)
    return [Week(monday, monday and monday + timedelta(days=6), list(group)) for monday, group in weeks]


def _due(row: ItemRow | PlacedMilestone) -> Due:
    if "item_id" not in row:
        return due_of_item(row)
    step = cast("PlacedMilestone", row)
    return due_of_step(step, {step["item_id"]: step["course_id"]})
