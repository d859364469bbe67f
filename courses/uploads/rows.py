"""The row of an uploaded file, and the storage limit."""

import hashlib
import io
from typing import IO, Any, NamedTuple
from uuid import UUID

from django.db.models import Sum
from django.utils import timezone

from accounts.credentials.limiting import sender
from courses.models import SyllabusFile
from courses.syllabi.reading.files import FileText, clean_filename
from studyservice.database.ahead import Ahead
from studyservice.database.limiting import WholeMember
from studyservice.operations.errors import Conflict
from studyservice.operations.uploads import UploadedFile

MAX_BYTES = 10 * 1024 * 1024
"""Maximum size of a file."""

MAX_BYTES_OF_MEMBER = 100 * 1024 * 1024
"""Maximum size of all files of a member, including those of courses."""

_ALL_FILES = WholeMember("the size of all files of the member is limited")

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


class Room(NamedTuple):
    """A queued query of the stored bytes. It has no row without files."""

    kept: Ahead[Any]

    def require(self, more: int) -> None:
        """Raise Conflict if `more` bytes would be more than `MAX_BYTES_OF_MEMBER`."""
        if sum(present for _, present in self.kept) + more > MAX_BYTES_OF_MEMBER:
            most = MAX_BYTES_OF_MEMBER // 1024 // 1024
            raise Conflict(f"Your syllabus files would have more than {most} MiB together. Delete some first.")


def new_row(member_id: UUID, upload: Upload, found: FileText) -> SyllabusFile:
    """The unsaved row of an upload that was read, without a course."""
    return SyllabusFile(
        member_id=member_id,
        filename=upload.filename,
        size=upload.size,
        sent_by=sender(),
        sha256=upload.sha256,
        **read_columns(found),
    )


def read_columns(found: FileText) -> dict[str, str | int | None]:
    """The columns that depend on reading the file."""
    return {
        "media_type": found.media_type,
        "text_status": found.text_status.value,
        "text": found.text,
        "characters": len(found.text or ""),
        "pages": found.pages,
    }


def logged_fields(row: SyllabusFile) -> dict[str, str | int | UUID | None]:
    """The fields of a new row in the log of changes."""
    return {
        "filename": row.filename,
        "media_type": row.media_type,
        "size": row.size,
        "course_id": row.course_id,
    }


def require_room(member_id: UUID, more: int) -> None:
    """Check that `more` bytes can be stored. The result is reliable only inside `writing`.

    Raises:
        Conflict: there would be more than `MAX_BYTES_OF_MEMBER`.
    """
    ask_for_room(member_id).require(more)


def ask_for_room(member_id: UUID) -> Room:
    """Queue the query of the stored bytes, without expired files (`studyservice.database.ahead`)."""
    files = SyllabusFile.objects.filter(member_id=member_id).exclude(expires_at__lte=timezone.now())
    with _ALL_FILES.rows():
        return Room(Ahead(files.values("member_id").annotate(bytes=Sum("size")).values_list("member_id", "bytes")))


def files_in_courses(by_course: bool, grades: bool, vendor: str) -> str | None:  # `MemberData.view`
    """The files of the courses, and files without a course sent by the credential itself."""
    if not by_course:
        return None
    compared = "IN" if vendor == "sqlite" else "="
    return (
        "SELECT t.* FROM courses_syllabusfile t "  # noqa: S608 # nosec
        f"WHERE t.course_id {compared} {{courses}} OR (t.course_id IS NULL AND t.sent_by = {{holder}})"
    )
