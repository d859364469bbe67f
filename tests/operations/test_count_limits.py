"""Count limits hold under concurrent requests (decisions, 6)."""

import pytest

from courses.item_batches import ITEMS_OF_COURSE
from courses.models import Course, Item
from studyservice.registry.counts import recount
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, stored


@pytest.fixture
def fill(owner_member, course):
    """Fills the owner's course with items in bulk, as the API would need a thousand requests."""

    def bulk(count: int) -> None:
        stored(ItemFactory, count, member=owner_member, course=Course(id=course["id"]))
        recount(owner_member.id)

    return bulk


@pytest.mark.django_db(transaction=True)
def test_parallel_courses_stop_at_30(owner: RestEntryPoint, in_threads) -> None:
    for number in range(29):
        owner.made("create_course", name=f"Course {number}")
    answers = in_threads(lambda n: owner.call("create_course", name=f"New {n}").error, list(range(24)))
    assert sorted(map(str, answers)) == ["None"] + ["conflict"] * 23
    assert len(owner.made("list_courses")["data"]) == 30


@pytest.mark.django_db(transaction=True)
def test_parallel_milestones_stop_at_20(owner: RestEntryPoint, item, in_threads) -> None:
    for number in range(19):
        owner.made("create_milestone", item_id=item["id"], title=f"{number}")
    answers = in_threads(lambda n: owner.call("create_milestone", item_id=item["id"], title=f"{n}").error, [*range(24)])
    assert sorted(map(str, answers)) == ["None"] + ["conflict"] * 23
    assert len(owner.made("list_milestones", item_id=item["id"])["data"]) == 20


@pytest.mark.django_db(transaction=True)
def test_parallel_milestones_get_distinct_positions(owner: RestEntryPoint, item, in_threads) -> None:
    in_threads(lambda n: owner.made("create_milestone", item_id=item["id"], title=f"{n}"), list(range(20)))
    listed = owner.made("list_milestones", item_id=item["id"])["data"]
    assert [milestone["position"] for milestone in listed] == list(range(1, 21))


@pytest.mark.django_db(transaction=True)
def test_parallel_items_stop_at_1000(owner: RestEntryPoint, course, fill, in_threads) -> None:
    fill(ITEMS_OF_COURSE.most - 1)
    answers = in_threads(lambda n: owner.call("create_item", course_id=course["id"], title=f"{n}").error, [*range(24)])
    assert sorted(map(str, answers)) == ["None"] + ["conflict"] * 23
    assert Item.objects.count() == 1000


def test_a_course_has_at_most_1000_items(owner: RestEntryPoint, course, fill) -> None:
    fill(999)
    last = owner.made("create_item", course_id=course["id"], title="The last")
    assert owner.call("create_item", course_id=course["id"], title="One more").error == "conflict"
    other = owner.made("create_course", name="Algebra")
    owner.made("create_item", course_id=other["id"], title="In another course")
    owner.made("delete_item", item_id=last["id"])
    owner.made("create_item", course_id=course["id"], title="One more")


def test_too_many_items_at_once_are_counted(owner: RestEntryPoint, course, fill) -> None:
    fill(998)
    refused = owner.call("create_item", course_id=course["id"], title="One", more=[{"title": "More"}] * 4)
    told = "That is 3 too many: there can be at most 1000 items of a course, and there are 998."
    assert (refused.error, refused.body["message"]) == ("conflict", f"{told} Send fewer, or delete some first.")


def test_items_of_a_full_course_can_still_be_changed(owner: RestEntryPoint, course, fill) -> None:
    fill(1000)
    item = owner.made("list_items", limit=1)["data"][0]
    assert owner.made("update_item", item_id=item["id"], title="New")["title"] == "New"


@pytest.mark.django_db(transaction=True)
def test_limits_are_per_member(owner: RestEntryPoint, stranger: RestEntryPoint, in_threads) -> None:
    entry_points = [owner, stranger] * 6
    for member in [owner, stranger]:
        for number in range(27):
            member.made("create_course", name=f"Course {number}")
    in_threads(lambda entry_point: entry_point.call("create_course", name="New"), entry_points)
    assert [len(member.made("list_courses")["data"]) for member in (owner, stranger)] == [30, 30]


@pytest.mark.django_db(transaction=True)
def test_deleting_a_course_while_creating_items_leaves_no_orphans(owner: RestEntryPoint, course, in_threads) -> None:
    """Late requests find no course, and no item exists without one."""

    def act(number: int) -> str | None:
        if number == 5:
            return owner.call("delete_course", course_id=course["id"]).error
        return owner.call("create_item", course_id=course["id"], title="x").error

    answers = in_threads(act, list(range(12)))
    assert answers.pop(5) is None
    assert set(answers) <= {None, "not_found"}
    assert Item.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_deleting_an_item_while_changing_milestones_leaves_no_orphans(
    owner: RestEntryPoint, item, milestone, in_threads
) -> None:
    from planning.models import Milestone

    def act(number: int) -> str | None:
        if number == 5:
            return owner.call("delete_item", item_id=item["id"]).error
        if number % 2:
            return owner.call("update_milestone", milestone_id=milestone["id"], done=True).error
        return owner.call("create_milestone", item_id=item["id"], title="x").error

    answers = in_threads(act, list(range(12)))
    assert answers.pop(5) is None
    assert set(answers) <= {None, "not_found"}
    assert Milestone.objects.count() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["course", "item", "milestone"])
def test_one_of_several_parallel_deletions_succeeds(
    owner: RestEntryPoint, milestone, name: str, request, in_threads
) -> None:
    given = {f"{name}_id": request.getfixturevalue(name)["id"]}
    answers = in_threads(lambda _: owner.call(f"delete_{name}", **given).error, list(range(8)))
    assert sorted(map(str, answers)) == ["None"] + ["not_found"] * 7
