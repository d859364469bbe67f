"""Attaching an upload to a course, which makes it permanent."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict, cast
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from accounts.changes.recording import Write
from accounts.members.limits import Limit
from courses.models import SyllabusFile
from studyservice.database.ahead import update_later
from studyservice.operations.errors import ValidationFailed

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


def expiry(columns: Mapping[str, Any]) -> dict[str, datetime | None]:
    """Compute the time when a file expires: a detached one becomes an upload for another day."""
    return {"expires_at": None if columns["course_id"] else timezone.now() + KEPT_FOR}
