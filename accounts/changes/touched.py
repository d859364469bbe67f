"""The courses that a change touched, and whether it is about grades. They decide if a limited credential sees it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from accounts.changes.contents import Part

NO_COURSE = "-"
"""In `Change.courses`, stands for objects without a course."""

_COURSE = "course_id"
GRADE_TYPES = frozenset({"grade_score", "grade_category"})
"""Types of objects that are grades."""

_UPLOAD = "syllabus_file"
"""The type of uploads, which have no course at first."""

_CATEGORIES = "categories"
"""The field of a course that holds its list of categories."""


class Touches:
    """The courses and grades that a write has touched.

    Attributes:
        course_id: the course of the row's object, if its fields do not name it.
    """

    def __init__(self) -> None:
        self.course_id: UUID | None = None
        self._further: set[str] = set()
        self._grades = False

    def touch(self, type_: str, course_id: UUID | None) -> None:
        """Add the course of an object of a type; None for no course."""
        if course_id is not None or type_ != _UPLOAD:
            self._further.add(NO_COURSE if course_id is None else course_id.hex)

    def take_from(self, change: Mapping[str, Any]) -> None:
        """Add everything that another change touched, from its row of the log."""
        self.course_id = change["course_id"]
        self._further.update(change["courses"].split())
        self._grades = change["grades"]

    def columns(self, operation: str, parts: Sequence[Part]) -> dict[str, Any]:
        """Return the columns for the row of the log."""
        head = parts[0]
        of_head = [*_courses(head)]
        course_id = self.course_id or next((UUID(one) for one in of_head if one != NO_COURSE), None)
        further = {*self._further, *of_head, *(one for part in parts[1:] for one in _courses(part))}
        if course_id is not None:
            further.discard(course_id.hex)
        is_graded = head.type in GRADE_TYPES or operation == "set_grade_categories" or _CATEGORIES in _fields(head)
        return {
            "course_id": course_id,
            "courses": " ".join(sorted(further)),
            "grades": self._grades or (is_graded and operation != "create_course"),
        }


def _fields(part: Part) -> set[str]:
    return {*(part.before or ()), *(part.after or ())}


def _courses(part: Part) -> Iterator[str]:
    """Yield the courses that a part names, the newer one first."""
    if part.type == "course":
        yield part.id.hex
    values: Iterable[object] = (fields[_COURSE] for fields in (part.after, part.before) if fields and _COURSE in fields)
    for value in values:
        if value is not None:
            yield UUID(str(value)).hex
        elif part.type != _UPLOAD:
            yield NO_COURSE
