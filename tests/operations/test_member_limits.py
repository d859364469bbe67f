"""At most 5,000 items and 5,000 milestones per member, however distributed, even with concurrent requests."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Member
from courses.item_rows import computed_of_item
from courses.models import Course, Item
from planning.models import Milestone
from studyservice.registry.counts import recount
from tests.support.bulk import insert
from tests.support.entry_points import RestEntryPoint

Fill = Callable[[int], None]


def _items(member: Member, count: int) -> list[Any]:
    """Create items of the member in courses of a thousand. Return their ids."""
    now, ids = timezone.now(), [uuid4() for _ in range(count)]
    full = Course.objects.bulk_create(Course(member=member, name=f"{n}") for n in range(count // 1000 + 1))
    common = {"member_id": member.id, "title": "x", "kind": "other", "created_at": now, "updated_at": now}
    common |= computed_of_item(common)  # otherwise the repair below would update each
    insert(Item, [{"id": ids[n], "course_id": full[n // 1000].id, **common} for n in range(count)])
    recount(member.id)
    return ids


@pytest.fixture
def fill_items(owner_member: Member) -> Fill:
    """Creates this many items for the owner in bulk."""

    def fill(count: int) -> None:
        _items(owner_member, count)

    return fill


@pytest.fixture
def fill_milestones(owner_member: Member) -> Fill:
    """Creates this many milestones for the owner in bulk, twenty per item."""

    def fill(count: int) -> None:
        now, items = timezone.now(), _items(owner_member, count // 20 + 1)
        common = {"member_id": owner_member.id, "title": "x", "done": False, "created_at": now, "updated_at": now}
        rows = [{"id": uuid4(), "item_id": items[n // 20], "position": n % 20 + 1, **common} for n in range(count)]
        insert(Milestone, rows)

    return fill


def test_a_member_has_at_most_5000_items(
    owner: RestEntryPoint, stranger: RestEntryPoint, course: Any, fill_items: Fill
) -> None:
    fill_items(4999)
    last = owner.made("create_item", course_id=course["id"], title="The last")
    refused = owner.call("create_item", course_id=course["id"], title="One more")
    assert refused.error == "conflict"
    assert "5000 items" in refused.body["message"]
    theirs = stranger.made("create_course", name="Theirs")
    stranger.made("create_item", course_id=theirs["id"], title="Another member's")
    owner.made("update_item", item_id=last["id"], title="New")
    owner.made("delete_item", item_id=last["id"])
    owner.made("create_item", course_id=course["id"], title="One more")


def test_a_member_has_at_most_5000_milestones(
    owner: RestEntryPoint, stranger: RestEntryPoint, item: Any, fill_milestones: Fill
) -> None:
    fill_milestones(4999)
    last = owner.made("create_milestone", item_id=item["id"], title="The last")
    assert last["position"] == 1
    refused = owner.call("create_milestone", item_id=item["id"], title="One more")
    assert refused.error == "conflict"
    assert "5000 milestones" in refused.body["message"]
    theirs = stranger.made("create_course", name="Theirs")
    other = stranger.made("create_item", course_id=theirs["id"], title="x")
    stranger.made("create_milestone", item_id=other["id"], title="Another member's")
    owner.made("update_milestone", milestone_id=last["id"], done=True)
    owner.made("delete_milestone", milestone_id=last["id"])
    owner.made("create_milestone", item_id=item["id"], title="One more")


def test_deleting_a_course_or_an_item_frees_places(owner: RestEntryPoint, course: Any, fill_milestones: Fill) -> None:
    item = owner.made("create_item", course_id=course["id"], title="x")
    owner.made("create_milestone", item_id=item["id"], title="x")
    fill_milestones(4999)
    fresh = owner.made("create_course", name="Fresh")
    other = owner.made("create_item", course_id=fresh["id"], title="x")
    assert owner.call("create_milestone", item_id=other["id"], title="x").error == "conflict"
    owner.made("delete_item", item_id=item["id"])
    owner.made("create_milestone", item_id=other["id"], title="x")
    assert owner.call("create_milestone", item_id=other["id"], title="x").error == "conflict"
    owner.made("delete_course", course_id=fresh["id"])
    next_item = owner.made("create_item", course_id=course["id"], title="x")
    owner.made("create_milestone", item_id=next_item["id"], title="x")


@pytest.mark.thorough("test_order_of_checks.py checks the order at another limit")
@pytest.mark.parametrize("what", ["item", "milestone"])
def test_the_limit_is_checked_last(
    owner: RestEntryPoint, stranger: RestEntryPoint, item: Any, what: str, request: pytest.FixtureRequest
) -> None:
    """Parent (404), then body (422), then count limits (409)."""
    request.getfixturevalue(f"fill_{what}s")(5000)
    given = {"course_id": item["course_id"]} if what == "item" else {"item_id": item["id"]}
    assert stranger.call(f"create_{what}", **given, title="x").error == "not_found"
    assert owner.call(f"create_{what}", **given, title="").error == "validation_failed"
    assert owner.call(f"create_{what}", **given, title="x").error == "conflict"


@pytest.mark.django_db(transaction=True)
def test_parallel_items_of_several_courses_stop_at_5000(owner: RestEntryPoint, fill_items: Fill, in_threads) -> None:
    courses = [owner.made("create_course", name=f"Course {n}")["id"] for n in range(6)]
    fill_items(4998)
    answers = in_threads(
        lambda n: owner.call("create_item", course_id=courses[n % 6], title=f"{n}").error, [*range(24)]
    )
    assert sorted(map(str, answers)) == ["None"] * 2 + ["conflict"] * 22
    assert Item.objects.count() == 5000


@pytest.mark.django_db(transaction=True)
def test_parallel_milestones_of_several_items_stop_at_5000(
    owner: RestEntryPoint, course: Any, fill_milestones: Fill, in_threads
) -> None:
    items = [owner.made("create_item", course_id=course["id"], title=f"{n}")["id"] for n in range(6)]
    fill_milestones(4998)
    answers = in_threads(lambda n: owner.call("create_milestone", item_id=items[n % 6], title="x").error, [*range(24)])
    assert sorted(map(str, answers)) == ["None"] * 2 + ["conflict"] * 22
    assert Milestone.objects.count() == 5000


@pytest.mark.same_statements
def test_the_admin_applies_the_limit(admin: Client, course: Any, fill_items: Fill) -> None:
    fill_items(5000)
    fields = {"course": course["id"], "title": "One more", "kind": "exam", "due_on": "2027-01-01"}
    response = admin.post("/admin/courses/item/add/", fields, follow=True)
    [message] = response.context["messages"]
    assert "5000 items" in str(message)
    assert Item.objects.count() == 5000


@pytest.mark.same_statements
def test_members_over_the_limit_keep_their_objects(owner: RestEntryPoint, course: Any, fill_items: Fill) -> None:
    """From before the limit existed."""
    fill_items(5100)
    assert owner.call("create_item", course_id=course["id"], title="One more").error == "conflict"
    item = owner.made("list_items", limit=1)["data"][0]
    due_on = (timezone.now() + timedelta(days=1)).date().isoformat()
    assert owner.made("update_item", item_id=item["id"], due_on=due_on)["due_on"] == due_on
