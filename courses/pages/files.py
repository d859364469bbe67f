"""The files of a course: download and deletion."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from accounts.models import Member
from accounts.pages.signed_in import FORM, READ, for_active_members
from accounts.rows.access import Access
from courses.uploads.files import delete_syllabus, get_syllabus_file, list_syllabi
from courses.uploads.serializers import SyllabusRow
from studyservice.http.bodies import download_response


@for_active_members(READ)
def syllabus_file(request: HttpRequest, member: Member, course_id: UUID, syllabus_id: UUID) -> HttpResponseBase:
    """Download the file as uploaded."""
    _file(Access(member), course_id, syllabus_id)
    return download_response(get_syllabus_file(Access(member), syllabus_id), 200)


@for_active_members(FORM)
def delete_file(request: HttpRequest, member: Member, course_id: UUID, syllabus_id: UUID) -> HttpResponse:
    """Ask on GET, delete on POST."""
    file = _file(Access(member), course_id, syllabus_id)
    if request.method != "POST":
        return render(request, "courses/delete_file.html", {"file": file})
    delete_syllabus(Access(member), syllabus_id)
    messages.success(request, f"“{file['filename']}” is deleted.")
    return redirect("course", course_id=course_id)


def _file(access: Access, course_id: UUID, syllabus_id: UUID) -> SyllabusRow:
    """The file of this course."""
    files = {file["id"]: file for file in list_syllabi(access, course_id)}
    if syllabus_id not in files:
        raise Http404
    return files[syllabus_id]
