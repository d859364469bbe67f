"""The floor of the benchmark returns the service's answers; otherwise their figures would not be comparable."""

import importlib
from datetime import UTC, date, datetime, timedelta
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.db import connection

from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed

pytestmark = [pytest.mark.rest, pytest.mark.database("postgresql"), pytest.mark.django_db]

NEW = ("id", "created_at", "updated_at")


@pytest.fixture
def floor(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Its functions on the connection of the test."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://unused")
    monkeypatch.setenv("SECRET_KEY", settings.SECRET_KEY)
    floor = importlib.import_module("tools.bench.floor")
    ground = importlib.import_module("tools.bench.floor.ground")
    connection.ensure_connection()
    monkeypatch.setattr(ground._local, "connection", connection.connection, raising=False)
    return floor


@pytest.fixture
def caller(floor: Any, owner: RestEntryPoint) -> Any:
    return floor.caller_of({"HTTP_AUTHORIZATION": f"Bearer {owner.secret}"})


@pytest.fixture
def course(owner: RestEntryPoint) -> Any:
    """A course with items in each status, a note, milestones, grades, and cards for an exam."""
    course: dict[str, Any] = owner.made("create_course", name="Cell Biology", grade_categories=CATEGORIES)
    categories = [one["id"] for one in owner.made("get_grades", course_id=course["id"])["categories"]]
    today = date.fromisoformat(owner.made("get_me")["today"])
    exam, essay, lab = (
        owner.made("create_item", course_id=course["id"], title=title, kind=kind, due_on=str(today), **more)
        for title, kind, more in (
            ("Midterm", "exam", {}),
            ("Essay", "paper", {"note": "x" * 300, "category_id": categories[0]}),
            ("Lab 1", "lab", {"category_id": categories[1]}),
        )
    )
    owner.made("update_item", item_id=essay["id"], done=True)
    owner.made("create_milestone", item_id=lab["id"], title="Outline")
    owner.made("add_grade_score", course_id=course["id"], category_id=categories[2], label="Quiz 1", score=87.5)
    reviewed(owner, made_deck(owner, course_id=course["id"])["cards"][0], "good")
    return course | {"exam": exam["id"]}


CATEGORIES = [{"name": "Papers", "weight": 40}, {"name": "Labs", "weight": 35}, {"name": "Quizzes", "weight": 25}]


def same(answer: Any, expected: Any) -> None:
    assert orjson.loads(orjson.dumps(answer)) == expected


def test_it_lists_the_same_items(floor: Any, caller: Any, course: Any, owner: RestEntryPoint) -> None:
    same(floor.list_items(caller, 25), owner.made("list_items"))


def test_its_agenda_is_equal(floor: Any, caller: Any, course: Any, owner: RestEntryPoint) -> None:
    same(floor.get_agenda(caller, 14), owner.made("get_agenda"))


def test_its_agenda_contains_missed_items(
    floor: Any, caller: Any, course: Any, owner: RestEntryPoint, time_machine: Any
) -> None:
    time_machine.move_to(datetime.now(UTC) + timedelta(days=3))
    expected = owner.made("get_agenda")
    assert [item["title"] for item in expected["missed"]] == ["Lab 1"]
    same(floor.get_agenda(caller._replace(today=date.fromisoformat(expected["today"])), 14), expected)


def test_its_grades_are_equal(floor: Any, caller: Any, owner: RestEntryPoint) -> None:
    course = owner.made("create_course", name="History", grade_categories=CATEGORIES)
    first = owner.made("get_grades", course_id=course["id"])["categories"][0]["id"]
    owner.made("add_grade_score", course_id=course["id"], category_id=first, label="Essay 1", score=87.5)
    same(floor.get_grades(caller, course["id"]), owner.made("get_grades", course_id=course["id"]))


def test_it_creates_the_same_item(floor: Any, caller: Any, course: Any, owner: RestEntryPoint) -> None:
    body = {"title": "Lab 2", "kind": "lab", "due_on": "2031-02-03"}
    made = orjson.loads(orjson.dumps(floor.create_item(caller, course["id"], body)))
    assert owner.made("get_item", item_id=made["id"]) == made | {"readiness": None}
    expected = owner.made("create_item", course_id=course["id"], **body)
    assert {name: made[name] for name in made if name not in NEW} == {
        name: expected[name] for name in expected if name not in NEW
    }
