"""The pages of school calendars: a list with a form for adding, and a page for each with its waiting reading."""

from collections.abc import Callable
from http import HTTPStatus
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.models import Member
from accounts.pages.forms import with_headers
from accounts.pages.signed_in import FORM, for_active_members
from courses.courses import list_courses
from planning.calendar.assigning import load_courses
from planning.calendar.matching import match
from planning.calendar.reviewing import rows_of
from planning.models import ReadingOutcome
from planning.pages.school_calendar_forms import AddressForm, CalendarForm
from planning.school_calendars import calendars
from planning.school_calendars.rows import (
    CALENDARS,
    calendars_over,
    get_school_calendar,
    list_school_calendars,
    stored_calendar,
)
from planning.school_calendars.serializers import SchoolCalendarDetailRow
from planning.school_calendars.taking import source_of
from planning.views import SchoolCalendarViewSet
from studyservice.operations.errors import ApiError, NotFound, ValidationFailed
from studyservice.rows.access import Access


@for_active_members(FORM)
def calendar_list(request: HttpRequest, member: Member) -> HttpResponse:
    """The member's calendars. A post adds one and leads to its page."""
    courses = list_courses(Access(member))
    form = AddressForm(courses, request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return _list(request, member, form)
    if not form.is_valid():
        return _list(request, member, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    sent = form.cleaned_data
    try:
        added = form.make_once(
            request,
            member,
            SchoolCalendarViewSet.add_school_calendar,
            lambda: calendars.add_school_calendar(
                Access(member),
                url=sent["url"],
                name=sent["name"] or None,
                course_id=UUID(sent["course_id"]) if sent["course_id"] else None,
            ),
        )
    except ValidationFailed as error:
        for detail in error.details or ():
            form.add_error(detail["field"] if detail["field"] in form.fields else None, detail["message"])
        return _list(request, member, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    except ApiError as error:
        form.add_error(None, error.message)
        return with_headers(_list(request, member, form, error.status), error.headers)
    messages.success(request, f"Added “{added['name']}”.")
    return redirect("calendar", calendar_id=added["id"])


def _list(request: HttpRequest, member: Member, form: AddressForm, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    found = list_school_calendars(Access(member))
    context = {
        "calendars": found,
        "over": calendars_over(Access(member)),
        "form": form,
        "is_on": settings.SCHOOL_CALENDARS,
        "is_full": len(found) >= CALENDARS.most,
        "most": CALENDARS.most,
        "time_zone": member.time_zone,
    }
    return render(request, "planning/school_calendars.html", context, status=status)


_DONE = {
    "save": "Saved.",
    "refresh": "The calendar was read.",
    "accept": "The dates were taken.",
    "refuse": "Nothing was taken. We ask again when the school changes something.",
    "pause": "The calendar is paused.",
    "start": "The calendar is read again.",
}


@for_active_members(FORM)
def calendar_page(request: HttpRequest, member: Member, calendar_id: UUID) -> HttpResponse:
    """One calendar. A post saves its form or performs the action of a button."""
    calendar = get_school_calendar(Access(member), calendar_id)
    if request.method != "POST":
        return _page(request, member, calendar, _form(Access(member), calendar))
    do = request.POST.get("do", "")
    form = CalendarForm(list_courses(Access(member)), calendar["labels"], request.POST)
    if do == "save" and not form.is_valid():
        return _page(request, member, calendar, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    actions: dict[str, Callable[[], SchoolCalendarDetailRow]] = {
        "save": lambda: calendars.update_school_calendar(
            Access(member), calendar_id, name=form.cleaned_data["name"], courses=form.chosen()
        ),
        "refresh": lambda: calendars.refresh_school_calendar(Access(member), calendar_id),
        "accept": lambda: calendars.answer_school_calendar(Access(member), calendar_id, accept=True),
        "refuse": lambda: calendars.answer_school_calendar(Access(member), calendar_id, accept=False),
        "pause": lambda: calendars.update_school_calendar(Access(member), calendar_id, paused=True),
        "start": lambda: calendars.update_school_calendar(Access(member), calendar_id, paused=False),
    }
    if do not in actions:
        raise Http404
    try:
        after = actions[do]()
    except NotFound:
        raise
    except ApiError as error:
        page = _page(request, member, calendar, _form(Access(member), calendar), error.status, refused=error.message)
        return with_headers(page, error.headers)
    if do == "refresh" and after["last_error"] is not None:
        messages.warning(request, f"It could not be read: {after['last_error']['message']}")
    else:
        messages.success(request, _DONE[do])
    return redirect("calendar", calendar_id=calendar_id)


def _form(access: Access, calendar: SchoolCalendarDetailRow) -> CalendarForm:
    return CalendarForm(list_courses(access), calendar["labels"], initial={"name": calendar["name"]})


def _page(
    request: HttpRequest,
    member: Member,
    calendar: SchoolCalendarDetailRow,
    form: CalendarForm,
    status: HTTPStatus = HTTPStatus.OK,
    *,
    refused: str = "",
) -> HttpResponse:
    context = {
        "calendar": calendar,
        "over": calendars_over(Access(member)),
        "form": form,
        "tables": _tables(Access(member), calendar),
        "refused": refused,
        "is_on": settings.SCHOOL_CALENDARS,
        "time_zone": member.time_zone,
    }
    return render(request, "planning/school_calendar.html", context, status=status)


def _tables(access: Access, calendar: SchoolCalendarDetailRow) -> list[dict[str, object]]:
    """The changes of the waiting reading: the rows of a table for each course."""
    stored = stored_calendar(access, calendar["id"])
    if stored["answer"] != ReadingOutcome.HELD:
        return []
    courses = load_courses(access, with_items=True)
    tables = [
        {"course": courses.name_of(one.course_id), "rows": list(rows_of(one)), "unchanged": one.unchanged}
        for one in match(access, source_of(stored, courses), courses).values()
    ]
    return [table for table in tables if table["rows"]]


@for_active_members(FORM)
def delete_calendar(request: HttpRequest, member: Member, calendar_id: UUID) -> HttpResponse:
    """Ask on GET, delete on POST."""
    if request.method != "POST":
        context = {"calendar": get_school_calendar(Access(member), calendar_id)}
        return render(request, "planning/delete_school_calendar.html", context)
    calendars.delete_school_calendar(Access(member), calendar_id)
    messages.success(request, "The calendar was deleted. Its dates are still in your courses.")
    return redirect("calendars")
