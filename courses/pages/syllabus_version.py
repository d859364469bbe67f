"""Upload a new version of a course's syllabus, compare it with the course, and apply the approved changes."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.once import OnceForm, done_once
from accounts.pages.signed_in import FORM, for_active_members
from accounts.pages.uploads import tells_when_busy, with_headers
from accounts.rows.access import Access
from courses.courses import require_course
from courses.model_reading.readings import MODEL, RULES
from courses.pages.model_pages import chosen_reader, is_being_read, model_label, reading_page
from courses.pages.review import Review, ReviewAgain, approved_of
from courses.pages.syllabus_forms import UPLOAD, WRONG, SentSyllabus, gone, is_approval
from courses.serializers import CourseRow
from courses.syllabus_versions import Version, apply_syllabus, version_of
from courses.uploads.files import get_syllabus, model_answer
from courses.uploads.serializers import SyllabusDetailRow
from courses.views import CourseViewSet
from studyservice.http.forms import takes_file
from studyservice.operations.errors import ApiError, Conflict, NotFound, ValidationFailed
from studyservice.reading.process import ReadLater


@for_active_members(FORM)
@takes_file(UPLOAD)
@tells_when_busy
def new_syllabus(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Ask for a file or a text on GET. A post leads to its changes."""
    try:
        course = require_course(Access(member), course_id)
        sent = SentSyllabus(request, member)
        if sent.text is not None:
            return _review(request, member, course, text=sent.text)
        upload = sent.upload(member, course_id)
    except ReadLater as error:
        if is_approval(request):
            raise
        upload = None
        sent.refuse_text(error)
    if upload is not None:
        return redirect("review-new-syllabus", course_id=course_id, syllabus_id=upload["id"])
    context = {"sent": sent, "course": course}
    return with_headers(render(request, "courses/new_syllabus.html", context, status=sent.status), sent.headers)


@for_active_members(FORM)
@takes_file(UPLOAD)
@tells_when_busy
def review_new_syllabus(request: HttpRequest, member: Member, course_id: UUID, syllabus_id: UUID) -> HttpResponse:
    """Show the changes of a file. A post applies them with the file."""
    try:
        course = require_course(Access(member), course_id)
        upload = get_syllabus(Access(member), syllabus_id, include_text=True, reader=chosen_reader(request))
        if upload["course_id"] not in {None, course_id}:
            return gone(request)
        if is_being_read(request, upload):
            return reading_page(request, upload, back=reverse("course", args=[course_id]))
        return _review(request, member, course, text=upload.get("text"), upload=upload)
    except NotFound:
        return gone(request)


def _review(
    request: HttpRequest,
    member: Member,
    course: CourseRow,
    *,
    text: str | None,
    upload: SyllabusDetailRow | None = None,
) -> HttpResponse:
    """The table, or the course after the table was approved."""
    reader = RULES if upload is None else upload["proposal"]["reader"]
    answer = model_answer(Access(member), upload["id"]) if upload is not None and reader == MODEL else ""
    shown: dict[str, object] = {
        "course": course,
        "text": "" if upload else text,
        "upload": upload,
        "reader": reader,
        "model_label": model_label(),
    }

    def version() -> Version:
        return version_of(Access(member), course["id"], text, answer)

    if not is_approval(request):
        return _table(request, version(), shown)
    try:
        done = done_once(
            request,
            member,
            CourseViewSet.update_course,
            lambda: apply_syllabus(
                Access(member),
                course["id"],
                lambda rows: approved_of(rows, request.POST),
                text=text,
                syllabus_id=upload["id"] if upload else None,
                model_answer=answer,
            ).in_words(),
        )
    except ReviewAgain as again:
        return _table(request, version(), shown, review=again.review, status=WRONG)
    except (Conflict, ValidationFailed) as error:
        return _table(request, version(), shown, refused=error)
    messages.success(request, f"The new version is saved{f': {done}' if done else ''}. You can undo it in Activity.")
    return redirect("course", course_id=course["id"])


def _table(
    request: HttpRequest,
    version: Version,
    shown: dict[str, object],
    *,
    review: Review | None = None,
    status: HTTPStatus = HTTPStatus.OK,
    refused: ApiError | None = None,
) -> HttpResponse:
    if review is None:
        review = Review(version.rows, request.POST if refused else None)
    context = shown | {
        "review": review,
        "once": OnceForm(),
        "same": version.same,
        "cautions": version.cautions,
        "refused": _in_words(refused),
    }
    return render(request, "courses/review_new_syllabus.html", context, status=refused.status if refused else status)


def _in_words(refused: ApiError | None) -> str:
    if refused is None:
        return ""
    return " ".join(detail["message"] for detail in refused.details or ()) or refused.message
