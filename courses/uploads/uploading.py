"""Uploading a syllabus: it is counted, read in the child process, stored for a day, and answered with a proposal."""

from functools import partial
from typing import Any, cast
from uuid import UUID

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from courses.model_reading.readings import (
    MODEL,
    READING,
    RULES,
    ReadingColumns,
    begin_later,
    is_over,
    new_reading,
    read,
    require_reader,
)
from courses.models import SyllabusFile
from courses.syllabi.reading.files import FileText, plain_text, read_file
from courses.uploads.files import KeptRow, detail
from courses.uploads.proposals import compared_course, proposal_of
from courses.uploads.purging import purge_uploads_of
from courses.uploads.rows import (
    KEPT_FOR,
    Upload,
    ask_for_room,
    charged,
    new_row,
    require_room,
)
from courses.uploads.serializers import SyllabusDetailRow
from studyservice.database.rows import columns_of_row
from studyservice.database.statements import Param
from studyservice.operations.errors import Conflict
from studyservice.operations.uploads import UploadedFile
from studyservice.rates.limiter import require_rate
from studyservice.rows.access import Access, MemberSelect, change

_SAME = MemberSelect(
    SyllabusFile.rows.declared.filter(sha256=Param("sha256"), course=None, expires_at__gt=Param("now")).order_by(),
    KeptRow,
)


def create_syllabus(
    access: Access,
    file: UploadedFile | None = None,
    *,
    text: str | None = None,
    course_id: UUID | None = None,
    reader: str = RULES,
) -> tuple[SyllabusDetailRow, bool]:
    """Store a file or a text for a day, with its proposal. Return whether it is new.

    The same bytes without a course are the same upload, whose day begins again. Must not be called inside a
    transaction.

    Args:
        course_id: a course to compare the proposal with, stored with the upload.
        reader: `model` to have it read by the model as well, in the background, unless it was or is being read. The
            proposal is the model's if it has read the upload.

    Raises:
        InvalidRequest: its type is not supported.
        ValidationFailed: `course_id` is not a course of the member, or there is no model.
        RateLimited: too much was uploaded or read by the model, or other files are being read.
        Conflict: the member's files would be too large in total.
    """
    require_reader(reader)
    require_rate(*charged(access))
    course = compared_course(access, course_id)
    upload = Upload.of(file, text or "")
    known = _SAME.first(access, sha256=upload.sha256, now=timezone.now())
    if known is not None:
        asked = new_reading(access, known["text"]) if reader == MODEL and is_over(known) else None
        proposal = proposal_of(access, known["text"], course, known["model_answer"] if reader == MODEL else "")
        kept, is_new = _kept_again(access, upload, course_id, asked), False
    else:
        found = plain_text(text or "") if file is None else _read(access, upload)
        asked = new_reading(access, found.text) if reader == MODEL else None
        proposal = proposal_of(access, found.text, course)
        kept, is_new = _kept(access, upload, found, course_id, asked)
    answer = detail(kept)
    answer["proposal"] = proposal
    return answer, is_new


def _read(access: Access, upload: Upload) -> FileText:
    require_room(access, upload.size)
    return read_file(upload.file, upload.filename, charged(access))


def _kept_again(access: Access, upload: Upload, course_id: UUID | None, asked: ReadingColumns | None) -> KeptRow:
    with change(access, "create_syllabus"):
        known = _renewed(access, upload, course_id, asked)
    if known is None:
        raise Conflict(
            "The same file was attached or deleted at this moment. Send it again.", headers={"Retry-After": "1"}
        )
    return known


def _kept(
    access: Access, upload: Upload, found: FileText, course_id: UUID | None, asked: ReadingColumns | None
) -> tuple[KeptRow, bool]:
    """The row of a new upload, or of the same one if another call was faster."""
    row = {**new_row(access, upload, found), "compared_with_id": course_id, **(asked or {})}
    try:
        with change(access, "create_syllabus"):
            known = _renewed(access, upload, course_id, asked)
            if known is None:
                require = ask_for_room(access)
                purge_uploads_of(access.member.id)
                require(upload.size)
                [made] = SyllabusFile.rows.of(access).insert(row)
                _begin(access, made["id"], asked)
    except BaseException:
        default_storage.delete(row["file"])
        raise
    if known is not None:
        default_storage.delete(row["file"])
        return known, False
    return cast("KeptRow", {name: made[column] for name, column in columns_of_row(KeptRow).items()}), True


def _renewed(access: Access, upload: Upload, course_id: UUID | None, asked: ReadingColumns | None) -> KeptRow | None:
    """The same upload, stored for another day; None if it does not exist.

    The reading that is asked for begins unless another call was faster.
    """
    now = timezone.now()
    known = _SAME.first(access, sha256=upload.sha256, now=now)
    if known is None:
        return None
    changes: dict[str, Any] = {"compared_with_id": course_id, "expires_at": now + KEPT_FOR}
    if asked is not None and is_over(known):
        changes |= asked
        _begin(access, known["id"], asked)
    return cast("KeptRow", known | SyllabusFile.rows.of(access).update(known, changes))


def _begin(access: Access, syllabus_id: UUID, asked: ReadingColumns | None) -> None:
    """Put the reading into its queue after the commit."""
    if asked is not None and asked["model_state"] == READING and asked["model_asked_at"] is not None:
        task = partial(read, access.member.id, syllabus_id, asked["model_asked_at"])
        transaction.on_commit(partial(begin_later, access.member.id, task))
