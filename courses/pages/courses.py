"""The pages of a member's courses: the list, one course, its files, creating by hand, and deleting."""

from http import HTTPStatus
from typing import NamedTuple
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render

from accounts.credentials.connections import CONNECTED_APPS
from accounts.models import Member
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import FORM, POST, READ, for_active_members
from courses import courses, items
from courses.courses import COURSES, COURSES_IN_ALL
from courses.pages.colors import courses_here
from courses.pages.course_forms import CourseChangesForm, CourseForm, given_texts
from courses.serializers import CourseRow, ItemRow
from courses.uploads.files import delete_syllabus, files_by_course, get_syllabus_file, list_syllabi
from courses.uploads.serializers import SyllabusRow
from courses.views import CourseViewSet
from studyservice.http.bodies import download_response
from studyservice.operations.errors import Conflict
from studyservice.rows.access import Access

NEXT = 3
"""Maximum number of items per course in the list."""


class Listed(NamedTuple):
    """A course in the list.

    Attributes:
        next: its items from today on, at most `NEXT`.
        more: number of further items.
    """

    course: CourseRow
    next: list[ItemRow]
    more: int
    files: list[SyllabusRow]


@for_active_members(READ)
def course_list(request: HttpRequest, member: Member) -> HttpResponse:
    """Every course with its next items and its files; below them the ended ones."""
    due: dict[UUID, list[ItemRow]] = {}
    for item in items.items_ahead(Access(member)):
        due.setdefault(item["course_id"], []).append(item)
    files = files_by_course(Access(member))
    every = courses_here(request)
    listed = [
        Listed(course, ahead[:NEXT], len(ahead[NEXT:]), files.get(course["id"], []))
        for course in every
        if not course["archived"]
        for ahead in [due.get(course["id"], [])]
    ]
    maxima = ((COURSES, len(listed)), (COURSES_IN_ALL, len(every)))
    context = {
        "courses": listed,
        "ended": [course for course in every if course["archived"]],
        "full": next((maximum.refusal().message for maximum, present in maxima if present >= maximum.most), ""),
    }
    return render(request, "courses/courses.html", context)


@for_active_members(FORM)
def new_course_by_hand(request: HttpRequest, member: Member) -> HttpResponse:
    """Create a course by hand, without a syllabus."""
    form = CourseForm(request.POST if request.method == "POST" else None)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    if form.is_valid():
        try:
            course = form.make_once(
                request,
                member,
                CourseViewSet.create_course,
                lambda: courses.create_course(Access(member), **form.fields_given()),
            )
        except Conflict as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(request, f"Added “{course['name']}”.")
            return redirect("course", course_id=course["id"])
    return render(request, "courses/new_course_by_hand.html", {"form": form}, status=status)


@for_active_members(FORM)
def change_course(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Change the fields of a course."""
    course = courses.require_course(Access(member), course_id)
    form = CourseChangesForm(request.POST if request.method == "POST" else None, stored=given_texts(course))
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
        return render(request, "courses/change_course.html", {"course": course, "form": form}, status=status)
    if changes := form.changes():
        courses.update_course(Access(member), course_id, **changes)
        messages.success(request, "Saved.")
    return redirect("course", course_id=course_id)


@for_active_members(POST)
def archive_course(request: HttpRequest, member: Member, course_id: UUID, *, archived: bool) -> HttpResponse:
    """End or reopen a course at once, as the member can undo it."""
    try:
        name = courses.update_course(Access(member), course_id, archived=archived)["name"]
    except Conflict as error:
        messages.warning(request, f"Nothing was changed. {error.message}")
    else:
        messages.success(request, f"“{name}” {'has ended' if archived else 'is open again'}.")
    return redirect("course", course_id=course_id)


@for_active_members(FORM)
def delete_course(request: HttpRequest, member: Member, course_id: UUID) -> HttpResponse:
    """Ask on GET, delete on POST."""
    course = courses.require_course(Access(member), course_id)
    if request.method != "POST":
        number = len(items.items_of(Access(member), course_id))
        return render(request, "courses/delete_course.html", {"course": course, "number": number})
    courses.delete_course(Access(member), course_id)
    messages.success(request, f"“{course['name']}” is deleted. An undo restores it without its files.")
    return redirect("courses")


@for_active_members(FORM)
def delete_item(request: HttpRequest, member: Member, course_id: UUID, item_id: UUID) -> HttpResponse:
    """Ask on GET, delete on POST."""
    item = items.get_item(Access(member), item_id)
    if item["course_id"] != course_id:
        raise Http404
    if request.method != "POST":
        return render(request, "courses/delete_item.html", {"item": item})
    items.delete_item(Access(member), item_id)
    messages.success(request, f"“{item['title']}” is deleted.")
    return redirect("course", course_id=course_id)


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


class FirstSteps(NamedTuple):
    """The steps.

    Attributes:
        asks_for_app: whether to suggest an assistant; not if the member dismissed it.
    """

    has_course: bool
    has_app: bool
    asks_for_app: bool


def first_steps(access: Access, courses: int) -> FirstSteps | None:
    """Return the first steps of a member with this many courses. None once both are done or the second one is
    dismissed, and with a second course. At most one statement.
    """
    if courses > 1 or (courses and access.member.assistant_dismissed):
        return None
    has_app = bool(CONNECTED_APPS.get().connected_apps(access.member, most=1))
    if courses and has_app:
        return None
    return FirstSteps(
        has_course=courses == 1, has_app=has_app, asks_for_app=has_app or not access.member.assistant_dismissed
    )


@for_active_members(POST)
def dismiss_assistant(request: HttpRequest, member: Member) -> HttpResponse:
    """Stop suggesting an assistant, and show the originating page again."""
    Member.objects.filter(id=member.id).update(assistant_dismissed=True)
    return HttpResponseRedirect(target_after(request))
