"""Operators' actions on syllabus files: upload one for a member, or read one again."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple
from uuid import UUID

from accounts.rows.access import Access, change
from courses.errors import NoSuchSyllabus
from courses.models import SyllabusFile
from courses.syllabi.reading.files import FileText, read_file
from courses.uploads.attaching import require_place
from courses.uploads.rows import MAX_BYTES, Upload, new_row, read_columns, require_room
from studyservice.operations.errors import InvalidRequest
from studyservice.operations.uploads import UploadedFile


class ReadFile(NamedTuple):
    """A file from an operator, already read."""

    upload: Upload
    found: FileText


@contextmanager
def read_brought(content: IO[bytes], filename: str) -> Iterator[ReadFile]:
    """Read a file before it is added, inside the block. Must not be called inside a transaction.

    Raises:
        InvalidRequest: it is too large, or of an unsupported type.
        ReadingBusy: other files are being read.
    """
    with _copied(content) as file:
        size = file.seek(0, 2)
        if size > MAX_BYTES:
            raise InvalidRequest(f"The file is larger than {MAX_BYTES} bytes.")
        upload = Upload.of(UploadedFile(file, filename, size), "")
        yield ReadFile(upload, read_file(upload.file, upload.filename))


def add_to_course(access: Access, course_id: UUID, brought: ReadFile) -> None:
    """Store the file for the course, inside an open change that cannot be undone.

    Raises:
        Conflict: the course has too many files, or the member's files are too large in total.
    """
    require_place(access, course_id)
    require_room(access, brought.upload.size)
    SyllabusFile.rows.of(access).insert({**new_row(access, brought.upload, brought.found), "course_id": course_id})


def read_again(row: SyllabusFile) -> str:
    """Read a stored file again, as after a change of the reader. Return its `text_status`. The course's text is kept.

    Must not be called inside a transaction.

    Raises:
        NotFound: it was deleted meanwhile.
        InvalidRequest: its type is not supported.
        ReadingBusy: other files are being read.
        FileNotFoundError: storage has no such file.
    """
    with row.file.open("rb") as stored, _copied(stored) as file:
        columns = read_columns(read_file(file, row.filename))
    access = Access(row.member)
    with change(access, "read_syllabus_again") as log:
        log.cannot_be_undone()
        rows = SyllabusFile.rows.of(access)
        rows.update(rows.get(NoSuchSyllabus, "filename", *columns, id=row.id), columns)
    return str(columns["text_status"])


def _copied(content: IO[bytes]) -> IO[bytes]:
    """A file with a descriptor, which the child process needs."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  # closed by the caller
    shutil.copyfileobj(content, file)
    file.flush()
    return file
