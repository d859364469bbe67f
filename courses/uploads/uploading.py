"""Uploading a syllabus: it is counted, read in the child process, stored for a day, and answered with a proposal."""

from functools import partial
from typing import cast
from uuid import UUID

from django.core.files import File
from django.db import transaction
from django.utils import timezone

from accounts.changes.deleting import delete_rows
from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.rows.access import Access
from courses.model_reading.queue import begin_later
from courses.model_reading.readings import (
    MODEL,
    READING,
    RULES,
    ReadingColumns,
    is_over,
    new_reading,
    read,
    require_reader,
)
from courses.models import SyllabusFile
from courses.syllabi.reading.files import FileText, UnknownTypeError, plain_text, read_file
from courses.uploads.attaching import KEPT_FOR
from courses.uploads.counting import count_limit_hit, count_upload
from courses.uploads.files import KEPT, KeptRow, detail
from courses.uploads.proposals import compared_course, proposal_of
from courses.uploads.rows import Upload, ask_for_room, logged_fields, new_row, require_room
from courses.uploads.serializers import SyllabusDetailRow
from studyservice.database.ahead import insert_later, update_later
from studyservice.database.statements import Param, Select
from studyservice.operations.errors import Conflict
from studyservice.operations.uploads import UploadedFile

_SAME = Select[KeptRow](
    SyllabusFile.objects.filter(
        member_id=Param("member_id"), sha256=Param("sha256"), course=None, expires_at__gt=Param("now")
    ).order_by(),
    KEPT,
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
    count_upload(access)
    course = compared_course(access, course_id)
    upload = Upload.of(file, text or "")
    known = _SAME.first(member_id=access.member.id, sha256=upload.sha256, now=timezone.now())
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
    require_room(access.member.id, upload.size)
    try:
        found = read_file(upload.file, upload.filename)
    except UnknownTypeError as unknown:
        if unknown.hit_limit:
            count_limit_hit(access)
        raise
    if found.hit_limit:
        count_limit_hit(access)
    return found


def _kept_again(access: Access, upload: Upload, course_id: UUID | None, asked: ReadingColumns | None) -> KeptRow:
    with writing(access.member.id, "create_syllabus") as write:
        known = _renewed(write, upload, course_id, asked)
    if known is None:
        raise Conflict(
            "The same file was attached or deleted at this moment. Send it again.", headers={"Retry-After": "1"}
        )
    return known


def _kept(
    access: Access, upload: Upload, found: FileText, course_id: UUID | None, asked: ReadingColumns | None
) -> tuple[KeptRow, bool]:
    """The row of a new upload, or of the same one if another call was faster."""
    row = new_row(access.member.id, upload, found)
    row.compared_with_id = course_id
    row.file.save(upload.filename, File(upload.file), save=False)
    try:
        with writing(access.member.id, "create_syllabus") as write:
            known = _renewed(write, upload, course_id, asked)
            if known is None:
                _set_reading(row, asked)
                _add(write, row)
                _begin(write, row.id, asked)
    except BaseException:
        row.file.storage.delete(str(row.file.name))
        raise
    if known is not None:
        row.file.storage.delete(str(row.file.name))
        return known, False
    values = vars(row)
    return cast("KeptRow", {name: values[column] for name, column in KEPT.items()}), True


def _renewed(write: Write, upload: Upload, course_id: UUID | None, asked: ReadingColumns | None) -> KeptRow | None:
    """The same upload, stored for another day; None if it does not exist.

    The reading that is asked for begins unless another call was faster.
    """
    now = timezone.now()
    known = _SAME.first(member_id=write.member_id, sha256=upload.sha256, now=now)
    if known is None:
        return None
    known["compared_with_id"], known["expires_at"] = course_id, now + KEPT_FOR
    mine = SyllabusFile.objects.filter(member_id=write.member_id, id=known["id"])
    update_later(mine, compared_with_id=course_id, expires_at=known["expires_at"])
    if asked is not None and is_over(known):
        known["model_state"], known["model_error"] = asked["model_state"], asked["model_error"]
        known["model_asked_at"] = asked["model_asked_at"]
        update_later(mine, **asked)
        _begin(write, known["id"], asked)
    return known


def _set_reading(row: SyllabusFile, asked: ReadingColumns | None) -> None:
    for name, value in (asked or {}).items():
        setattr(row, name, value)


def _begin(write: Write, syllabus_id: UUID, asked: ReadingColumns | None) -> None:
    """Put the reading into its queue after the commit."""
    if asked is not None and asked["model_state"] == READING and asked["model_asked_at"] is not None:
        task = partial(read, write.member_id, syllabus_id, asked["model_asked_at"])
        transaction.on_commit(partial(begin_later, write.member_id, task))


def _add(write: Write, row: SyllabusFile) -> None:
    """Delete expired uploads, then store the row.

    Raises:
        Conflict: the member's files would be too large in total.
    """
    now = timezone.now()
    room = ask_for_room(write.member_id)
    delete_rows(write, SyllabusFile.objects.filter(member_id=write.member_id, expires_at__lte=now))
    room.require(row.size)
    row.created_at, row.expires_at = write.now, now + KEPT_FOR
    insert_later([row])
    write.made(SyllabusFile, row.id, row.filename, logged_fields(row))
