"""A member's courses."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Unpack, cast
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, IntegerField, Q
from django.db.models.functions import Coalesce, Length, Substr

from accounts.credentials.limiting import CourseName, with_new_course
from courses.colors import least_used
from courses.doubts import doubt_items_of, verify
from courses.entry_serializers import (
    CategoryEntryFields,
    CourseItemFields,
    CreatedCourseRow,
    EnteredCategoryRow,
    NewCourseFields,
)
from courses.errors import NoSuchCourse
from courses.item_batches import (
    answered,
    course_for_items,
    insert_items,
    require_room_for_items,
    same_items,
    with_worths,
)
from courses.item_rows import ReadItem
from courses.items import next_items
from courses.models import MAX_SYLLABUS_CHARACTERS, Course
from courses.serializers import CourseDetailRow, CourseFields, CourseRow, NewItem
from courses.uploads.rows import attach, attachable
from studyservice.changes.calls import doubt
from studyservice.database.expressions import fold
from studyservice.database.rows import At
from studyservice.database.statements import Param, Select
from studyservice.hooks import Hook
from studyservice.operations.errors import Detail, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, MemberSelect, change
from studyservice.rows.rows import Row

COURSES = Maximum(
    most=30,
    what="open courses",
    full="You have reached the limit of {most} courses. End or delete one first.",
    where={"archived": False},
    is_conflict=True,
)

COURSES_IN_ALL = Maximum(
    most=200,
    what="courses",
    full="You have reached the limit of {most} courses, ended ones included. Delete one first.",
    is_conflict=True,
)

_HAS_SYLLABUS = ExpressionWrapper(Q(syllabus_text__isnull=False), output_field=BooleanField())
COURSES_BY_AGE = Course.rows.declared.annotate(has_syllabus=_HAS_SYLLABUS).order_by("created_at", "id")


AddCategories = Callable[[Access, UUID, Sequence[CategoryEntryFields]], list[EnteredCategoryRow]]
"""Creates the grade categories of the new course with this id, in this order."""

COURSE_CATEGORIES = Hook[AddCategories]("COURSE_CATEGORIES")


class _WithSyllabus(CourseRow):
    syllabus_text: Annotated[str | None, At("part")]
    syllabus_length: Annotated[int, At("length")]


_LIST = MemberSelect(COURSES_BY_AGE, CourseRow)
_NAMES = Select(Course.rows.whole.order_by("created_at", "id"), CourseName)
_ONE = MemberSelect(COURSES_BY_AGE.filter(id=Param("course_id")).order_by(), CourseRow)
_ONE_WITH_SYLLABUS = MemberSelect(
    COURSES_BY_AGE.filter(id=Param("course_id"))
    .annotate(
        part=Substr("syllabus_text", Param("place", IntegerField()), Param("limit", IntegerField())),
        length=Coalesce(Length("syllabus_text"), 0),
    )
    .order_by(),
    _WithSyllabus,
)


def list_courses(access: Access) -> list[CourseRow]:
    """Every course, oldest first."""
    return _LIST.all(access)


def course_names(member_id: UUID) -> list[CourseName]:
    """The names of all courses, oldest first."""
    return _NAMES.all(member_id=member_id)


def require_course(access: Access, course_id: UUID) -> CourseRow:
    """The course.

    Raises:
        NotFound: the call sees no such course.
    """
    return _ONE.get(NoSuchCourse, access, course_id=course_id)


def seen_course(access: Access, course_id: UUID) -> Row:
    """The id and name of a course.

    Raises:
        NotFound: the call sees no such course.
    """
    return Course.rows.of(access).get(NoSuchCourse, "name", id=course_id)


def course_still_seen(access: Access, answer: Mapping[str, Any]) -> None:
    """Raise NotFound if the course of a stored answer is no longer visible."""
    require_course(access, UUID(answer["id"]))


def get_course(
    access: Access,
    course_id: UUID,
    *,
    include_syllabus: bool,
    syllabus_from: int = 0,
    syllabus_limit: int = MAX_SYLLABUS_CHARACTERS,
) -> CourseDetailRow:
    """The course with its next five dated items and, on request, a part of its syllabus text with the text's length.

    Raises:
        NotFound: the call sees no such course.
    """
    course: CourseRow
    if include_syllabus:
        part = {"place": syllabus_from + 1, "limit": syllabus_limit}
        course = _ONE_WITH_SYLLABUS.get(NoSuchCourse, access, course_id=course_id, **part)
    else:
        course = _ONE.get(NoSuchCourse, access, course_id=course_id)
    detail = cast("CourseDetailRow", course)
    detail["next_items"] = next_items(access, course_id)
    return detail


def create_course(access: Access, **fields: Unpack[NewCourseFields]) -> CreatedCourseRow:
    """Create a course with everything in its syllabus, or nothing.

    If a syllabus, items or categories are sent, the answer has the items with the evidence for their quotes, the
    categories and warnings. The upload `syllabus_id` becomes a file of the course. Its text becomes the syllabus unless
    `syllabus_text` is sent.

    Raises:
        ValidationFailed: `syllabus_id` is not a free upload of the member, or an item's category is not the name of
            exactly one of `grade_categories`.
        Conflict: the member has the maximum number of courses, or would have too many items.
    """
    syllabus_id = fields.pop("syllabus_id", None)
    items, weights = fields.pop("items", None), fields.pop("grade_categories", None)
    categories_named = _categories_named(items or (), weights or ())
    with change(access, "create_course"):
        upload = None if syllabus_id is None else attachable(access, syllabus_id)
        others = Course.rows.of(access.whole).all("archived", "hue", "folded", "name", "term")
        still_open = [one for one in others if not one["archived"]]
        COURSES.require(len(still_open))
        COURSES_IN_ALL.require(len(others))
        text = fields.pop("syllabus_text", None) or (upload["text"] if upload else None)
        hue = least_used((one["id"], one["hue"]) for one in still_open)
        [course] = Course.rows.of(access).insert({**fields, "syllabus_text": text, "hue": hue})
        course_id = course["id"]
        with_new_course(access, course_id)
        if upload is not None:
            attach(access, upload, course_id)
        categories = COURSE_CATEGORIES.get()(access, course_id, weights) if weights else []
        entries = [_entry(entry, place, categories) for entry, place in zip(items or (), categories_named, strict=True)]
        rows: Sequence[ReadItem] = []
        if entries:
            require_room_for_items(course_for_items(access, course_id), len(entries))
            rows = with_worths(access, course_id, insert_items(access, course_id, course["name"], entries))
        made = cast("CreatedCourseRow", require_course(access, course_id))
    doubt(partial(_same_names, access, course["folded"], others))
    doubt(partial(same_items, rows, ()))
    if text is None and syllabus_id is None and items is None and weights is None:
        return made
    today = access.today()
    made["items"] = entered = answered(rows, today)
    made["grade_categories"] = categories
    made["warnings"] = verify(entered, items or (), text=text, term=course["term"], today=today, weights=weights or ())
    return made


def _same_names(access: Access, folded: str, others: Iterable[Row]) -> Iterator[str]:
    """A sentence for each of the other courses that has this folded name and is seen."""
    for course in others:
        if course["folded"] == folded and access.sees_course(course["id"]):
            term = f"{course['term']}, ended" if course["archived"] else course["term"]
            yield f"There is another course named “{course['name']}” ({term}), id {course['id']}."


def _categories_named(items: Sequence[CourseItemFields], weights: Sequence[CategoryEntryFields]) -> list[int | None]:
    """The index of each item's category, matched case-insensitively; None without one.

    Raises:
        ValidationFailed: a name matches none or two of `weights`.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, weight in enumerate(weights):
        places[fold(weight["name"])].append(place)
    found: list[int | None] = []
    details: list[Detail] = []
    for index, item in enumerate(items):
        name = item.get("category")
        named = [] if name is None else places.get(fold(name), [])
        found.append(named[0] if named else None)
        if name is not None and len(named) != 1:
            why = "Two of grade_categories have this name." if named else "Not a name of grade_categories."
            details.append({"field": f"items[{index}].category", "message": why})
    if details:
        raise ValidationFailed(details)
    return found


def _entry(entry: CourseItemFields, place: int | None, categories: Sequence[EnteredCategoryRow]) -> NewItem:
    """The item of an entry, with the category at this index."""
    fields = {name: value for name, value in entry.items() if name not in {"category", "quote"}}
    return cast("NewItem", fields | {"category_id": None if place is None else categories[place]["id"]})


def update_course(access: Access, course_id: UUID, **changes: Unpack[CourseFields]) -> CourseRow:
    """Change the given fields. Equal values leave the course unchanged.

    The upload `syllabus_id` becomes a file of the course. Its text becomes the syllabus unless `syllabus_text` is sent.

    Raises:
        NotFound: the call sees no such course.
        ValidationFailed: `syllabus_id` is neither a free upload of the member nor a file of this course.
        Conflict: the course has the maximum number of files, or there is no room to reopen it.
    """
    with change(access, "update_course"):
        if "term" in change_course(access, course_id, changes):
            doubt_items_of(access, course_id)
        return require_course(access, course_id)


def change_course(access: Access, course_id: UUID, changes: CourseFields) -> set[str]:
    """Change the course inside an open change. Return the fields that changed."""
    syllabus_id = changes.pop("syllabus_id", None)
    columns = {"name", *changes, *({"syllabus_text"} if syllabus_id else ())}
    stored = Course.rows.of(access).get(NoSuchCourse, *columns, id=course_id)
    access.open_write.about(Course, course_id, stored["name"], course_id)
    if changes.get("archived") is False and stored["archived"]:
        COURSES.require(Course.rows.of(access.whole).count(archived=False))
    upload = attachable(access, syllabus_id, course_id) if syllabus_id else None
    if upload is not None and upload["text"] is not None and changes.get("syllabus_text") is None:
        changes["syllabus_text"] = upload["text"]
    different = {*Course.rows.of(access).update(stored, {**changes})}
    if upload is None or upload["course_id"] is not None:
        return different
    attach(access, upload, course_id)
    return different | {"syllabus_id"}


def delete_course(access: Access, course_id: UUID) -> DeletedRow:
    """Delete the course with its items, milestones, grades and files.

    Raises:
        NotFound: the call sees no such course.
    """
    with change(access, "delete_course"):
        if not Course.rows.of(access).delete(course_id):
            raise NoSuchCourse
    return deletion(course_id)
