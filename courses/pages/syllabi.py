"""A new course from a syllabus, or a new version of a course's syllabus, after the member has approved the reading."""

from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.forms import tells_when_busy, with_headers
from accounts.pages.once import OnceForm, done_once
from accounts.pages.signed_in import FORM, for_active_members
from courses.courses import require_course
from courses.model_reading.readings import MODEL, READING, RULES
from courses.pages.course_forms import NewCourse
from courses.pages.review import Review, ReviewAgain, approved_of
from courses.pages.syllabus_forms import UPLOAD, WRONG, SentSyllabus, gone, is_approval
from courses.serializers import CourseRow
from courses.syllabus_rows import apply_syllabus, version_of
from courses.uploads.files import get_syllabus, model_answer
from courses.uploads.proposals import proposal_of
from courses.uploads.serializers import SyllabusDetailRow
from courses.views import CourseViewSet
from studyservice.http.forms import takes_file
from studyservice.operations.errors import Conflict, NotFound, ValidationFailed
from studyservice.reading.process import ReadLater
from studyservice.rows.access import Access

MAX_LINES: Final = 2_000
"""Maximum lines of text shown next to the table. Only texts of over a hundred pages have more."""

REFRESH: Final = 4
"""Seconds until the page of a syllabus that a model is reading looks again."""


@for_active_members(FORM)
@takes_file(UPLOAD)
@tells_when_busy
def send_syllabus(request: HttpRequest, member: Member, course_id: UUID | None = None) -> HttpResponse:
    """Ask for a file or a text on GET, for a new course or for this one. A post of a file stores it for a day and
    redirects to its table. A post of a text shows the table at once, and a post of that applies it.
    """
    course = None if course_id is None else require_course(Access(member), course_id)
    sent = SentSyllabus(request, member)
    if sent.text is not None:
        try:
            return _review(request, member, course, text=sent.text)
        except ReadLater as error:
            if is_approval(request):
                raise
            sent.refuse_text(error)
    upload = sent.upload(member, course_id)
    if upload is None:
        page = "courses/new_course.html" if course is None else "courses/new_syllabus.html"
        answer = render(request, page, {"sent": sent, "course": course}, status=sent.status)
        return with_headers(answer, sent.headers)
    if course is None:
        return redirect("review-syllabus", syllabus_id=upload["id"])
    return redirect("review-new-syllabus", course_id=course_id, syllabus_id=upload["id"])


@for_active_members(FORM)
@takes_file(UPLOAD)
@tells_when_busy
def review_syllabus(
    request: HttpRequest, member: Member, syllabus_id: UUID, course_id: UUID | None = None
) -> HttpResponse:
    """Show the table of a file, for a new course or for this one. A post applies it with the file."""
    try:
        course = None if course_id is None else require_course(Access(member), course_id)
        upload = get_syllabus(Access(member), syllabus_id, include_text=True, reader=_chosen_reader(request))
        if upload["course_id"] not in {None, course_id}:
            # already created, as after a double click
            return gone(request) if course else redirect("course", course_id=upload["course_id"])
        is_being_read = upload["model"] is not None and upload["model"]["state"] == READING
        if is_being_read and not is_approval(request) and _chosen_reader(request) is None:
            return _reading_page(request, upload, course)
        return _review(request, member, course, text=upload.get("text"), upload=upload)
    except NotFound:
        return gone(request)


def _chosen_reader(request: HttpRequest) -> str | None:
    """The reader of the table that was sent or asked for: `rules`, or None for the model's if that is ready."""
    chosen = (request.POST if is_approval(request) else request.GET).get("reader")
    return RULES if chosen == RULES else None


def _reading_page(request: HttpRequest, upload: SyllabusDetailRow, course: CourseRow | None) -> HttpResponse:
    """Say that the model is reading, and look again."""
    back = reverse("courses") if course is None else reverse("course", args=[course["id"]])
    context = {"upload": upload, "back": back, "model_label": _model_label(), "refresh": REFRESH}
    return with_headers(render(request, "courses/model_reading.html", context), {"Refresh": str(REFRESH)})


def _model_label() -> str:
    """The model's name; of one that the operator has removed since, a general one."""
    return settings.SYLLABUS_MODEL.label if settings.SYLLABUS_MODEL else "the model"


def _review(
    request: HttpRequest,
    member: Member,
    course: CourseRow | None,
    *,
    text: str | None,
    upload: SyllabusDetailRow | None = None,
) -> HttpResponse:
    """The table, or the course after the table was approved."""
    if course is None:
        return _new_course(request, member, text, upload)
    return _new_version(request, member, course, text, upload)


def _shared(text: str | None, upload: SyllabusDetailRow | None) -> dict[str, Any]:
    """The context that both tables have."""
    return {
        "text": "" if upload else text,
        "upload": upload,
        "reader": upload["proposal"]["reader"] if upload else RULES,
        "model_label": _model_label(),
    }


def _new_course(
    request: HttpRequest, member: Member, text: str | None, upload: SyllabusDetailRow | None
) -> HttpResponse:
    proposal = upload["proposal"] if upload else proposal_of(Access(member), text, None)
    data = request.POST if is_approval(request) else None
    new = NewCourse(proposal, data)
    lines = (text or "").splitlines()[:MAX_LINES]
    context = _shared(text, upload) | {"new": new, "review": new.review, "lines": lines}
    status = HTTPStatus.OK
    if data is not None and not new.review.asks_for_row:
        if new.is_valid():
            sent = {"text": None, "syllabus_id": upload["id"]} if upload else {"text": text, "syllabus_id": None}
            try:
                course = new.course.make_once(
                    request, member, CourseViewSet.create_course, lambda: new.make(member, **sent)
                )
            except Conflict as error:
                context["refused"], status = error.message, error.status
            except ValidationFailed:  # the file was attached or has expired meanwhile, which its page reports
                return redirect(request.path)
            else:
                messages.success(request, f"Added “{course['name']}”: {new.taken}.")
                return redirect("course", course_id=course["id"])
        else:
            status = WRONG
    return render(request, "courses/review_new_course.html", context, status=status)


def _new_version(
    request: HttpRequest, member: Member, course: CourseRow, text: str | None, upload: SyllabusDetailRow | None
) -> HttpResponse:
    access, course_id = Access(member), course["id"]
    context = _shared(text, upload) | {"course": course}
    answer = model_answer(access, upload["id"]) if upload and context["reader"] == MODEL else ""
    review, refused, status = None, "", HTTPStatus.OK
    if is_approval(request):
        try:
            done = done_once(
                request,
                member,
                CourseViewSet.update_course,
                lambda: apply_syllabus(
                    access,
                    course_id,
                    lambda rows: approved_of(rows, request.POST),
                    text=text,
                    syllabus_id=upload["id"] if upload else None,
                    model_answer=answer,
                ).in_words(),
            )
        except ReviewAgain as again:
            review, status = again.review, WRONG
        except (Conflict, ValidationFailed) as error:
            status = error.status
            refused = " ".join(detail["message"] for detail in error.details or ()) or error.message
        else:
            messages.success(request, f"The new version is saved{f': {done}' if done else ''}.")
            return redirect("course", course_id=course_id)
    version = version_of(access, course_id, text, answer)
    context |= {
        "review": review or Review(version.rows, request.POST if refused else None),
        "once": OnceForm(),
        "same": version.same,
        "cautions": version.cautions,
        "refused": refused,
    }
    return render(request, "courses/review_new_syllabus.html", context, status=status)
