"""create_course with a syllabus: its text, its items with evidence, and its weights, in one call."""

import json
import re
from typing import Any
from unittest.mock import ANY

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from courses.models import Course, Item
from grades.models import GradeCategory
from tests import ROOT
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory, ItemFactory, stored
from tests.support.samples import NOT_ENDED
from tests.support.syllabus_text import CATEGORIES, ITEMS, TEXT, TODAY
from tests.support.tools import rest_of

pytestmark = [pytest.mark.same_statements, pytest.mark.time_machine(TODAY)]

NAME = {"name": "Cell Biology", "term": "Fall 2026"}


def evidence_of(answer: Any) -> list[str]:
    """The evidence of each item."""
    return [item["evidence"] for item in answer["items"]]


def test_it_creates_the_course_with_its_items_and_weights(owner: RestEntryPoint) -> None:
    made = owner.made("create_course", **NAME, syllabus_text=TEXT, items=ITEMS[:1], grade_categories=CATEGORIES)
    [item], categories = made["items"], made["grade_categories"]
    assert made == {
        "id": ANY,
        **NAME,
        "code": None,
        "meets": None,
        "institution": None,
        "subject": None,
        "has_syllabus": True,
        "archived": False,
        "created_at": ANY,
        "updated_at": ANY,
        "items": [
            {
                "id": ANY,
                "course_id": made["id"],
                "course_name": "Cell Biology",
                "title": "Problem set 1",
                "kind": "assignment",
                "due_on": "2026-09-04",
                "days_until": 3,
                **NOT_ENDED,
                "created_at": made["created_at"],
                "updated_at": made["created_at"],
                "evidence": "confirmed",
            }
        ],
        "grade_categories": [{"id": ANY, **category, "drop_lowest": 0} for category in CATEGORIES],
        "warnings": [],
    }
    assert owner.made("list_items")["data"] == [{name: value for name, value in item.items() if name != "evidence"}]
    grades = owner.made("get_grades", course_id=made["id"])
    told = ("id", "name", "weight", "drop_lowest")
    assert [{name: one[name] for name in told} for one in grades["categories"]] == categories
    detail = owner.made("get_course", course_id=made["id"], include_syllabus=True)
    assert detail["syllabus_text"] == TEXT


def test_the_only_wrong_date_of_twenty_five_is_reported(owner: RestEntryPoint) -> None:
    items = [*ITEMS[:7], ITEMS[7] | {"due_on": "2026-09-26"}, *ITEMS[8:]]
    made = owner.made("create_course", **NAME, syllabus_text=TEXT, items=items)
    assert evidence_of(made) == ["confirmed"] * 7 + ["contradicted"] + ["confirmed"] * 17
    assert [(one["type"], one["index"]) for one in made["warnings"]] == [("weekday", 7)]


@each("sent", [{"items": []}, {"grade_categories": []}, {"syllabus_text": "Week 1"}])
def test_the_answer_contains_the_lists_if_one_part_is_sent(owner: RestEntryPoint, sent: Any) -> None:
    made = owner.made("create_course", **NAME, **sent)
    assert (made["items"], made["grade_categories"], made["warnings"]) == ([], [], [])


@each("nothing", [None, "absent"])
def test_null_counts_as_not_sent(owner: RestEntryPoint, nothing: Any) -> None:
    """Capabilities 8: `[]` counts as sent, null does not."""
    names = ("syllabus_text", "items", "grade_categories")
    made = owner.made("create_course", **NAME, **(dict.fromkeys(names) if nothing is None else {}))
    assert "items" not in made
    assert "grade_categories" not in made
    assert "warnings" not in made


def test_without_a_text_no_quote_is_found(owner: RestEntryPoint) -> None:
    made = owner.made("create_course", **NAME, items=ITEMS[:2])
    assert evidence_of(made) == ["not_found"] * 2


def test_the_documented_example_is_correct(owner: RestEntryPoint) -> None:
    text = (ROOT / "docs" / "syllabi.md").read_text()
    [example] = [sent for sent in re.findall(r"-d '(\{.*?\})'", text, re.DOTALL) if '"quote"' in sent]
    made = owner.made("create_course", **json.loads(example))
    assert evidence_of(made) == ["contradicted"]
    assert [(one["type"], one["index"]) for one in made["warnings"]] == [("weekday", 0)]


def test_an_item_without_a_quote_has_no_evidence(owner: RestEntryPoint) -> None:
    made = owner.made("create_course", **NAME, syllabus_text=TEXT, items=[{"title": "Essay"}, ITEMS[0]])
    assert ["evidence" in item for item in made["items"]] == [False, True]


def test_oddities_are_reported(owner: RestEntryPoint) -> None:
    items = [
        {"title": "Essay", "due_on": "2027-08-01"},
        {"title": "Quiz 1", "due_on": "2026-09-11"},
        {"title": "quiz  1", "due_on": "2026-09-11"},
    ]
    weights = [{"name": "Labs", "weight": 60}, {"name": "Final", "weight": 30}]
    made = owner.made("create_course", **NAME, items=items, grade_categories=weights)
    assert [(one["type"], one["index"]) for one in made["warnings"]] == [
        ("outside_term", 0),
        ("duplicate", 2),
        ("weights", None),
    ]
    assert all(one["message"] for one in made["warnings"])
    assert len(owner.made("list_items")["data"]) == 3


WRONG: list[tuple[dict[str, Any], list[str]]] = [
    ({"items": [{"title": "a"}, {"title": "b"}, {"title": "c", "due_on": "soon"}]}, ["items[2].due_on"]),
    ({"items": [{"kind": "exam"}]}, ["items[0].title"]),
    ({"items": [{"title": "a", "quote": "x" * 301}]}, ["items[0].quote"]),
    ({"items": [{"title": "a"}] * 101}, ["items"]),
    ({"items": {}}, ["items"]),
    ({"grade_categories": [{"name": "a", "weight": 101}]}, ["grade_categories[0].weight"]),
    ({"grade_categories": [{"name": "a", "weight": 1}] * 13}, ["grade_categories"]),
    ({"syllabus_text": "x" * 500_001}, ["syllabus_text"]),
    ({"syllabus_text": 7}, ["syllabus_text"]),
]


@each(("sent", "fields"), WRONG)
def test_errors_are_named_and_nothing_is_created(owner: RestEntryPoint, sent: Any, fields: list[str]) -> None:
    answer = owner.call("create_course", **NAME, **sent)
    assert (answer.error, answer.fields) == ("validation_failed", fields)
    assert owner.made("list_courses")["data"] == []


@pytest.mark.database("both")
def test_nothing_is_created_over_the_members_limit(owner: RestEntryPoint, owner_member) -> None:
    for course in stored(CourseFactory, 5, member=owner_member):
        stored(ItemFactory, 990, member=owner_member, course=course)
    answer = owner.call("create_course", **NAME, items=[{"title": f"{n}"} for n in range(51)])
    assert answer.error == "conflict"
    assert Course.objects.count() == 5
    owner.made("create_course", **NAME, items=[{"title": f"{n}"} for n in range(50)])
    assert Item.objects.count() == 5000


@pytest.mark.database("both")
def test_one_change_contains_everything(owner: RestEntryPoint, owner_member) -> None:
    made = owner.made("create_course", **NAME, syllabus_text=TEXT, items=ITEMS, grade_categories=CATEGORIES)
    [change] = rest_of(owner).made("list_changes")["data"]
    assert (change["operation"], change["object"]["id"], change["before"]) == ("create_course", made["id"], None)
    assert (change["after"]["items"], change["after"]["grade_categories"]) == (25, 3)
    assert change["undoable"] is True


def test_a_long_escaped_syllabus_is_accepted(owner: RestEntryPoint) -> None:
    """500,000 characters, each escaped in JSON: 3 MB."""
    made = owner.made("create_course", **NAME, syllabus_text="Ж" * 500_000)
    found = rest_of(owner).made("get_course", course_id=made["id"], include_syllabus=True)
    assert found["syllabus_length"] == len(found["syllabus_text"]) == 500_000


@pytest.mark.rest
def test_a_hundred_items_need_as_many_statements_as_one(owner: RestEntryPoint) -> None:
    def statements(count: int) -> int:
        items = [{"title": f"Quiz {n}", "due_on": "2026-09-11", "quote": "Quiz"} for n in range(count)]
        sent = {**NAME, "syllabus_text": TEXT, "items": items, "grade_categories": CATEGORIES[:1] * min(count, 12)}
        with CaptureQueriesContext(connection) as queries:
            owner.made("create_course", **sent)
        return len(queries)

    statements(1)
    few, many = statements(1), statements(100)
    assert many <= few + (connection.vendor == "sqlite")  # SQLite accepts 999 values at a time
    assert few <= 12


@pytest.mark.database("both")
@pytest.mark.rest
def test_a_retry_with_the_same_key_gets_the_same_answer(owner: RestEntryPoint) -> None:
    """Also a long answer with warnings, evidence, and an item deleted since."""
    quote = "11 September: quiz"
    items = [{"title": "Ж" * 160, "due_on": "2026-09-11", "quote": quote} for _ in range(100)]
    body = {**NAME, "items": items, "grade_categories": CATEGORIES, "syllabus_text": quote}
    first = owner.request("POST", "/v1/courses", json=body, HTTP_IDEMPOTENCY_KEY="k")
    answer = first.json()
    assert len(first.content) > 64 * 1024
    assert answer["warnings"]
    assert answer["items"][0]["evidence"]
    owner.made("delete_item", item_id=answer["items"][1]["id"])
    again = owner.request("POST", "/v1/courses", json=body, HTTP_IDEMPOTENCY_KEY="k")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json() == answer
    assert (Course.objects.count(), GradeCategory.objects.count()) == (1, 3)
