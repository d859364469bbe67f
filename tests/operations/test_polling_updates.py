"""Polling list_items with updated_after: a poller sees the last state of every created or changed item."""

from datetime import date, timedelta
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


def walk(
    entry_point: RestEntryPoint, between: Between = lambda page: None, *, since: str = LONG_AGO, **filters: Any
) -> list[Any]:
    """All items of one walk since `since`."""
    return polling.walk(entry_point, between, updated_after=since, **filters)


def newest(items: list[Any], before: str) -> str:
    """The newest `updated_at` seen, which the next poll sends."""
    return max([item["updated_at"] for item in items], default=before)


@pytest.mark.database("both")
def test_it_finds_items_created_or_changed_since(owner: RestEntryPoint, course: Any, six: Any, change: Any) -> None:
    since = six[3]["updated_at"]
    assert titles(walk(owner, since=since)) == ["4", "5"]
    changed = change(1, title="one", due_on="2027-02-01")
    assert walk(owner, since=since) == [six[4], six[5], changed]
    assert walk(owner, since=changed["updated_at"]) == []
    made = owner.made("create_item", course_id=course["id"], title="new", due_on="2027-01-01")
    assert titles(walk(owner, since=changed["updated_at"], course_id=course["id"], kind="other")) == ["new"]
    assert walk(owner, since=made["updated_at"]) == []


def test_only_changes_of_the_item_itself_count(owner: RestEntryPoint, course: Any, six: Any) -> None:
    """Milestones, scores and updates without effect do not change `updated_at`."""
    since = newest(six, LONG_AGO)
    step = owner.made("create_milestone", item_id=six[0]["id"], title="Outline")
    owner.made("update_milestone", milestone_id=step["id"], done=True)
    categories = [{"name": "Quiz", "weight": 40}]
    [category] = owner.made("set_grade_categories", course_id=course["id"], categories=categories)["categories"]
    owner.made("add_grade_score", course_id=course["id"], category_id=category["id"], label="Quiz 1", score=90)
    owner.made("update_item", item_id=six[0]["id"], title="0")
    owner.made("delete_item", item_id=six[1]["id"])
    assert walk(owner, since=since) == []


def test_an_undo_is_a_change(owner: RestEntryPoint, six: Any, change: Any) -> None:
    rest = RestEntryPoint(owner.secret)
    since = change(2, title="two")["updated_at"]
    owner.made("delete_item", item_id=six[3]["id"])
    deletion, update, *_ = rest.made("list_changes", limit=2)["data"]
    for row in (deletion, update):
        rest.made("undo_change", change_id=row["id"])
    assert titles(walk(owner, since=since)) == ["2", "3"]


def test_updated_after_and_created_after_exclude_each_other(owner: RestEntryPoint) -> None:
    answer = owner.call("list_items", updated_after=LONG_AGO, created_after=LONG_AGO)
    assert (answer.error, answer.fields) == ("validation_failed", ["updated_after"])


def test_an_item_that_moves_before_the_page_is_not_lost(owner: RestEntryPoint, change: Any) -> None:
    told = walk(owner, lambda page: page == 1 and change(4, due_on="2027-01-01"))
    assert titles(told) == ["0", "1", "2", "3", "5", "4"]
    assert walk(owner, since=newest(told, LONG_AGO)) == []


def test_changed_items_are_returned_at_the_end_in_order(owner: RestEntryPoint, change: Any) -> None:
    def between(page: int) -> None:
        if page == 1:
            change(4, title="fourth")
            change(0, title="zeroth")
            change(2, due_on=None)

    told = walk(owner, between)
    assert titles(told) == ["0", "1", "3", "5", "fourth", "zeroth", "2"]
    assert walk(owner, since=newest(told, LONG_AGO)) == []


@each("limit", range(1, 8))
def test_changed_items_follow_on_any_page(owner: RestEntryPoint, change: Any, limit: int) -> None:
    def between(page: int) -> None:
        if page == 1:
            change(5, due_on="2027-01-01")
            change(1, title="first")

    expected = ["0", "1", "2", "3", "4", "5", "first"]
    if limit == 1:
        expected.remove("1")
    assert titles(walk(owner, between, limit=limit)) == (expected if limit < 6 else list("012345"))


def test_items_created_meanwhile_are_left_to_the_next_poll(owner: RestEntryPoint, course: Any, six: Any) -> None:
    made: list[Any] = []
    told = walk(owner, lambda page: made.append(owner.made("create_item", course_id=course["id"], title="new")))
    assert titles(told) == list("012345")
    assert walk(owner, since=newest(told, LONG_AGO)) == made


@each("limit", range(1, 8))
def test_a_creation_is_returned_at_once_if_the_next_poll_would_miss_it(
    owner: RestEntryPoint, course: Any, change: Any, limit: int
) -> None:
    """A later change is returned, so the next poll starts after it. A walk of one page has no second part."""

    def between(page: int) -> None:
        if page == 1:
            owner.made("create_item", course_id=course["id"], title="new")
            change(5, title="fifth")
            owner.made("create_item", course_id=course["id"], title="newer")

    told = walk(owner, between, limit=limit)
    if limit < 6:
        assert titles(told)[-2:] == ["fifth", "new"]
    rest = walk(owner, since=newest(told, LONG_AGO), limit=limit)
    assert titles(rest) == (["newer"] if limit < 6 else [])


@each("ahead", [True, False])
def test_an_item_that_always_moves_away_is_returned(owner: RestEntryPoint, change: Any, ahead: bool) -> None:
    due_on = iter(date(2028, 1, 1) + timedelta(days=n if ahead else -n) for n in range(100))
    told = walk(owner, lambda page: change(5, due_on=next(due_on).isoformat()), limit=1)
    assert set(titles(told)) == set("012345")


def test_a_repeatedly_changed_item_is_returned_and_the_walk_ends(owner: RestEntryPoint, change: Any) -> None:
    told = walk(owner, lambda page: [change(number, due_on="2027-01-01") for number in (5, 4, 3)], limit=1)
    assert set(titles(told)) == set("012345")
    assert len(told) <= 4 * 6


def test_a_change_while_changed_items_are_returned_is_seen(owner: RestEntryPoint, change: Any) -> None:
    def between(page: int) -> None:
        if page == 1:
            for number in (2, 3, 4, 5):
                change(number, due_on="2027-01-01")
        if page == 3:
            change(5, title="fifth")
            change(4, title="fourth")

    told = walk(owner, between, limit=1)
    assert titles(told) == ["0", "1", "2", "3", "fourth", "fifth"]
    assert walk(owner, since=newest(told, LONG_AGO)) == []


def test_a_cursor_belongs_to_its_parameter(owner: RestEntryPoint, six: Any) -> None:
    page = owner.made("list_items", updated_after=LONG_AGO, limit=1)
    for other in ({}, {"created_after": LONG_AGO}, {"updated_after": "2000-01-01T00:00:00.000001Z"}):
        assert owner.call("list_items", limit=1, cursor=page["next_cursor"], **other).error == "invalid_request"


def test_no_page_needs_more_than_four_queries(
    owner: RestEntryPoint, course: Any, change: Any, django_assert_max_num_queries: Any
) -> None:
    for limit in (1, 2, 3):
        page: Any = {"has_more": True, "next_cursor": None}
        for turn in range(30):
            if page["has_more"]:
                cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
                rates.clear()
                with django_assert_max_num_queries(4):
                    page = owner.made("list_items", updated_after=LONG_AGO, limit=limit, **cursor)
                for number in (5, 4, 3):
                    change(number, title=f"{limit} {turn}")
                if turn < 3:
                    owner.made("create_item", course_id=course["id"], title=f"new {limit} {turn}")
        assert page["has_more"] is False


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_mirror_stays_correct_while_four_threads_write(
    owner_member: Any, entry_point: Any, course: Any, in_threads: Any
) -> None:
    """Successive polls with the newest `updated_at` seen keep up with all created and moved items."""
    first = entry_point(owner_member)
    known = [first.made("create_item", course_id=course["id"], title=f"{n}")["id"] for n in range(12)]
    finished: list[int] = []
    mirror: dict[str, Any] = {}

    def write(number: int, writer: RestEntryPoint) -> None:
        for turn in range(20):
            rates.clear()
            due_on = f"2027-01-{(turn * 11 + number) % 28 + 1:02}"
            if turn % 3:
                item_id = known[(turn * 7 + number) % len(known)]
                writer.made("update_item", item_id=item_id, due_on=due_on, title=f"{number} {turn}")
            else:
                writer.made("create_item", course_id=course["id"], title=f"new {number} {turn}", due_on=due_on)
        finished.append(number)

    def poll() -> None:
        since, last = LONG_AGO, False
        while not last:
            last = len(finished) == len(writers)
            found = walk(first, since=since, limit=3)
            mirror.update({item["id"]: item for item in sorted(found, key=lambda item: item["updated_at"])})
            since = newest(found, since)

    writers = [*enumerate(entry_point(owner_member) for _ in range(4))]
    in_threads(lambda writer: write(*writer) if writer else poll(), [None, *writers])
    rates.clear()
    stored = {item["id"]: item for item in first.made("list_items", limit=100)["data"]}
    assert mirror == stored


DUE = st.none() | st.dates(date(2026, 12, 1), date(2026, 12, 4))
STEPS = st.lists(st.lists(st.tuples(st.integers(0, 14), DUE), max_size=4), max_size=20)


@examples(80)
@given(due=st.lists(DUE, min_size=1, max_size=12), limit=st.integers(1, 4), steps=STEPS, forever=st.booleans())
def test_every_item_is_returned_and_the_next_poll_misses_none(
    owner: RestEntryPoint, owner_member: Any, course: Any, **drawn: Any
) -> None:
    """For any moves and creations between any pages. A number beyond the items creates another."""
    items = polling.items_due(owner_member, course, drawn["due"])
    steps = drawn["steps"]

    def between(page: int) -> None:
        if steps and page < 100 and (drawn["forever"] or page <= len(steps)):
            for number, due_on in steps[(page - 1) % len(steps)]:
                rates.clear()
                day = due_on and due_on.isoformat()
                if number < len(items):
                    owner.made("update_item", item_id=str(items[number].id), due_on=day)
                elif page < 10:
                    owner.made("create_item", course_id=course["id"], title=f"new {page}", due_on=day)

    told = walk(owner, between, limit=drawn["limit"])
    event(f"{len(told) > len(items)}")
    assert {item["id"] for item in told} >= {str(item.id) for item in items}
    mirror = {item["id"]: item for item in sorted(told, key=lambda item: item["updated_at"])}
    rates.clear()
    mirror |= {item["id"]: item for item in walk(owner, since=newest(told, LONG_AGO), limit=100)}
    rates.clear()
    stored = {item["id"]: item for item in owner.made("list_items", limit=100)["data"]}
    assert mirror == stored
