"""Attaching an upload to a course, which makes it permanent."""

from datetime import timedelta
from typing import Any, TypedDict, cast
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from accounts.changes.recording import Write
from accounts.members.limits import Limit
from accounts.models import Member
from courses.models import SyllabusFile
from studyservice.database.ahead import update_later
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
    """An upload to be attached."""

    id: UUID
    filename: str
    course_id: UUID | None
    text: str | None


def attachable(write: Write, syllabus_id: UUID, course_id: UUID | None = None) -> Attachable:
    """The upload, if it belongs to no course or to this one.

    Raises:
        ValidationFailed: it does not exist, has expired, or is attached to another course.
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
        Conflict: the course has the maximum number of files.
    """
    require_place(write, course_id)
    mine = SyllabusFile.objects.filter(member_id=write.member_id, id=upload["id"])
    update_later(mine, course_id=course_id, expires_at=None)
    write.changed(SyllabusFile, upload["id"], upload["filename"], {"course_id": None}, {"course_id": course_id})


def require_place(write: Write, course_id: UUID) -> None:
    """Require that the course can have another file.

    Raises:
        Conflict: it has the maximum number of files.
    """
    FILES_OF_COURSE.require_room(SyllabusFile.objects.filter(member_id=write.member_id, course_id=course_id))


def detach_again(member: Member, write: Write, file_id: UUID, left: Any, before: Any) -> None:
    """Undo attaching a file: it becomes an upload for another day. A deleted file stays deleted.

    Raises:
        Conflict: it now belongs to another course, or the same file was uploaded again.
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
