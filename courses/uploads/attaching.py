"""Attaching an upload to a course, which makes it permanent."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from accounts.members.data import Maximum
from accounts.rows.access import Access
from accounts.rows.rows import Row
from courses.models import SyllabusFile
from studyservice.operations.errors import ValidationFailed

FILES_OF_COURSE = Maximum(
    most=10,
    what="files of a course",
    full="This course has reached the limit of {most} files. Delete one first.",
    per="course",
)

KEPT_FOR = timedelta(hours=24)
"""How long an upload is kept without a course."""


def attachable(access: Access, syllabus_id: UUID, course_id: UUID | None = None) -> Row:
    """The id, name, text and course of the upload, if it belongs to no course or to this one.

    Raises:
        ValidationFailed: it does not exist, has expired, or is attached to another course.
    """
    found = SyllabusFile.rows.of(access).find("filename", "text", "expires_at", id=syllabus_id)
    if found is not None:
        is_free = found["course_id"] is None and found["expires_at"] > timezone.now()
        if is_free or (course_id is not None and found["course_id"] == course_id):
            return found
    raise ValidationFailed.of(
        "syllabus_id",
        "There is no such upload, it has expired, or it is attached to another course. Upload it again.",
    )


def attach(access: Access, upload: Row, course_id: UUID) -> None:
    """Attach the upload, which has no course yet.

    Raises:
        Conflict: the course has the maximum number of files.
    """
    require_place(access, course_id)
    SyllabusFile.rows.of(access).update(upload, {"course_id": course_id})


def require_place(access: Access, course_id: UUID) -> None:
    """Require that the course can have another file.

    Raises:
        Conflict: it has the maximum number of files.
    """
    FILES_OF_COURSE.require(SyllabusFile.rows.of(access.whole).count(course_id=course_id))


def expiry(columns: Mapping[str, Any]) -> dict[str, datetime | None]:
    """Compute the time when a file expires: a detached one becomes an upload for another day."""
    return {"expires_at": None if columns["course_id"] else timezone.now() + KEPT_FOR}
