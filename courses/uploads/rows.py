"""Rows of uploaded files: their maxima and rate, storage, and attachment to a course."""

import hashlib
import io
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import IO, Any, NamedTuple, TypedDict
from uuid import UUID

from django.core.files import File
from django.db.models import Q, Sum
from django.utils import timezone

from courses.models import UNSENT, SyllabusFile
from courses.syllabi.reading.files import FileText, clean_filename
from studyservice.database.statements import Param
from studyservice.operations.errors import Conflict, ValidationFailed
from studyservice.operations.uploads import UploadedFile
from studyservice.rates.limiter import Rate
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, MemberSelect
from studyservice.rows.rows import Row
from studyservice.rows.seen import InCourses

MAX_BYTES = 10 * 1024 * 1024
"""Maximum size of a file."""

MAX_BYTES_OF_MEMBER = 100 * 1024 * 1024
"""Maximum size of all files of a member, including those of courses."""

_TEXT_NAME = "syllabus.txt"
_CHUNK = 65_536


class Upload(NamedTuple):
    """The uploaded content.

    Attributes:
        sha256: of its bytes, in hexadecimal.
        size: in bytes.
    """

    file: IO[bytes]
    filename: str
    sha256: str
    size: int

    @classmethod
    def of(cls, sent: UploadedFile | None, text: str) -> "Upload":
        """The content of the sent file, else of the text."""
        file = io.BytesIO(text.encode()) if sent is None else sent.file
        digest, size = hashlib.sha256(), 0
        file.seek(0)
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
        name = _TEXT_NAME if sent is None else clean_filename(sent.filename)
        return cls(file, name, digest.hexdigest(), size)


def new_row(access: Access, upload: Upload, found: FileText) -> Row:
    """The columns of an upload that was read, without a course. Puts its content into storage."""
    limits_courses = access.limits.courses is not None
    sent_by = access.holder if limits_courses and access.holder is not None else UNSENT
    row = SyllabusFile(filename=upload.filename)
    row.file.save(upload.filename, File(upload.file), save=False)
    about = {"id": row.id, "file": str(row.file.name), "filename": upload.filename, "size": upload.size}
    return {**about, "sent_by": sent_by, "sha256": upload.sha256, **read_columns(found)}


def read_columns(found: FileText) -> dict[str, str | int | None]:
    """The columns that depend on reading the file."""
    return {
        "media_type": found.media_type,
        "text_status": found.text_status.value,
        "text": found.text,
        "characters": len(found.text or ""),
        "pages": found.pages,
    }


def require_room(access: Access, more: int) -> None:
    """Check that `more` bytes can be stored, beside all files that have not expired. Only reliable inside `change`.

    Raises:
        Conflict: there would be more than `MAX_BYTES_OF_MEMBER`.
    """
    ask_for_room(access)(more)


def ask_for_room(access: Access) -> Callable[[int], None]:
    """Queue the query of the stored bytes, and return the check, which takes the number of further bytes."""
    stored = _STORED_BYTES.ahead(access, now=timezone.now())

    def require(more: int) -> None:
        if sum(row["bytes"] for row in stored()) + more > MAX_BYTES_OF_MEMBER:
            most = MAX_BYTES_OF_MEMBER // 1024 // 1024
            raise Conflict(f"Your syllabus files would have more than {most} MiB together. Delete some first.")

    return require


class _Bytes(TypedDict):
    bytes: int


_STORED_BYTES = MemberSelect(
    SyllabusFile.rows.whole.exclude(expires_at__lte=Param("now"))
    .order_by()
    .values("member_id")
    .annotate(bytes=Sum("size")),
    _Bytes,
)


def seen_files() -> Q:  # `Visible.seen`
    """The files of the courses, and files without a course sent by the credential itself."""
    return Q(InCourses("course_id")) | Q(course=None, sent_by=Param("holder"))


def charged(access: Access) -> tuple[Rate, str]:
    """The rate and the key that count uploads of the member."""
    return Rate.SYLLABI, str(access.member.id)


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
