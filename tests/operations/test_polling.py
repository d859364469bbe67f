"""Polling list_items with created_after: a poller misses nothing, and sees only changed items twice."""

from collections import Counter
from itertools import cycle
from threading import Event
from typing import Any

import pytest

from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory

pytestmark = pytest.mark.same_statements

LONG_AGO = "2000-01-01T00:00:00Z"


def _poll(entry_point: RestEntryPoint, since: str, limit: int = 3) -> list[Any]:
    """The items of one walk over everything created after `since`."""
    page = entry_point.made("list_items", created_after=since, limit=limit)
    items: list[Any] = page["data"]
    while page["has_more"]:
        page = entry_point.made("list_items", created_after=since, limit=limit, cursor=page["next_cursor"])
        items += page["data"]
    return items


def _newest(items: list[Any], before: str) -> str:
    """Polling: store the newest `created_at` seen."""
    return max([item["created_at"] for item in items], default=before)


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_poller_sees_every_item_once_while_four_threads_write(owner_member, entry_point, course, in_threads) -> None:
    """Decisions, 6: items become visible in the order of their `created_at`."""
    writers, each, finished = 4, 25, []
    pollers = cycle([entry_point(owner_member) for _ in range(5)])
    done = Event()

    def write(writer: RestEntryPoint) -> list[str]:
        made = []
        for number in range(each):
            due_on = None if number % 3 else f"2027-01-{number + 1:02}"
            made.append(writer.made("create_item", course_id=course["id"], title="x", due_on=due_on)["id"])
        finished.append(writer)
        if len(finished) == writers:
            done.set()
        return made

    def poll() -> list[str]:
        seen, since, last = [], LONG_AGO, False
        while not last:
            last = done.wait(timeout=0)
            found = _poll(next(pollers), since)
            seen += [item["id"] for item in found]
            since = _newest(found, since)
        return seen

    entry_points = [entry_point(owner_member) for _ in range(writers)]
    seen, *made = in_threads(lambda role: write(role) if role else poll(), [None, *entry_points])
    assert Counter(seen) == Counter(item for items in made for item in items)
    assert len(seen) == writers * each


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_an_item_waits_for_the_one_stamped_before_it(owner: RestEntryPoint, owner_member, course, in_threads) -> None:
    """Decisions, 6: the member's row is locked before the timestamp is set, so a slow writer is never overtaken."""
    from courses.models import Course
    from studyservice.changes.writing import writing

    stamped, polled, finished = Event(), Event(), Event()

    def slow() -> None:
        with writing(owner_member.id) as write:
            stamp = write.now
            stamped.set()
            assert polled.wait(timeout=10)
            ItemFactory.create(member=owner_member, course=Course(id=course["id"]), title="slow", created_at=stamp)

    def quick() -> None:
        assert stamped.wait(timeout=10)
        owner.made("create_item", course_id=course["id"], title="quick")
        finished.set()

    def poll() -> list[str]:
        assert stamped.wait(timeout=10)
        finished.wait(timeout=0.5)  # enough time for the quick writer if nothing blocked it
        first = _poll(owner, LONG_AGO)
        polled.set()
        assert finished.wait(timeout=10)
        return [item["title"] for item in first + _poll(owner, _newest(first, LONG_AGO))]

    *_, seen = in_threads(lambda act: act(), [slow, quick, poll])
    assert seen == ["slow", "quick"]


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_no_two_items_written_at_once_share_a_timestamp(owner: RestEntryPoint, course, in_threads) -> None:
    made = in_threads(lambda n: owner.made("create_item", course_id=course["id"], title=f"{n}"), list(range(12)))
    assert len({item["created_at"] for item in made}) == 12


def test_created_at_increases_even_if_clocks_disagree(owner: RestEntryPoint, course, time_machine) -> None:
    """Two servers whose clocks differ by an hour alternate."""
    stamps = []
    for clock in ["12:00:00", "11:00:00", "12:00:00", "12:00:01", "11:00:02", "11:59:59"]:
        time_machine.move_to(f"2099-11-21T{clock}Z", tick=False)
        stamps.append(owner.made("create_item", course_id=course["id"], title=clock)["created_at"])
    assert stamps == sorted(set(stamps))
    assert stamps[0] == "2099-11-21T12:00:00.000000Z"
    assert stamps[3] == "2099-11-21T12:00:01.000000Z"


def test_a_poller_misses_nothing_even_if_clocks_disagree(owner: RestEntryPoint, course, time_machine) -> None:
    since, seen = LONG_AGO, []
    for clock in ["12:00:00", "11:00:00", "12:30:00", "11:30:00"]:
        time_machine.move_to(f"2099-11-21T{clock}Z", tick=False)
        owner.made("create_item", course_id=course["id"], title=clock)
        found = _poll(owner, since)
        seen += [item["title"] for item in found]
        since = _newest(found, since)
    assert seen == ["12:00:00", "11:00:00", "12:30:00", "11:30:00"]


def test_other_writes_advance_the_clock_too(owner: RestEntryPoint, course, time_machine) -> None:
    """After any write, the next item is newer than every timestamp that the member has seen."""
    time_machine.move_to("2099-11-21T12:00:00Z", tick=False)
    changed = owner.made("update_course", course_id=course["id"], name="New")
    time_machine.move_to("2099-11-21T11:00:00Z", tick=False)
    made = owner.made("create_item", course_id=course["id"], title="x")
    assert made["created_at"] > changed["updated_at"]


def test_another_members_clock_does_not_advance(
    owner: RestEntryPoint, stranger: RestEntryPoint, course, time_machine
) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    time_machine.move_to("2099-11-21T12:00:00Z", tick=False)
    owner.made("create_item", course_id=course["id"], title="x")
    time_machine.move_to("2099-11-21T11:00:00Z", tick=False)
    made = stranger.made("create_item", course_id=theirs["id"], title="x")
    assert made["created_at"] == "2099-11-21T11:00:00.000000Z"


def test_a_walk_covers_a_fixed_set(owner: RestEntryPoint, course) -> None:
    """Fine print, Poll over several pages: items added meanwhile are left to the next poll."""

    def add(title: str) -> Any:
        return owner.made("create_item", course_id=course["id"], title=title, due_on="2027-01-01")

    for number in range(3):
        add(f"before {number}")
    first = owner.made("list_items", created_after=LONG_AGO, limit=2)
    meanwhile = add("meanwhile")
    rest = owner.made("list_items", created_after=LONG_AGO, limit=2, cursor=first["next_cursor"])
    walked = first["data"] + rest["data"]
    assert [item["title"] for item in walked] == ["before 0", "before 1", "before 2"]
    assert rest["has_more"] is False
    assert _poll(owner, _newest(walked, LONG_AGO)) == [meanwhile]


def test_the_fixed_set_spans_every_page(owner: RestEntryPoint, course) -> None:
    def add(title: str) -> None:
        owner.made("create_item", course_id=course["id"], title=title)

    for number in range(4):
        add(str(number))
    page = owner.made("list_items", created_after=LONG_AGO, limit=1)
    walked = [item["title"] for item in page["data"]]
    while page["has_more"]:
        add("meanwhile")
        page = owner.made("list_items", created_after=LONG_AGO, limit=1, cursor=page["next_cursor"])
        walked += [item["title"] for item in page["data"]]
    assert walked == ["0", "1", "2", "3"]


def test_deleting_the_newest_does_not_hide_the_next(owner: RestEntryPoint, course) -> None:
    since = owner.made("create_item", course_id=course["id"], title="seen")
    owner.made("delete_item", item_id=since["id"])
    made = owner.made("create_item", course_id=course["id"], title="new")
    assert _poll(owner, since["created_at"]) == [made]


def test_a_walk_without_created_after_is_not_fixed(owner: RestEntryPoint, course) -> None:
    for number in range(3):
        owner.made("create_item", course_id=course["id"], title=str(number))
    first = owner.made("list_items", limit=2)
    owner.made("create_item", course_id=course["id"], title="meanwhile")
    rest = owner.made("list_items", limit=2, cursor=first["next_cursor"])
    assert [item["title"] for item in rest["data"]] == ["2", "meanwhile"]


@pytest.mark.database("both")
def test_polling_with_filters_sees_only_those(owner: RestEntryPoint, course) -> None:
    other = owner.made("create_course", name="Algebra")
    owner.made("create_item", course_id=other["id"], title="there", kind="exam")
    owner.made("create_item", course_id=course["id"], title="other kind")
    made = owner.made("create_item", course_id=course["id"], title="here", kind="exam")
    owner.made("create_item", course_id=other["id"], title="newer, there", kind="exam")
    found = owner.made("list_items", created_after=LONG_AGO, course_id=course["id"], kind="exam", limit=1)
    assert found == {"data": [made], "has_more": False, "next_cursor": None}


def test_a_poll_without_items_is_empty(owner: RestEntryPoint) -> None:
    page = owner.made("list_items", created_after=LONG_AGO)
    assert page == {"data": [], "has_more": False, "next_cursor": None}
