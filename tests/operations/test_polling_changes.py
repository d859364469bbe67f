"""Polling while items change between pages: every item is returned, and the walk ends."""

from collections import Counter
from datetime import date, timedelta
from threading import Event
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from studyservice.rates import limiter as rates
from tests.support import polling
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.polling import LONG_AGO, Between, titles
from tests.support.properties import examples

pytestmark = pytest.mark.same_statements


def walk(entry_point: RestEntryPoint, between: Between, **filters: Any) -> list[Any]:
    """All items of one walk since long ago."""
    return polling.walk(entry_point, between, created_after=LONG_AGO, **filters)


def test_an_item_that_moves_before_the_page_is_not_lost(owner: RestEntryPoint, change) -> None:
    told = walk(owner, lambda page: page == 1 and change(4, due_on="2027-01-01"))
    assert titles(told) == ["0", "1", "2", "3", "5", "4"]
    assert told[-1]["due_on"] == "2027-01-01"


def test_without_created_after_an_item_that_moves_before_the_page_is_skipped(owner: RestEntryPoint, change) -> None:
    """As docs/errors.md says: only a walk with `created_after` covers a fixed set."""
    page = owner.made("list_items", limit=2)
    told = titles(page["data"])
    change(4, due_on="2027-01-01")
    while page["has_more"]:
        page = owner.made("list_items", limit=2, cursor=page["next_cursor"])
        told += titles(page["data"])
    assert told == ["0", "1", "2", "3", "5"]


def test_an_item_that_becomes_dated_is_not_lost(owner: RestEntryPoint, change) -> None:
    change(5, due_on=None)
    assert titles(walk(owner, lambda page: page == 2 and change(5, due_on="2027-01-01"))) == list("012345")


def test_changed_items_are_returned_at_the_end_in_order(owner: RestEntryPoint, change) -> None:
    """Whether returned before or not, each in its current state."""

    def between(page: int) -> None:
        if page == 1:
            change(4, title="fourth")
            change(0, title="zeroth")
            change(2, due_on=None)

    told = walk(owner, between)
    assert titles(told) == ["0", "1", "3", "5", "fourth", "zeroth", "2"]
    assert told[-1]["due_on"] is None


@each("limit", range(1, 8))
def test_changed_items_follow_on_any_page(owner: RestEntryPoint, change, limit: int) -> None:
    """Pages are full up to the last, wherever the changed items begin."""

    def between(page: int) -> None:
        if page == 1:
            change(5, due_on="2027-01-01")
            change(1, title="first")

    expected = ["0", "1", "2", "3", "4", "5", "first"]
    if limit == 1:
        expected.remove("1")
    assert titles(walk(owner, between, limit=limit)) == (expected if limit < 6 else list("012345"))


def test_a_change_after_a_walk_of_one_page_has_no_effect(owner: RestEntryPoint, six, change) -> None:
    page = owner.made("list_items", created_after=LONG_AGO, limit=6)
    change(0, title="new")
    assert (page["has_more"], titles(page["data"])) == (False, list("012345"))


def test_a_repeatedly_changed_item_is_returned_and_the_walk_ends(owner: RestEntryPoint, change) -> None:
    """The set of changed items is fixed when their part of the walk begins, so continuous changes cannot extend it."""
    told = walk(owner, lambda page: [change(number, due_on="2027-01-01") for number in (5, 4, 3)], limit=1)
    assert set(titles(told)) == set("012345")
    assert len(told) <= 3 * 6


@each("ahead", [True, False])
def test_an_item_that_always_moves_away_is_returned(owner: RestEntryPoint, change, ahead: bool) -> None:
    """Between two pages, move an item behind the last page or before it."""
    due_on = iter(date(2028, 1, 1) + timedelta(days=n if ahead else -n) for n in range(100))
    told = walk(owner, lambda page: change(5, due_on=next(due_on).isoformat()), limit=1)
    assert set(titles(told)) == set("012345")


def test_a_change_while_changed_items_are_returned_is_seen(owner: RestEntryPoint, change) -> None:
    """An item that changes again in this part is returned later, not lost."""

    def between(page: int) -> None:
        if page == 1:
            for number in (2, 3, 4, 5):
                change(number, due_on="2027-01-01")
        if page == 3:
            change(5, title="fifth")
            change(4, title="fourth")

    told = walk(owner, between, limit=1)
    assert titles(told) == ["0", "1", "2", "3", "fourth", "fifth"]


def test_an_item_added_meanwhile_is_left_to_the_next_poll(owner: RestEntryPoint, course, change) -> None:
    made: list[Any] = []

    def between(page: int) -> None:
        change(5, title="fifth")
        made.append(owner.made("create_item", course_id=course["id"], title="new"))
        owner.made("update_item", item_id=made[-1]["id"], due_on="2027-01-01")

    told = walk(owner, between)
    assert "new" not in titles(told)
    newest = max(item["created_at"] for item in told)
    rest = owner.made("list_items", created_after=newest, limit=100)["data"]
    assert {item["id"] for item in rest} == {item["id"] for item in made}


@pytest.mark.database("both")
def test_changed_items_respect_the_filters(owner: RestEntryPoint, change) -> None:
    """Items that stop matching may be missing, and items that start matching may be returned."""

    def between(page: int) -> None:
        if page == 1:
            change(3, kind="exam")
            change(4, due_on="2026-12-31")
            change(5, due_on="2027-01-10")

    filters: Any = {"kind": "other", "from": "2027-01-01"}
    assert titles(walk(owner, between, **filters)) == ["0", "1", "2", "5"]


def test_other_members_changes_are_not_returned(owner: RestEntryPoint, stranger: RestEntryPoint, six) -> None:
    theirs = stranger.made("create_course", name="Theirs")["id"]
    item = stranger.made("create_item", course_id=theirs, title="theirs")
    told = walk(owner, lambda page: stranger.made("update_item", item_id=item["id"], title="changed"))
    assert titles(told) == list("012345")


def test_without_created_after_nothing_is_returned_again(owner: RestEntryPoint, six, change) -> None:
    page = owner.made("list_items", limit=2)
    change(0, title="new")
    rest = owner.made("list_items", limit=100, cursor=page["next_cursor"])
    assert titles(page["data"] + rest["data"]) == list("012345")


def test_a_deleted_item_does_not_end_the_walk(owner: RestEntryPoint, six, change) -> None:
    def between(page: int) -> None:
        if page == 1:
            for number in (2, 3, 4):
                change(number, due_on="2027-01-01")
        if page == 3:
            owner.made("delete_item", item_id=six[2]["id"])

    assert titles(walk(owner, between, limit=1)) == ["0", "1", "5", "3", "4"]


def test_no_page_needs_more_than_four_queries(owner: RestEntryPoint, change, django_assert_max_num_queries) -> None:
    page: Any = {"has_more": True, "next_cursor": None}
    for turn in range(12):
        if page["has_more"]:
            cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
            with django_assert_max_num_queries(4):
                page = owner.made("list_items", created_after=LONG_AGO, limit=1, **cursor)
            for number in (5, 4, 3):
                change(number, title=f"{turn}")
    assert page["has_more"] is False


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_every_item_is_returned_while_four_threads_move_them(owner_member, entry_point, course, in_threads) -> None:
    first = entry_point(owner_member)
    ids = [first.made("create_item", course_id=course["id"], title=f"{n}")["id"] for n in range(30)]
    done = Event()

    def move(number: int, mover: RestEntryPoint) -> None:
        for turn in range(60):
            if not done.is_set():
                item_id = ids[(turn * 7 + number) % len(ids)]
                mover.made("update_item", item_id=item_id, due_on=f"2027-01-{(turn * 11 + number) % 28 + 1:02}")

    def poll() -> list[set[str]]:
        found = [{item["id"] for item in walk(first, lambda page: None, limit=3)} for _ in range(5)]
        done.set()
        return found

    movers = [*enumerate(entry_point(owner_member) for _ in range(4))]
    seen, *_ = in_threads(lambda mover: move(*mover) if mover else poll(), [None, *movers])
    assert seen == [set(ids)] * 5


DUE = st.none() | st.dates(date(2026, 12, 1), date(2026, 12, 4))
CHANGES = st.lists(st.lists(st.tuples(st.integers(0, 11), DUE), max_size=4), max_size=30)


@examples(80)
@given(due=st.lists(DUE, min_size=1, max_size=12), limit=st.integers(1, 4), changes=CHANGES, forever=st.booleans())
def test_every_item_is_returned_at_least_once(owner: RestEntryPoint, owner_member, course, **drawn: Any) -> None:
    """For any moves between any pages. With `forever`, the same moves are repeated."""
    items = polling.items_due(owner_member, course, drawn["due"])
    changes, moved = drawn["changes"], set()

    def between(page: int) -> None:
        if changes and (drawn["forever"] or page <= len(changes)):
            for number, due_on in changes[(page - 1) % len(changes)]:
                item = items[number % len(items)]
                rates.clear()
                owner.made("update_item", item_id=str(item.id), due_on=due_on and due_on.isoformat())
                moved.add(str(item.id))

    seen = Counter(item["id"] for item in walk(owner, between, limit=drawn["limit"]))
    event("moved" if moved else "still")
    assert set(seen) == {str(item.id) for item in items}
    assert {item for item, times in seen.items() if times > 1} <= moved
    assert max(seen.values()) <= 3
