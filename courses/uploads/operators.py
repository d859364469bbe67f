"""Operators' actions on syllabus files: upload one for a member, or read one again."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple
from uuid import UUID

from django.core.files import File

from accounts.changes.recording import Write
from accounts.changes.writing import writing
from courses.errors import NoSuchSyllabus
from courses.models import SyllabusFile
from courses.syllabi.reading.files import FileText, read_file
from courses.uploads.attaching import require_place
from courses.uploads.rows import MAX_BYTES, Upload, logged_fields, new_row, read_columns, require_room
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


def add_to_course(write: Write, course_id: UUID, brought: ReadFile) -> None:
    """Store the file for the course.

    Raises:
        Conflict: the course has too many files, or the member's files are too large in total.
    """
    require_place(write, course_id)
    require_room(write.member_id, brought.upload.size)
    row = new_row(write.member_id, brought.upload, brought.found)
    row.course_id, row.created_at = course_id, write.now
    row.file.save(row.filename, File(brought.upload.file), save=False)
    row.save(force_insert=True)
    write.made(SyllabusFile, row.id, row.filename, logged_fields(row))
    write.cannot_be_undone()


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
    with writing(row.member_id, "read_syllabus_again") as write:
        mine = SyllabusFile.objects.filter(member_id=row.member_id, id=row.id)
        noted = [name for name in columns if name != "text"]
        before = mine.values(*noted).first()
        if before is None:
            raise NoSuchSyllabus
        mine.update(**columns)
        write.changed(SyllabusFile, row.id, row.filename, before, {name: columns[name] for name in noted})
        write.cannot_be_undone()
    return str(columns["text_status"])


def _copied(content: IO[bytes]) -> IO[bytes]:
    """A file with a descriptor, which the child process needs."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  # closed by the caller
    shutil.copyfileobj(content, file)
    file.flush()
    return file
