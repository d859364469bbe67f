"""An upload becomes a file of a course, and stays then."""

from datetime import timedelta
from typing import Any, TypedDict, cast
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from accounts.changes.recording import Write
from accounts.members.limits import Limit
from accounts.models import Member
from courses.models import SyllabusFile
from studyservice.operations.errors import Conflict, ValidationFailed

FILES_OF_COURSE = Limit(
    most=10,
    what="files of a course",
    full="This course has reached the limit of {most} files. Delete one first.",
    per="course",
)

KEPT_FOR = timedelta(hours=24)
"""How long an upload is kept without a course."""


class Attachable(TypedDict):
    """An upload that is to be attached."""

    id: UUID
    filename: str
    course_id: UUID | None
    text: str | None


def attachable(write: Write, syllabus_id: UUID, course_id: UUID | None = None) -> Attachable:
    """The upload, if it belongs to no course yet, or to this one.

    Raises:
        ValidationFailed: there is none, it has expired, or it is attached to another course.
    """
    mine = SyllabusFile.objects.filter(member_id=write.member_id, id=syllabus_id)
    free = Q(course=None, expires_at__gt=timezone.now())
    rows = mine.filter(free | Q(course_id=course_id) if course_id else free)
    found = rows.values(*Attachable.__annotations__).first()
    if found is None:
        raise ValidationFailed.of(
            "syllabus_id",
            "There is no such upload, it has expired, or it is attached to another course. Upload it again.",
        )
    return cast("Attachable", found)


def attach(write: Write, upload: Attachable, course_id: UUID) -> None:
    """Attach the upload, which has no course yet.

    Raises:
        Conflict: the course has as many files as it can have.
    """
    require_place(write, course_id)
    mine = SyllabusFile.objects.filter(member_id=write.member_id, id=upload["id"])
    mine.update(course_id=course_id, expires_at=None)
    write.changed(SyllabusFile, upload["id"], upload["filename"], {"course_id": None}, {"course_id": course_id})


def require_place(write: Write, course_id: UUID) -> None:
    """Return whether the course can have another file.

    Raises:
        Conflict: it has as many files as it can have.
    """
    FILES_OF_COURSE.require_room(SyllabusFile.objects.filter(member_id=write.member_id, course_id=course_id))


def detach_again(member: Member, write: Write, file_id: UUID, left: Any, before: Any) -> None:
    """Undo attaching a file: it is an upload again, for another day. A deleted one stays deleted.

    Raises:
        Conflict: it belongs to another course by now, or the same file was uploaded again.
    """
    mine = SyllabusFile.objects.filter(member_id=write.member_id, id=file_id)
    file = mine.values("course_id", "filename", "sha256").first()
    if file is None:
        return
    if str(file["course_id"]) != left:
        raise Conflict(f"“{file['filename']}” is attached to another course by now.")
    same = SyllabusFile.objects.filter(member_id=write.member_id, sha256=file["sha256"], course=None)
    if same.exists():
        raise Conflict(f"“{file['filename']}” was uploaded again since. Delete that upload first, then undo this.")
    mine.update(course=None, expires_at=timezone.now() + KEPT_FOR)
