"""Retention of the log of changes, and the data it never contains."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
import time_machine
from django.core.management import call_command

from accounts.models import ApiKey, Member
from studyservice.models import Change, ChangeObject
from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.world import TOOLS, WRITES, World

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

NOW = datetime(2030, 1, 15, 12, tzinfo=UTC)
"""Later than the clock of any member in the tests."""


def purge_after(days: float) -> None:
    with time_machine.travel(NOW + timedelta(days=days), tick=False):
        call_command("purgeexpired")


@pytest.fixture
def deletion(owner: RestEntryPoint) -> Change:
    """The change of a deleted course with an item."""
    with time_machine.travel(NOW, tick=False):
        course = owner.made("create_course", name="Botany")
        owner.made("create_item", course_id=course["id"], title="Midterm")
        owner.made("delete_course", course_id=course["id"])
    return Change.objects.get(operation="delete_course")


@each(("days", "error"), [(29.9, None), (30.1, "conflict")])
def test_a_deletions_snapshot_is_stored_for_30_days(
    deletion: Change, owner: RestEntryPoint, days: float, error: str | None
) -> None:
    purge_after(days)
    with time_machine.travel(NOW + timedelta(days=1), tick=False):  # only the purge was later
        assert owner.call("undo_change", change_id=deletion.id).error == error


def test_a_deletion_can_be_undone_for_exactly_30_days(deletion: Change, owner: RestEntryPoint) -> None:
    for days, undoable in ((29.9, True), (30.1, False)):
        with time_machine.travel(NOW + timedelta(days=days), tick=False):
            assert owner.made("list_changes", limit=1)["data"][0]["undoable"] is undoable


def test_a_change_is_stored_for_90_days(deletion: Change) -> None:
    purge_after(89.9)
    assert Change.objects.filter(id=deletion.id).exists()
    assert ChangeObject.objects.exists()
    purge_after(90.1)
    assert not Change.objects.exists()
    assert not ChangeObject.objects.exists()


def test_changes_and_snapshots_are_purged_in_batches(owner: RestEntryPoint) -> None:
    with time_machine.travel(NOW, tick=False):
        for number in range(5):
            course = owner.made("create_course", name=f"Course {number}")
            owner.made("delete_course", course_id=course["id"])
    with patch("studyservice.database.deleting.BATCH", 2):
        purge_after(31)
        assert Change.objects.count() == 10
        purge_after(91)
    assert not Change.objects.exists()


def test_the_log_never_contains_a_secret(owner: RestEntryPoint, owner_member: Member) -> None:
    """No operation stores a key, its hash or the member's address in the log."""
    world = World(owner)
    for operation_id in sorted({*WRITES} & {*TOOLS}):
        rates.clear()
        world.forget()
        world.fill()
        world.call(operation_id).send(Authorization=f"Bearer {owner.secret}")
        for course in owner.made("list_courses")["data"]:
            owner.made("delete_course", course_id=course["id"])
        for calendar in owner.made("list_school_calendars")["data"]:
            owner.made("delete_school_calendar", calendar_id=calendar["id"])
    hidden = [owner.secret, *ApiKey.objects.values_list("secret_hash", flat=True), owner_member.email]
    told, page = [], {"has_more": True, "next_cursor": None}
    while page["has_more"]:
        page = owner.made("list_changes", limit=100, **cursor_of(page))
        told += page["data"]
    assert {row["operation"] for row in told} >= ({*WRITES} & {*TOOLS}) - {"review_vocab_card"}
    assert [secret for secret in hidden if secret in str(told)] == []


def cursor_of(page: Any) -> dict[str, str]:
    return {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
