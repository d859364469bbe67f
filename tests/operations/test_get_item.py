"""get_item: GET /v1/items/{item_id}."""

from unittest.mock import ANY

import pytest

from tests.support.entry_points import RestEntryPoint
from tests.support.samples import NOT_ENDED, fetched_item

pytestmark = pytest.mark.same_statements


def test_it_returns_the_item(owner: RestEntryPoint, course, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    made = owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam", due_on="2026-11-24")
    assert owner.made("get_item", item_id=made["id"]) == {
        "id": made["id"],
        "course_id": course["id"],
        "course_name": "Cell Biology",
        "title": "Midterm",
        "kind": "exam",
        "due_on": "2026-11-24",
        "days_until": 3,
        **NOT_ENDED,
        "created_at": ANY,
        "updated_at": ANY,
        "readiness": {
            "on": "2026-11-24",
            "cards": 0,
            "desired_retention": 90,
            "expected_recall": None,
            "seen_recall": None,
            "unseen": 0,
            "below_target": 0,
        },
    }


@pytest.mark.parametrize(
    ("due_on", "days_until"),
    [("2026-11-21", 0), ("2026-11-20", -1), ("2026-11-22", 1), ("2027-11-21", 365), (None, None)],
)
def test_days_until_counts_from_today(owner: RestEntryPoint, item, due_on, days_until, time_machine) -> None:
    """Member: `days_until` is computed against `today`; decisions, 5: negative when past, null when undated."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    owner.made("update_item", item_id=item["id"], due_on=due_on)
    assert owner.made("get_item", item_id=item["id"])["days_until"] == days_until


def test_days_until_changes_with_the_day(owner: RestEntryPoint, course, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    made = owner.made("create_item", course_id=course["id"], title="Midterm", due_on="2026-11-22")
    time_machine.move_to("2026-11-24T12:00:00Z")
    assert fetched_item(owner, made["id"]) == made | {"days_until": -2, "status": "missed"}
