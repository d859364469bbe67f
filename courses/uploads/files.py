"""A member's syllabus files: uploads without a course, and files of courses."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, TypedDict, cast
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from courses.courses import require_course
from courses.errors import NoSuchSyllabus
from courses.model_reading.readings import RULES, ReadingColumns, reading_of, require_reader
from courses.models import MAX_SYLLABUS_CHARACTERS, SyllabusFile
from courses.uploads.proposals import compared_course, proposal_of, remembered_course
from courses.uploads.serializers import SyllabusDetailRow, SyllabusRow
from studyservice.database.rows import columns_of_row
from studyservice.database.statements import Param
from studyservice.operations.answers import DownloadRow
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.rows.access import Access, MemberSelect, change

MEDIA_TYPE = "application/octet-stream"
"""For every served file: browsers download it rather than show it."""


class ListedRow(SyllabusRow, ReadingColumns):
    """A Syllabus with the columns of its reading by the model."""


class KeptRow(ListedRow):
    """A Syllabus with columns that the answer needs but does not contain."""

    text: str | None
    compared_with_id: UUID | None
    model_answer: str


class _StoredRow(TypedDict):
    filename: str
    file: str


_MINE = SyllabusFile.rows.declared
_LIVE = (
    _MINE.filter(Q(course__isnull=False) | Q(expires_at__gt=Param("now"))).filter(id=Param("syllabus_id")).order_by()
)
_ANSWERED = columns_of_row(SyllabusRow)
_ONE = MemberSelect(_LIVE, KeptRow)
_STORED = MemberSelect(_LIVE, _StoredRow)
_LIST = MemberSelect(_MINE.filter(course_id=Param("course_id")).order_by("-created_at", "-id"), ListedRow)
_ATTACHED = MemberSelect(_MINE.filter(course__isnull=False).order_by("-created_at", "-id"), ListedRow)


def get_syllabus(
    access: Access,
    syllabus_id: UUID,
    *,
    include_text: bool,
    syllabus_from: int = 0,
    syllabus_limit: int = MAX_SYLLABUS_CHARACTERS,
    course_id: UUID | None = None,
    reader: str | None = None,
) -> SyllabusDetailRow:
    """The file with a fresh proposal and, on request, a part of its text.

    The proposal is compared with `course_id`, else with the course of the file, else with the one named at the upload,
    if it still exists. It is the model's if that has read the file, unless `reader` is `rules`.

    Raises:
        NotFound: the member has no such file, or it has expired.
        ValidationFailed: `course_id` is not a course of the member, or there is no model.
    """
    require_reader(reader)
    kept = _ONE.get(NoSuchSyllabus, access, syllabus_id=syllabus_id, now=timezone.now())
    if course_id is None:
        course = remembered_course(access, kept["course_id"] or kept["compared_with_id"])
    else:
        course = compared_course(access, course_id)
    answer = detail(kept)
    answer["proposal"] = proposal_of(access, kept["text"], course, "" if reader == RULES else kept["model_answer"])
    if include_text:
        text = kept["text"]
        answer["text"] = None if text is None else text[syllabus_from : syllabus_from + syllabus_limit]
    return answer


def model_answer(access: Access, syllabus_id: UUID) -> str:
    """The stored answer of the model about a file, for `proposal_of`; empty if there is none."""
    kept = _ONE.first(access, syllabus_id=syllabus_id, now=timezone.now())
    return "" if kept is None else kept["model_answer"]


def syllabus_still_seen(access: Access, answer: Mapping[str, Any]) -> SyllabusDetailRow:
    """The file of a stored answer with a fresh proposal. Raises NotFound if it is no longer visible."""
    return get_syllabus(access, UUID(answer["id"]), include_text=False)


def get_syllabus_file(access: Access, syllabus_id: UUID) -> DownloadRow:
    """The bytes of the file, under its original name.

    Raises:
        NotFound: the member has no such file, or it has expired.
    """
    kept = _stored(access, syllabus_id)
    try:
        with SyllabusFile(file=kept["file"]).file.open("rb") as file:
            content = file.read()
    except FileNotFoundError:
        _stored(access, syllabus_id)  # another call may have deleted it meanwhile
        raise
    return {"content": content, "filename": kept["filename"], "media_type": MEDIA_TYPE}


def list_syllabi(access: Access, course_id: UUID) -> list[SyllabusRow]:
    """The files of the course, newest first.

    Raises:
        NotFound: the member has no such course.
    """
    require_course(access, course_id)
    return files_of(access, course_id)


def files_of(access: Access, course_id: UUID) -> list[SyllabusRow]:
    """The same without checking that the course exists. One query."""
    return [_answered(file) for file in _LIST.all(access, course_id=course_id)]


def files_by_course(access: Access) -> dict[UUID, list[SyllabusRow]]:
    """The files of all courses, newest first."""
    found: defaultdict[UUID, list[SyllabusRow]] = defaultdict(list)
    for file in _ATTACHED.all(access):
        if file["course_id"] is not None:
            found[file["course_id"]].append(_answered(file))
    return found


def delete_syllabus(access: Access, syllabus_id: UUID) -> DeletedRow:
    """Delete the file permanently. Its course keeps the text.

    Raises:
        NotFound: the member has no such file, or it has expired.
    """
    with change(access, "delete_syllabus"):
        _stored(access, syllabus_id)
        SyllabusFile.rows.of(access).delete(syllabus_id)
    return deletion(syllabus_id)


def detail(kept: KeptRow) -> SyllabusDetailRow:
    """The answer about the file without its proposal."""
    return cast("SyllabusDetailRow", _answered(kept))


def _answered(listed: ListedRow) -> SyllabusRow:
    """The file in an answer."""
    answered: dict[str, object] = {name: listed[name] for name in _ANSWERED}  # type: ignore[literal-required]
    return cast("SyllabusRow", answered | {"model": reading_of(listed)})


def _stored(access: Access, syllabus_id: UUID) -> _StoredRow:
    return _STORED.get(NoSuchSyllabus, access, syllabus_id=syllabus_id, now=timezone.now())
