"""Finished items, their categories and scores, exported and imported."""

from typing import Any

import pytest

from tests.operations.test_item_worth import weighted
from tests.support.archive_lines import a_category, a_score, an_id, an_item
from tests.support.archives import a_course, manifest, parts, zipped
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

OTHER_COURSE = "00000000-0000-7000-8000-0000000000ff"
MOMENT = "2026-10-01T08:00:00Z"


def items_and_scores(entry_point: RestEntryPoint) -> Any:
    """Items and scores without the fields that differ in another account."""
    items = entry_point.made("list_items")["data"]
    names = ("title", "done", "done_at", "status", "worth", "note", "due_on")
    titles = {item["id"]: item["title"] for item in items}
    [course] = entry_point.made("list_courses")["data"]
    categories = entry_point.made("get_grades", course_id=course["id"])["categories"]
    named = {one["id"]: one["name"] for one in categories}
    scores = [(score["label"], titles.get(score["item_id"])) for one in categories for score in one["scores"]]
    return [{name: item[name] for name in names} | {"in": named.get(item["category_id"])} for item in items], scores


def test_an_account_is_restored_unchanged(owner: RestEntryPoint, stranger: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    course = owner.made("create_course", name="Biology")
    categories = weighted(owner, course, {"Exams": 60, "Quizzes": 40})
    for title, due_on in (("Done", "2026-11-22"), ("Graded", "2026-11-22"), ("Missed", "2026-11-22"), ("Past", None)):
        fields = {"title": title, "due_on": due_on or "2026-11-20", "note": f"{title}!"}
        category_id = None if title == "Done" else categories["Quizzes"]
        item = owner.made("create_item", course_id=course["id"], category_id=category_id, **fields)
        if title == "Done":
            owner.made("update_item", item_id=item["id"], done=True)
        if title == "Graded":
            score = {"category_id": categories["Quizzes"], "item_id": item["id"], "label": "Graded", "score": 80}
            owner.made("add_grade_score", course_id=course["id"], **score)
    time_machine.move_to("2026-11-24T12:00:00Z")
    before = items_and_scores(owner)
    assert {one["title"]: one["status"] for one in before[0]} == {
        "Done": "done",
        "Graded": "graded",
        "Missed": "missed",
        "Past": "past",
    }
    stranger.made("import_data", file=owner.made("export_data"))
    assert items_and_scores(stranger) == before
    assert [item["title"] for item in stranger.made("list_items", q="GRADED!")["data"]] == ["Graded"]


def test_items_of_an_older_archive_are_not_missed(owner: RestEntryPoint, time_machine: Any) -> None:
    """They can be missed from the day of the import on, in the member's zone."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    owner.made("update_me", time_zone="Pacific/Kiritimati")  # where it is already the 22nd
    later = ("done", "done_at", "category_id", "note", "missable_from")
    items = [an_item(id=an_id(n), title=f"{n}", kind="paper", due_on=f"2026-11-{n}") for n in (20, 21, 22, 23)]
    old = [{name: value for name, value in item.items() if name not in later} for item in items]
    members = parts(courses=[a_course()], items=old)
    counts = {name.removeprefix("data/").removesuffix(".jsonl"): 0 for name in members if name.startswith("data/")}
    owner.made(
        "import_data",
        file=zipped(
            members | {"manifest.json": manifest(counts | {"courses": 1, "items": 4} | {"profile": 1}, version=1)}
        ),
    )
    assert {item["title"]: item["status"] for item in owner.made("list_items")["data"]} == {
        "20": "past",
        "21": "past",
        "22": "open",
        "23": "open",
    }
    time_machine.move_to("2026-11-24T12:00:00Z")
    assert {item["title"]: item["status"] for item in owner.made("list_items")["data"]} == {
        "20": "past",
        "21": "past",
        "22": "missed",
        "23": "missed",
    }


@each(
    ("lines", "field"),
    [
        ({"items": [an_item(done=True)]}, "done_at"),
        ({"items": [an_item(done_at=MOMENT)]}, "done_at"),
        ({"items": [an_item(category_id=an_id(77))]}, "category_id"),
        ({"items": [an_item(category_id=an_id(8), course_id=OTHER_COURSE)]}, "category_id"),
        ({"items": [an_item(note="x" * 2001)]}, "note"),
        ({"items": [an_item(missable_from=None)]}, "missable_from"),
        ({"grade_scores": [a_score(points=16)]}, "out_of"),
        ({"grade_scores": [a_score(out_of=20)]}, "points"),
        ({"grade_scores": [a_score(points=16, out_of=0)]}, "out_of"),
        ({"grade_scores": [a_score(points=17, out_of=20)]}, "score"),
        ({"grade_scores": [a_score(item_id=an_id(77))]}, "item_id"),
        ({"grade_scores": [a_score(item_id=an_id(1))]}, "item_id"),
        (
            {
                "items": [an_item(category_id=an_id(8))],
                "grade_scores": [a_score(item_id=an_id(1)), a_score(id=an_id(19), item_id=an_id(1))],
            },
            "item_id",
        ),
    ],
)
def test_inconsistent_lines_are_rejected(owner: RestEntryPoint, lines: Any, field: str) -> None:
    """A category of another course, a score for an item of another category, and two scores for one item."""
    whole = {"courses": [a_course(), a_course(id=OTHER_COURSE)], "grade_categories": [a_category()], **lines}
    whole.setdefault("items", [an_item()])
    answer = owner.call("import_data", file=zipped(parts(**whole)))
    assert answer.error == "validation_failed"
    assert f": {field}: " in answer.body["details"][0]["message"]
    assert owner.made("list_courses")["data"] == []


def test_points_are_restored_and_an_older_archive_has_none(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    lines = {"courses": [a_course()], "grade_categories": [a_category()]}
    owner.made("import_data", file=zipped(parts(**lines, grade_scores=[a_score(points=16, out_of=20)])))
    score = [{name: value for name, value in a_score().items() if name not in {"points", "out_of"}}]
    members = parts(**lines, grade_scores=score)
    counts = {name: len(found) for name, found in {**lines, "grade_scores": score}.items()} | {"profile": 1}
    nothing = {name.removeprefix("data/").removesuffix(".jsonl"): 0 for name in members if name.startswith("data/")}
    stranger.made("import_data", file=zipped(members | {"manifest.json": manifest(nothing | counts, version=2)}))
    names = ("score", "points", "out_of")
    found = [
        [score[name] for name in names]
        for entry_point in (owner, stranger)
        for course in entry_point.made("list_courses")["data"]
        for category in entry_point.made("get_grades", course_id=course["id"])["categories"]
        for score in category["scores"]
    ]
    assert found == [[80, 16, 20], [80, None, None]]


def test_consistent_lines_are_imported(owner: RestEntryPoint) -> None:
    lines = {
        "courses": [a_course()],
        "grade_categories": [a_category()],
        "items": [an_item(category_id=an_id(8), done=True, done_at=MOMENT)],
        "grade_scores": [a_score(item_id=an_id(1))],
    }
    owner.made("import_data", file=zipped(parts(**lines)))
    [item] = owner.made("list_items")["data"]
    assert (item["status"], item["done"], item["worth"]) == ("graded", True, 100)
