"""A limit declared in one place applies to creating, undoing and importing."""

from collections.abc import Callable
from typing import Any

import pytest

from courses.entry_serializers import MAX_CATEGORIES
from courses.models import SyllabusFile
from studyservice.registry.data import Maximum, MemberData, member_data
from tests.support.archive_lines import WHOLE, a_file
from tests.support.archives import parts, zipped
from tests.support.calendar_files import one_deadline
from tests.support.cases import each
from tests.support.declarations import declared
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.rest,
    pytest.mark.database("sqlite", "a rule without statements of its own"),
]

LIMITS = [(data, limit) for data in member_data() for limit in data.maxima]
each_limit = pytest.mark.parametrize(("data", "limit"), LIMITS, ids=lambda one: getattr(one, "what", ""))

Ids = dict[str, Any]


def _attach(entry_point: RestEntryPoint, ids: Ids) -> Any:
    upload = entry_point.made("create_syllabus", text="Dec 3: exam")
    return entry_point.call("update_course", course_id=ids["course"], syllabus_id=upload["id"])


def _categories(entry_point: RestEntryPoint, ids: Ids) -> Any:
    """One more than the maximum."""
    entries = [{"name": f"{number}", "weight": 1} for number in range(MAX_CATEGORIES + 1)]
    return entry_point.call("set_grade_categories", course_id=ids["course"], categories=entries)


def _item(entry_point: RestEntryPoint, ids: Ids) -> Any:
    return entry_point.call("create_item", course_id=ids["course"], title="Essay")


def _milestone(entry_point: RestEntryPoint, ids: Ids) -> Any:
    return entry_point.call("create_milestone", item_id=ids["item"], title="Outline")


def _course(entry_point: RestEntryPoint, ids: Ids) -> Any:
    return entry_point.call("create_course", name="Algebra")


CREATING: dict[str, Callable[[RestEntryPoint, Ids], Any]] = {
    "open courses": _course,
    "courses": _course,
    "files of a course": _attach,
    "items": _item,
    "items of a course": _item,
    "milestones": _milestone,
    "milestones of an item": _milestone,
    "imported events of a course": lambda entry_point, ids: entry_point.call(
        "import_calendar", course_id=ids["course"], file=one_deadline()
    ),
    "school calendars": lambda entry_point, ids: entry_point.call(
        "add_school_calendar", url="https://canvas.school.example/feed.ics"
    ),
    "grade categories of a course": _categories,
    "scores of a course": lambda entry_point, ids: entry_point.call(
        "add_grade_score", course_id=ids["course"], category_id=ids["category"], label="Quiz", score=80
    ),
    "decks": lambda entry_point, ids: entry_point.call(
        "create_vocab_deck", name="Words", cards=[{"term": "a", "definition": "b"}]
    ),
    "cards of a deck": lambda entry_point, ids: entry_point.call(
        "add_vocab_cards", deck_id=ids["deck"], cards=[{"term": "c", "definition": "d"}]
    ),
}
"""Creates one more object, by the limit that counts it."""


@pytest.fixture
def ids(owner: RestEntryPoint, settings: Any, tmp_path: Any) -> Ids:
    """An object of each parent kind, each with one child row."""
    settings.MEDIA_ROOT = tmp_path
    course = owner.made("create_course", name="Biology")["id"]
    item = owner.made("create_item", course_id=course, title="Midterm")["id"]
    owner.made("create_milestone", item_id=item, title="Draft")
    entries = [{"name": "Exams", "weight": 100}]
    graded = owner.made("set_grade_categories", course_id=course, categories=entries)
    category = graded["categories"][0]["id"]
    owner.made("add_grade_score", course_id=course, category_id=category, label="Midterm", score=90)
    return {"course": course, "item": item, "category": category, "deck": made_deck(owner)["id"]}


@each_limit
def test_it_applies_to_created_objects(data: MemberData, limit: Maximum, owner: RestEntryPoint, ids: Ids) -> None:
    assert limit.what in CREATING, f"Add to CREATING how one more of {limit.what!r} is created."
    with declared(limit, most=0):
        refused = CREATING[limit.what](owner, ids)
    if limit.what == "grade categories of a course":
        assert refused.error == "validation_failed"
    else:
        assert refused.error == "conflict", f"{data.label}: call `require` of the limit where rows are created."
        assert CREATING[limit.what](owner, ids).error is None


@each(
    ("data", "limit"),
    [one for one in LIMITS if one[0].model is not SyllabusFile and not one[0].log.not_kept],
)
def test_it_applies_to_restored_objects(data: MemberData, limit: Maximum, owner: RestEntryPoint, ids: Ids) -> None:
    owner.call("import_calendar", course_id=ids["course"], file=one_deadline())
    kind = "vocab_deck" if data.label.startswith("vocab.") else "course"
    owner.made(f"delete_{kind}", **{f"{kind.removeprefix('vocab_')}_id": ids[kind.removeprefix("vocab_")]})
    [deletion] = owner.made("list_changes", limit=1)["data"]
    with declared(limit, most=0):
        refused = owner.call("undo_change", change_id=deletion["id"])
    assert refused.error == "conflict", f"{data.label}: the fixture `ids` must create one, for the deletion to restore."
    assert refused.body["message"] == limit.full.format(most=0)
    assert owner.call("undo_change", change_id=deletion["id"]).error is None


@each(("data", "limit"), [one for one in LIMITS if one[0].archive])
def test_it_applies_to_imported_objects(data: MemberData, limit: Maximum, stranger: RestEntryPoint) -> None:
    assert data.archive is not None
    lines = WHOLE | {"syllabus_files": [a_file()]}
    assert data.archive.name in lines, f"Add a line of {data.archive.name} to WHOLE in tests/support/archive_lines.py."
    archive = zipped(parts(**lines) | {"files/x": b"%P"})
    with declared(limit, most=0):
        refused = stranger.call("import_data", file=archive)
    told = f"There would be more than 0 {limit.what}."
    if limit.is_conflict:
        assert (refused.error, refused.body["message"]) == ("conflict", f"{told} Nothing was changed.")
    else:
        assert refused.error == "validation_failed"
        [detail] = refused.body["details"]
        assert detail["message"] == f"data/{data.archive.name}.jsonl, line 1: id: {told}"
