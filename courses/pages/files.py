"""The files of a course: download and deletion."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.pages.signed_in import for_active_members, signed_in
from accounts.rows.access import Access
from courses.uploads.files import delete_syllabus, get_syllabus_file, list_syllabi
from courses.uploads.serializers import SyllabusRow
from studyservice.http.bodies import download_response


@for_active_members
@require_safe
def syllabus_file(request: HttpRequest, course_id: UUID, syllabus_id: UUID) -> HttpResponseBase:
    """Download the file as uploaded."""
    _file(request, course_id, syllabus_id)
    return download_response(get_syllabus_file(Access(signed_in(request)), syllabus_id), 200)


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
def delete_file(request: HttpRequest, course_id: UUID, syllabus_id: UUID) -> HttpResponse:
    """Ask on GET, delete on POST."""
    file = _file(request, course_id, syllabus_id)
    if request.method != "POST":
        return render(request, "courses/delete_file.html", {"file": file})
    delete_syllabus(Access(signed_in(request)), syllabus_id)
    messages.success(request, f"“{file['filename']}” is deleted.")
    return redirect("course", course_id=course_id)


def _file(request: HttpRequest, course_id: UUID, syllabus_id: UUID) -> SyllabusRow:
    """The file of this course."""
    files = {file["id"]: file for file in list_syllabi(Access(signed_in(request)), course_id)}
    if syllabus_id not in files:
        raise Http404
    return files[syllabus_id]
