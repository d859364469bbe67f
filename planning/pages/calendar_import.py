"""Importing a calendar file into a course: the file is read, the member reviews its changes and applies them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict

from accounts.models import Member
from accounts.pages.forms import FileForm, file_field, megabytes, refusal_in_words, with_headers
from accounts.pages.once import OnceForm, done_once
from accounts.pages.signed_in import FORM, for_active_members
from courses.approval import Applied
from courses.courses import list_courses, require_course
from courses.pages.review import Review, ReviewAgain, approved_of
from courses.serializers import CourseRow
from planning.calendar.assigning import IGNORED, LabelRow, label_rows, load_courses, proposals, summaries
from planning.calendar.files import MAX_BYTES, CalendarFile, as_json, from_json, read_calendar
from planning.calendar.matching import Source, match
from planning.calendar.reviewing import rows_of_courses, take_approved
from planning.pages.school_calendar_forms import LabelsForm
from planning.views import CalendarViewSet
from studyservice.http.forms import takes_file
from studyservice.operations.errors import ApiError, Conflict
from studyservice.operations.uploads import Upload
from studyservice.rows.access import Access

UPLOAD = Upload(2 * MAX_BYTES)
"""For a file, or for its contents together with the table."""

_READ = "calendar"
"""The field with the file's contents, which the server does not store: signed, for this member and course."""

_SKIPPED = {
    "deleted": "you deleted it here",
    "completed": "it is done",
    "opens": "it opens on that day, but is not due",
    "no_uid": "it has no UID",
    "uid_too_long": "its UID is too long",
    "no_title": "it has no title",
    "no_date": "it has no date",
    "recurs_too_often": "it recurs within a day",
    "unknown_zone": "added, but the file does not define its time zone. Check the date",
    "unreadable_text": "added, but some characters could not be read",
}


_CHOICE = "choose"
"""The button of the form that assigns courses to labels."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read.

    Attributes:
        courses: the course id or `ignore` for each label; None if the page's course takes all events.
    """

    calendar: CalendarFile
    courses: Mapping[str, str] | None = None

    def source(self, course_id: UUID) -> Source:
        """The events for each course. The page's course may have none if all labels belong elsewhere."""
        if self.courses is None:
            return Source.of_file(self.calendar, course_id)
        chosen = {label: UUID(one) for label, one in self.courses.items() if one != IGNORED}
        return Source.of_labels(self.calendar, chosen, course_id)


class CalendarForm(FileForm):
    """The form for a calendar file."""

    max_bytes = MAX_BYTES
    file = file_field(".ics,text/calendar")


@for_active_members(FORM)
@takes_file(UPLOAD)
def import_calendar_file(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Ask for a file on GET. A post of a file shows its changes, and a post of that table applies them."""
    course = require_course(Access(member), course_id)
    if request.method != "POST":
        return _form(request, course, CalendarForm())
    if _READ in request.POST:
        return _go_on(request, member, course)
    form = CalendarForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form(request, course, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        calendar = read_calendar(Access(member), form.sent().file)
    except ApiError as error:
        form.add_error("file", refusal_in_words(error))
        return _form(request, course, form, error.status, error.headers)
    if len(summaries(calendar.events)) > 1:
        return _choose(request, member, course, calendar)
    return _review(request, member, course, ReadFile(calendar))


def _go_on(request: HttpRequest, member: Member, course: CourseRow) -> HttpResponse:
    """Handle the member's choices or approval for a file that was read before."""
    try:
        file = _unsigned(request.POST[_READ], member, course)
    except signing.BadSignature:
        form = CalendarForm({}, MultiValueDict())
        form.add_error("file", "The form came back incomplete. Choose the file again.")
        return _form(request, course, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    if _CHOICE not in request.POST:
        return _take(request, member, course, file)
    labels = LabelsForm(list_courses(Access(member)), _labels(Access(member), course, file.calendar), request.POST)
    if not labels.is_valid():
        return _choose(request, member, course, file.calendar, labels)
    return _review(request, member, course, replace(file, courses=labels.chosen()))


def _take(request: HttpRequest, member: Member, course: CourseRow, file: ReadFile) -> HttpResponse:
    source = file.source(course["id"])
    try:
        done = done_once(
            request,
            member,
            CalendarViewSet.import_calendar,
            lambda: _in_words(take_approved(Access(member), source, lambda rows: approved_of(rows, request.POST))),
        )
    except ReviewAgain as again:
        return _review(request, member, course, file, review=again.review, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except Conflict as error:
        return _review(
            request, member, course, file, sent=request.POST, status=HTTPStatus.CONFLICT, refused=error.message
        )
    messages.success(request, done)
    return redirect("course", course_id=course["id"])


def _in_words(done: Sequence[tuple[str, Applied]]) -> str:
    """What was applied to each course."""
    changed = [(name, words) for name, applied in done if (words := applied.in_words())]
    if not changed:
        return "Nothing was changed."
    if len(done) == 1:
        return f"Done: {changed[0][1]}."
    return " ".join(f"{name}: {words}." for name, words in changed)


def _labels(access: Access, course: CourseRow, calendar: CalendarFile) -> list[LabelRow]:
    """The labels with the course that each evidently names. Events without a label get this page's course."""
    courses = load_courses(access).named
    rows = label_rows(summaries(calendar.without_brackets().events), courses, {}, course["id"])
    proposed = proposals([row["label"] for row in rows], courses)
    return [{**row, "course_id": proposed.get(row["label"]) if row["label"] else row["course_id"]} for row in rows]


def _choose(
    request: HttpRequest, member: Member, course: CourseRow, calendar: CalendarFile, form: LabelsForm | None = None
) -> HttpResponse:
    context = {
        "course": course,
        "form": form or LabelsForm(list_courses(Access(member)), _labels(Access(member), course, calendar)),
        "calendar": _signed(ReadFile(calendar), member, course),
    }
    status = HTTPStatus.OK if form is None else HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "planning/calendar_labels.html", context, status=status)


def _form(
    request: HttpRequest,
    course: CourseRow,
    form: forms.Form,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    context = {"course": course, "form": form, "most": megabytes(MAX_BYTES)}
    return with_headers(render(request, "planning/calendar_import.html", context, status=status), headers or {})


def _review(
    request: HttpRequest,
    member: Member,
    course: CourseRow,
    file: ReadFile,
    *,
    review: Review | None = None,
    sent: QueryDict | None = None,
    status: HTTPStatus = HTTPStatus.OK,
    refused: str = "",
) -> HttpResponse:
    courses = load_courses(Access(member), with_items=True)
    comparisons = match(Access(member), file.source(course["id"]), courses)
    skipped = [(one["title"], _SKIPPED.get(one["reason"], one["reason"])) for one in file.calendar.skipped]
    skipped += [(one.title, _SKIPPED["deleted"]) for found in comparisons.values() for one in found.deleted]
    context = {
        "course": course,
        "review": review or Review(rows_of_courses(comparisons, courses), sent),
        "refused": refused,
        "once": OnceForm(),
        "unchanged": sum(found.not_shown for found in comparisons.values()),
        "skipped": skipped,
        "calendar": _signed(file, member, course),
    }
    return render(request, "planning/calendar_review.html", context, status=status)


def _salt(access: Access, course: CourseRow) -> str:
    return f"calendar file of {access.member.id} for {course['id']}"


def _signed(file: ReadFile, member: Member, course: CourseRow) -> str:
    read = {**as_json(file.calendar), "courses": file.courses}
    return signing.dumps(read, salt=_salt(Access(member), course), compress=True)


def _unsigned(text: str, member: Member, course: CourseRow) -> ReadFile:
    """Raise `BadSignature` unless this service issued the text to this member for this course."""
    read = signing.loads(text, salt=_salt(Access(member), course))
    return ReadFile(from_json(read), read.get("courses"))
