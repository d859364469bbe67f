"""A new course from a syllabus, created after the member has approved the reading."""

from typing import Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import Member
from accounts.pages.signed_in import FORM, for_active_members
from accounts.pages.uploads import tells_when_busy, with_headers
from accounts.rows.access import Access
from courses.pages.model_pages import chosen_reader, is_being_read, model_label, reading_page
from courses.pages.syllabus_forms import UPLOAD, WRONG, NewCourse, SentSyllabus, gone, is_approval
from courses.uploads.files import get_syllabus
from courses.uploads.proposals import proposal_of
from courses.uploads.serializers import ProposalRow, SyllabusDetailRow
from courses.views import CourseViewSet
from studyservice.http.forms import takes_file
from studyservice.operations.errors import Conflict, NotFound, ValidationFailed
from studyservice.reading.process import ReadLater

MAX_LINES: Final = 2_000
"""Maximum lines of text shown next to the table. Only texts of over a hundred pages have more."""


@for_active_members(FORM)
@takes_file(UPLOAD)
@tells_when_busy
def new_course(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for a file or a text on GET. A post of a file stores it for a day and redirects to its proposal. A post of a
    text shows the proposal at once, and a post of that creates the course.
    """
    sent = SentSyllabus(request, member)
    if sent.text is not None:
        try:
            proposal = proposal_of(Access(member), sent.text, None)
        except ReadLater as error:
            if is_approval(request):
                raise
            sent.refuse_text(error)
        else:
            return _review(request, member, proposal, text=sent.text)
    upload = sent.upload(member)
    if upload is not None:
        return redirect("review-syllabus", syllabus_id=upload["id"])
    return with_headers(render(request, "courses/new_course.html", {"sent": sent}, status=sent.status), sent.headers)


@for_active_members(FORM)
@takes_file(UPLOAD)
@tells_when_busy
def review_syllabus(request: HttpRequest, member: Member, syllabus_id: UUID) -> HttpResponse:
    """Show the proposal of a file. A post creates the course with the file."""
    try:
        upload = get_syllabus(Access(member), syllabus_id, include_text=True, reader=chosen_reader(request))
    except NotFound:
        return gone(request)
    if upload["course_id"] is not None:  # already created, as after a double click
        return redirect("course", course_id=upload["course_id"])
    if is_being_read(request, upload):
        return reading_page(request, upload, back=reverse("courses"))
    return _review(request, member, upload["proposal"], upload=upload)


def _review(
    request: HttpRequest,
    member: Member,
    proposal: ProposalRow,
    *,
    text: str | None = None,
    upload: SyllabusDetailRow | None = None,
) -> HttpResponse:
    """The table, or the course after the table was approved."""
    data = request.POST if is_approval(request) else None
    new = NewCourse(proposal, data)
    lines = ((text if upload is None else upload.get("text")) or "").splitlines()[:MAX_LINES]
    context = {
        "new": new,
        "review": new.review,
        "text": text,
        "upload": upload,
        "lines": lines,
        "reader": proposal["reader"],
        "model_label": model_label(),
    }
    if data is None or new.review.asks_for_row:
        return render(request, "courses/review_new_course.html", context)
    if not new.is_valid():
        return render(request, "courses/review_new_course.html", context, status=WRONG)
    try:
        course = new.course.make_once(
            request,
            member,
            CourseViewSet.create_course,
            lambda: new.make(member, text=text, syllabus_id=upload["id"] if upload else None),
        )
    except Conflict as error:
        return render(
            request, "courses/review_new_course.html", context | {"refused": error.message}, status=error.status
        )
    except ValidationFailed:  # the file was attached or has expired meanwhile, which its page reports
        return redirect(request.path)
    messages.success(request, f"Added “{course['name']}”: {new.taken}.")
    return redirect("course", course_id=course["id"])
