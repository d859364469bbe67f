"""The page of a month: its items by day, in a table of weeks."""

from calendar import monthcalendar
from datetime import MAXYEAR, MINYEAR, date
from itertools import groupby
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import Member
from accounts.pages.signed_in import READ, for_active_members
from courses.item_rows import EXAMINED
from planning.upcoming import MonthItem, items_of_month
from studyservice.rows.access import Access

MOST_A_DAY = 8
"""Maximum number of items shown in a day, which keeps the page small."""


class MonthDay(NamedTuple):
    """A day of the table.

    Attributes:
        more: number of items that are not shown.
    """

    date: date
    items: list[MonthItem]
    more: int


@for_active_members(READ)
def month_page(request: HttpRequest, member: Member, month: str) -> HttpResponse:
    """Show the items of a month, past ones included.

    Raises:
        Http404: there is no such month.
    """
    try:
        first = date.fromisoformat(f"{month}-01")
    except ValueError as error:
        raise Http404 from error
    weeks = monthcalendar(first.year, first.month)
    found = items_of_month(Access(member), first, first.replace(day=max(weeks[-1])))
    by_day = {day: list(items) for day, items in groupby(found, key=lambda item: item["due_on"].day)}
    context = {
        "first": first,
        "previous": _neighbor(first, -1),
        "next": _neighbor(first, 1),
        "today": member.today(),
        "weeks": [[_day(first, number, by_day) for number in week] for week in weeks],
        "is_empty": not found,
        "examined": EXAMINED,
    }
    return render(request, "planning/month.html", context)


def _neighbor(first: date, months: int) -> date | None:
    """The first day of the month that many months later; None outside the calendar."""
    year, month = divmod(12 * first.year + first.month - 1 + months, 12)
    return date(year, month + 1, 1) if MINYEAR <= year <= MAXYEAR else None


def _day(first: date, number: int, by_day: dict[int, list[MonthItem]]) -> MonthDay | None:
    """The day with this number; None for the zero of a day in another month."""
    if not number:
        return None
    items = by_day.get(number, [])
    return MonthDay(first.replace(day=number), items[:MOST_A_DAY], len(items[MOST_A_DAY:]))
