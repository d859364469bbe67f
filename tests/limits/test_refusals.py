"""Calls that a limited credential cannot make, and their errors."""

from typing import Any
from uuid import uuid4

import pytest

from studyservice.rows.limits import Limits
from tests.support.calendar_files import one_deadline
from tests.support.entry_points import RestEntryPoint
from tests.support.half_seen import text_of
from tests.support.oauth import BASE
from tests.support.schools import URL, School, labelled
from tests.support.tools import mcp_of

pytestmark = [pytest.mark.rest, pytest.mark.database("both")]


@pytest.fixture
def other(owner: RestEntryPoint) -> Any:
    """A hidden course."""
    return owner.made("create_course", name="Latin")


@pytest.fixture
def limited(owner_member: Any, course: Any, make_key: Any) -> RestEntryPoint:
    return RestEntryPoint(make_key(owner_member, limits=Limits((course["id"],)).stored())[0])


@pytest.fixture
def ungraded(owner_member: Any, make_key: Any) -> RestEntryPoint:
    return RestEntryPoint(make_key(owner_member, limits=Limits(grades=False).stored())[0])


def refusal(entry_point: RestEntryPoint, method: str, path: str, **request: Any) -> str:
    """The message of a 403 with its challenge."""
    response = entry_point.request(method, path, **request)
    assert response.status_code == 403, response.content
    assert 'error="insufficient_scope"' in response.headers["WWW-Authenticate"]
    error = response.json()["error"]
    assert error["type"] == "insufficient_scope"
    return str(error["message"])


_WHOLE_ACCOUNT = (
    ("GET", "/v1/export"),
    ("POST", "/v1/import"),
    ("PATCH", "/v1/me"),
    ("GET", "/v1/school-calendars"),
    ("POST", f"/v1/school-calendars/{uuid4()}/refresh"),
)


def test_operations_on_the_whole_account_are_rejected(limited: RestEntryPoint, ungraded: RestEntryPoint) -> None:
    for entry_point in (limited, ungraded):
        for method, path in _WHOLE_ACCOUNT:
            assert "part of the member's data" in (said := refusal(entry_point, method, path))
            assert f"The member can change what it sees at {BASE}/keys." in said


def test_grades_are_rejected_before_ids_and_bodies(ungraded: RestEntryPoint, course: Any, item: Any) -> None:
    unknown = uuid4()
    for method, path, body in (
        ("GET", f"/v1/courses/{unknown}/grades", None),
        ("GET", "/v1/courses/x/grades", None),
        ("PUT", f"/v1/courses/{course['id']}/grade-categories", {}),
        ("POST", f"/v1/courses/{course['id']}/grade-scores", {}),
        ("PATCH", f"/v1/grade-scores/{unknown}", {}),
        ("DELETE", f"/v1/grade-scores/{unknown}", None),
        ("POST", "/v1/courses", {"name": "x", "grade_categories": []}),
        ("POST", f"/v1/courses/{course['id']}/items", {"title": "x", "category_id": str(unknown)}),
        ("POST", f"/v1/courses/{course['id']}/items", {"title": "x", "more": [{"title": "y", "category_id": "z"}]}),
        ("PATCH", f"/v1/items/{item['id']}", {"category_id": str(unknown)}),
    ):
        assert refusal(ungraded, method, path, json=body) == "The member keeps grades to themself.", path
    assert ungraded.made("create_course", name="x", grade_categories=None)["name"] == "x"
    assert ungraded.made("update_item", item_id=item["id"], category_id=None)["category_id"] is None


def test_a_tool_is_rejected_with_the_challenge(ungraded: RestEntryPoint, course: Any) -> None:
    response = mcp_of(ungraded).rpc("tools/call", {"name": "get_grades", "arguments": {"course_id": course["id"]}})
    result = response.json()["result"]
    text = result["content"][0]["text"]
    assert "The member keeps grades to themself.\nTell the member: they can change what this app or key sees" in text
    assert f"with Change at {BASE}/keys." in text
    assert "allow editing" not in text
    assert "insufficient_scope" in result["_meta"]["mcp/www_authenticate"][0]


def test_a_lapsed_membership_is_reported_first(ungraded: RestEntryPoint, owner_member: Any, course: Any) -> None:
    type(owner_member).objects.filter(id=owner_member.id).update(membership_active=False)
    assert ungraded.call("get_grades", course_id=course["id"]).error == "membership_required"


def test_a_graded_item_appears_as_done(owner: RestEntryPoint, ungraded: RestEntryPoint, course: Any, item: Any) -> None:
    categories = [{"name": "Exams", "weight": 100}]
    [category] = owner.made("set_grade_categories", course_id=course["id"], categories=categories)["categories"]
    score = {"category_id": category["id"], "label": "Exam", "score": 90, "item_id": item["id"]}
    scored = owner.made("add_grade_score", course_id=course["id"], **score)
    assert owner.made("get_item", item_id=item["id"])["worth"] == 100
    told = ungraded.made("get_item", item_id=item["id"])
    assert (told["status"], told["done"], told["done_at"]) == ("done", True, scored["created_at"])
    assert (told["worth"], told["category_id"]) == (None, None)
    assert ungraded.made("list_items", status="graded")["data"] == []
    assert [one["id"] for one in ungraded.made("list_items", status="done")["data"]] == [item["id"]]
    assert ungraded.made("update_item", item_id=item["id"], done=True)["updated_at"] == told["updated_at"]
    ungraded.made("update_item", item_id=item["id"], title="Final")
    assert owner.made("get_item", item_id=item["id"])["category_id"] == category["id"]
    assert owner.made("get_item", item_id=item["id"])["done"] is False


def test_a_change_of_grades_is_neither_listed_nor_undoable(
    owner: RestEntryPoint, ungraded: RestEntryPoint, course: Any
) -> None:
    categories = [{"name": "Exams", "weight": 100}]
    [category] = owner.made("set_grade_categories", course_id=course["id"], categories=categories)["categories"]
    owner.made("add_grade_score", course_id=course["id"], category_id=category["id"], label="Exam", score=90)
    changes = owner.made("list_changes")["data"]
    assert [one["operation"] for one in changes] == ["add_grade_score", "set_grade_categories", "create_course"]
    assert [one["operation"] for one in ungraded.made("list_changes")["data"]] == ["create_course"]
    for change in changes[:2]:
        assert "grades" in refusal(ungraded, "POST", f"/v1/changes/{change['id']}/undo")
    owner.made("undo_change", change_id=changes[0]["id"])
    assert [one["operation"] for one in ungraded.made("list_changes")["data"]] == ["create_course"]
    assert ungraded.call("undo_change", change_id=str(uuid4())).error == "not_found"


def test_changes_of_school_calendars_are_undone_only_by_unlimited_credentials(
    owner: RestEntryPoint, limited: RestEntryPoint, ungraded: RestEntryPoint, course: Any, internet: Any
) -> None:
    School(internet).has(labelled("a", "20261203", "Essay 1"))
    calendar = owner.made("add_school_calendar", url=URL, course_id=course["id"], accept=True)
    owner.made("update_school_calendar", calendar_id=calendar["id"], paused=True)
    changes = [row for row in owner.made("list_changes")["data"] if "school_calendar" in row["operation"]]
    logged = {row["operation"] for row in changes}
    assert logged == {"add_school_calendar", "read_school_calendar", "update_school_calendar"}
    ids = {row["id"] for row in changes}
    for entry_point in (limited, ungraded):
        told = [row for row in entry_point.made("list_changes")["data"] if row["id"] in ids]
        assert not any(row["undoable"] for row in told)
        for row in told:
            assert "part of the member's data" in refusal(entry_point, "POST", f"/v1/changes/{row['id']}/undo")
    assert len(told) == len(ids)
    assert len(owner.made("list_school_calendars")["data"]) == 1
    owner.made("undo_change", change_id=changes[0]["id"])
    assert owner.made("list_school_calendars")["data"][0]["state"] != "paused"


def test_a_partly_visible_change_omits_the_other_course(
    owner: RestEntryPoint, limited: RestEntryPoint, course: Any, other: Any
) -> None:
    deck = owner.made(
        "create_vocab_deck", name="Verbs", course_id=other["id"], cards=[{"term": "a", "definition": "b"}]
    )
    owner.made("update_vocab_deck", deck_id=deck["id"], course_id=course["id"])
    moved, made, *_ = owner.made("list_changes")["data"]
    [told, _] = limited.made("list_changes")["data"]
    assert told["id"] == moved["id"]
    assert (told["before"], told["after"]) == ({"course_id": None}, {"course_id": course["id"]})
    assert told["undoable"] is False
    assert other["id"] not in text_of(limited.request("GET", "/v1/changes"))
    assert "courses that this credential does not see" in refusal(limited, "POST", f"/v1/changes/{moved['id']}/undo")
    assert limited.call("undo_change", change_id=made["id"]).error == "not_found"
    assert limited.made("list_changes", object_id=other["id"])["data"] == []


def test_its_own_changes_can_be_undone(limited: RestEntryPoint, course: Any, other: Any) -> None:
    item = limited.made("create_item", course_id=course["id"], title="Lab")
    limited.made("delete_item", item_id=item["id"])
    limited.made("undo_change", change_id=limited.made("list_changes")["data"][0]["id"])
    assert [one["title"] for one in limited.made("list_items")["data"]] == ["Lab"]
    deck = limited.made("create_vocab_deck", name="a", course_id=course["id"], cards=[{"term": "a", "definition": "b"}])
    limited.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="good")
    review = limited.made("list_changes")["data"][0]
    limited.made("undo_change", change_id=review["id"])
    assert limited.made("get_practice_stats")["attempts"] == 0


def test_a_deck_needs_a_visible_course(owner: RestEntryPoint, limited: RestEntryPoint, course: Any, other: Any) -> None:
    cards = [{"term": "a", "definition": "b"}]
    for extra in ({}, {"course_id": None}, {"course_id": other["id"]}):
        answer = limited.call("create_vocab_deck", name="Verbs", cards=cards, **extra)
        assert (answer.error, answer.fields) == ("validation_failed", ["course_id"]), extra
    deck = limited.made("create_vocab_deck", name="Verbs", cards=cards, course_id=course["id"])
    for course_id in (None, other["id"]):
        answer = limited.call("update_vocab_deck", deck_id=deck["id"], course_id=course_id)
        assert (answer.error, answer.fields) == ("validation_failed", ["course_id"])
    hidden = owner.made("create_vocab_deck", name="Nouns", cards=cards, course_id=other["id"])
    merged = limited.made("create_vocab_deck", name="Nouns", cards=cards, course_id=course["id"], if_exists="merge")
    assert merged["id"] != hidden["id"]
    assert limited.made("create_vocab_deck", name="Verbs", cards=cards, if_exists="merge")["id"] == deck["id"]


def test_count_limits_are_those_of_the_member(
    owner: RestEntryPoint, limited: RestEntryPoint, course: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(29):
        owner.made("create_course", name=f"Course {number}")
    assert limited.call("create_course", name="x").error == "conflict"


def test_a_replay_is_checked_against_the_current_limits(
    owner: RestEntryPoint, owner_member: Any, make_key: Any, course: Any, other: Any
) -> None:
    secret, key = make_key(owner_member)
    app = RestEntryPoint(secret)
    calls = [
        (f"/v1/courses/{other['id']}/items", {"title": "Lab"}, 404),
        ("/v1/courses", {"name": "Art"}, 404),
        ("/v1/vocab-decks", {"name": "a", "course_id": other["id"], "cards": [{"term": "a", "definition": "b"}]}, 422),
        ("/v1/syllabi", {"text": "Fall 2026\n\nDec 3: quiz"}, 404),
        (f"/v1/courses/{course['id']}/items", {"title": "Lab"}, 201),
    ]
    for place, (path, body, _) in enumerate(calls):
        assert app.request("POST", path, json=body, HTTP_IDEMPOTENCY_KEY=f"k{place}").status_code == 201
    key.limits = Limits((course["id"],)).stored()
    key.save()
    for place, (path, body, status) in enumerate(calls):
        response = app.request("POST", path, json=body, HTTP_IDEMPOTENCY_KEY=f"k{place}")
        assert response.status_code == status, (path, response.content)
        if status == 201:
            assert response.headers["Idempotency-Replayed"] == "true"


def test_an_upload_is_visible_to_its_sender(
    owner: RestEntryPoint, limited: RestEntryPoint, owner_member: Any, make_key: Any, course: Any
) -> None:
    text = "Fall 2026\n\nDec 3, 2026: quiz"
    second = RestEntryPoint(make_key(owner_member, limits=Limits((course["id"],)).stored())[0])
    of_owner, of_limited, of_second = (
        entry_point.made("create_syllabus", text=text)["id"] for entry_point in (owner, limited, second)
    )
    assert len({of_owner, of_limited, of_second}) == 3
    assert limited.made("create_syllabus", text=text)["id"] == of_limited
    for hidden in (of_owner, of_second):
        assert limited.call("get_syllabus", syllabus_id=hidden).error == "not_found"
        assert limited.call("update_course", course_id=course["id"], syllabus_id=hidden).fields == ["syllabus_id"]
    assert owner.made("get_syllabus", syllabus_id=of_limited)["id"] == of_limited
    limited.made("update_course", course_id=course["id"], syllabus_id=of_limited)
    assert second.made("get_syllabus", syllabus_id=of_limited)["course_id"] == course["id"]


def test_a_calendar_is_imported_into_a_visible_course(limited: RestEntryPoint, course: Any, other: Any) -> None:
    assert limited.call("import_calendar", course_id=other["id"], file=one_deadline()).error == "not_found"
    assert len(limited.made("import_calendar", course_id=course["id"], file=one_deadline())["new"]) == 1
