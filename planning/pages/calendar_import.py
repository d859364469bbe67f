"""Taking a calendar file into a course: the file is read, the member looks over what it changes, and takes it."""

from collections.abc import Mapping
from http import HTTPStatus
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.views.decorators.http import require_http_methods

from accounts.models import Member
from accounts.pages.once import OnceForm, done_once
from accounts.pages.signed_in import for_active_members, signed_in
from accounts.pages.uploads import FileForm, file_field, megabytes, refusal_in_words, with_headers
from courses.courses import require_course
from courses.pages.review import Review, ReviewAgain, approved_of
from courses.serializers import CourseRow
from planning.calendar.files import MAX_BYTES, CalendarFile, as_json, from_json, read_calendar
from planning.calendar.reviewing import calendar_rows, take_approved
from planning.calendar.views import CalendarViewSet
from studyservice.http.page_uploads import takes_file
from studyservice.operations.errors import ApiError, Conflict, NotFound
from studyservice.operations.uploads import Upload

UPLOAD = Upload(2 * MAX_BYTES)
"""A file; or what was read of one, with the table."""

_READ = "calendar"
"""The field with what was read, which the server keeps nowhere: signed, for this member and course."""

_SKIPPED = {
    "deleted": "you deleted it here",
    "completed": "it is done",
    "opens": "it opens on that day, but is not due",
    "no_uid": "it has no UID",
    "uid_too_long": "its UID is too long",
    "no_title": "it has no title",
    "no_date": "it has no date",
    "recurs_too_often": "it recurs within a day",
}


class CalendarForm(FileForm):
    """Takes a calendar file."""

    max_bytes = MAX_BYTES
    file = file_field(".ics,text/calendar")


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
@takes_file(UPLOAD)
def import_calendar_file(request: HttpRequest, course_id: UUID) -> HttpResponse:
    """Asks for a file on GET; a post of one shows what it changes, a post of that table takes it."""
    member = signed_in(request)
    try:
        course = require_course(member, course_id)
        if request.method != "POST":
            return _form(request, course, CalendarForm())
        if _READ in request.POST:
            return _take(request, member, course)
        form = CalendarForm(request.POST, request.FILES)
        if not form.is_valid():
            return _form(request, course, form, HTTPStatus.UNPROCESSABLE_ENTITY)
        try:
            calendar = read_calendar(member, form.sent().file)
        except ApiError as error:
            form.add_error("file", refusal_in_words(error))
            return _form(request, course, form, error.status, error.headers)
        return _review(request, member, course, calendar)
    except NotFound as error:
        raise Http404 from error


def _take(request: HttpRequest, member: Member, course: CourseRow) -> HttpResponse:
    try:
        calendar = _unsigned(request.POST[_READ], member, course)
    except signing.BadSignature:
        form = CalendarForm({}, MultiValueDict())
        form.add_error("file", "The form came back incomplete. Choose the file again.")
        return _form(request, course, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        done = done_once(
            request,
            member,
            CalendarViewSet.import_calendar,
            lambda: take_approved(
                member, course["id"], calendar, lambda rows: approved_of(rows, request.POST)
            ).in_words(),
        )
    except ReviewAgain as again:
        return _review(request, member, course, calendar, review=again.review, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except Conflict as error:
        review = Review(calendar_rows(member, course["id"], calendar)[0], request.POST)
        return _review(
            request, member, course, calendar, review=review, status=HTTPStatus.CONFLICT, refused=error.message
        )
    messages.success(request, f"Done: {done}. You can undo it in Activity." if done else "Nothing was changed.")
    return redirect("course", course_id=course["id"])


def _form(
    request: HttpRequest,
    course: CourseRow,
    form: forms.Form,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    context = {"course": course, "form": form, "most": megabytes(MAX_BYTES)}
    return with_headers(render(request, "calendar_import.html", context, status=status), headers or {})


def _review(
    request: HttpRequest,
    member: Member,
    course: CourseRow,
    calendar: CalendarFile,
    *,
    review: Review | None = None,
    status: HTTPStatus = HTTPStatus.OK,
    refused: str = "",
) -> HttpResponse:
    rows, found = calendar_rows(member, course["id"], calendar)
    skipped = [(one["title"], _SKIPPED.get(one["reason"], one["reason"])) for one in calendar.skipped]
    skipped += [(one.title, _SKIPPED["deleted"]) for one in found.deleted]
    context = {
        "course": course,
        "review": Review(rows) if review is None else review,
        "refused": refused,
        "once": OnceForm(),
        "unchanged": found.unchanged,
        "skipped": skipped,
        "calendar": _signed(calendar, member, course),
    }
    return render(request, "calendar_review.html", context, status=status)


def _salt(member: Member, course: CourseRow) -> str:
    return f"calendar file of {member.id} for {course['id']}"


def _signed(calendar: CalendarFile, member: Member, course: CourseRow) -> str:
    return signing.dumps(as_json(calendar), salt=_salt(member, course), compress=True)


def _unsigned(text: str, member: Member, course: CourseRow) -> CalendarFile:
    """Raises `BadSignature` if it is not what this service gave this member for this course."""
    return from_json(signing.loads(text, salt=_salt(member, course)))
