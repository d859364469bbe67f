"""Pages of list_items: the items of a walk, and valid cursors."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyservice.operations.cursors import CursorCodec
from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory
from tests.support.properties import examples
from tests.support.samples import UNKNOWN_ID

pytestmark = pytest.mark.same_statements

if TYPE_CHECKING:
    from courses.models import Item

BORN = datetime(2026, 1, 1, tzinfo=UTC)


class Row(NamedTuple):
    """An item to store: its due date, its age in microseconds after `BORN`, and its time."""

    due_on: date | None
    age: int = 0
    due_time: str | None = None


Store = Callable[[list[Row]], "list[Item]"]


@pytest.fixture
def store(owner_member, course) -> Store:
    """Stores items unchanged, including equal ages, which no operation creates. Returns them."""
    from courses.models import Course, Item
    from studyservice.registry.counts import recount

    def bulk(rows: list[Row]) -> "list[Item]":
        items = Item.objects.bulk_create(
            ItemFactory.build(
                member=owner_member,
                course=Course(id=course["id"]),
                due_on=row.due_on,
                due_time=row.due_time if row.due_on else None,
                created_at=BORN + timedelta(microseconds=row.age),
                updated_at=BORN + timedelta(microseconds=row.age),
            )
            for row in rows
        )
        recount(owner_member.id)
        return items

    return bulk


def _in_order(items: "list[Item]") -> list[str]:
    """Soonest first by date and time, in a day those without a time last, undated last; then by age, then by id."""

    def place(item: "Item") -> Any:
        return item.due_on or date.max, not item.due_on, item.due_time or "24:00", item.created_at, item.id

    return [str(item.id) for item in sorted(items, key=place)]


def _walk(entry_point: RestEntryPoint, page: Any = None, *, limits: Any = (), **filters: Any) -> list[str]:
    """Return the ids from `page` (by default the first) to the last page."""
    sizes = cycle(limits or [25])
    page = page or entry_point.made("list_items", limit=next(sizes), **filters)
    ids = [item["id"] for item in page["data"]]
    while page["has_more"]:
        assert page["data"], "an empty page has no next page"
        page = entry_point.made("list_items", limit=next(sizes), cursor=page["next_cursor"], **filters)
        ids += [item["id"] for item in page["data"]]
    assert page["next_cursor"] is None
    return ids


DAYS = st.none() | st.dates(date(2026, 12, 1), date(2026, 12, 3)) | st.dates()
ROWS = st.builds(Row, DAYS, st.integers(0, 2), st.sampled_from([None, "00:00", "09:30", "23:59"]))
PROPERTY = examples(40)


@pytest.mark.database("both")
@PROPERTY
@given(rows=st.lists(ROWS, max_size=30), limits=st.lists(st.integers(1, 12), min_size=1, max_size=4))
def test_a_walk_returns_the_sorted_list(
    owner: RestEntryPoint, store: Store, rows: list[Row], limits: list[int]
) -> None:
    """For any dates, and with a limit that changes from page to page."""
    from courses.models import Item

    rates.clear()
    Item.objects.all().delete()
    items = store(rows)
    assert _walk(owner, limits=limits) == _in_order(items)


@pytest.mark.database("both")
@PROPERTY
@given(
    stay=st.lists(ROWS, max_size=15),
    go=st.lists(ROWS, max_size=8),
    come=st.lists(ROWS, max_size=8),
    limit=st.integers(1, 6),
)
def test_concurrent_changes_neither_repeat_nor_skip_other_items(
    owner: RestEntryPoint, store: Store, **drawn: Any
) -> None:
    """Decisions, 6: a page boundary neither repeats nor skips an item while others are added or removed."""
    from courses.models import Item

    rates.clear()
    Item.objects.all().delete()
    staying, going = store(drawn["stay"]), store(drawn["go"])
    first = owner.made("list_items", limit=drawn["limit"])
    Item.objects.filter(id__in=[item.id for item in going]).delete()
    coming = {str(item.id) for item in store(drawn["come"])}
    seen = _walk(owner, first, limits=[drawn["limit"]])
    gone = {str(item.id) for item in going}
    assert len(seen) == len(set(seen))
    assert [item for item in seen if item not in coming | gone] == _in_order(staying)


@each("due_on", [date(2026, 12, 1), None])
@each("limit", [1, 7, 20, 21])
def test_many_items_due_on_one_day_are_each_returned_once(
    owner: RestEntryPoint, store: Store, due_on, limit: int
) -> None:
    items = store([Row(due_on, age // 3) for age in range(21)])
    assert _walk(owner, limits=[limit]) == _in_order(items)


def test_a_walk_continues_after_a_deleted_item(owner: RestEntryPoint, store: Store) -> None:
    first, second, third = store([Row(date(2026, 12, 1), age) for age in range(3)])
    page = owner.made("list_items", limit=2)
    for item in [first, second]:
        owner.made("delete_item", item_id=str(item.id))
    assert _walk(owner, page) == [str(item.id) for item in (first, second, third)]


def test_a_walk_ends_if_the_remaining_items_are_deleted(owner: RestEntryPoint, store: Store, course) -> None:
    store([Row(None, age) for age in range(3)])
    page = owner.made("list_items", limit=2)
    owner.made("delete_course", course_id=course["id"])
    rest = owner.made("list_items", cursor=page["next_cursor"])
    assert rest == {"data": [], "has_more": False, "next_cursor": None}


def test_a_cursor_can_be_used_again(owner: RestEntryPoint, store: Store) -> None:
    store([Row(None, age) for age in range(4)])
    cursor = owner.made("list_items", limit=2)["next_cursor"]
    assert owner.made("list_items", cursor=cursor) == owner.made("list_items", cursor=cursor)


@pytest.mark.database("both")
def test_a_walk_keeps_its_filters(owner: RestEntryPoint, store: Store, course) -> None:
    items = store([Row(date(2026, 12, day), age) for day in range(1, 9) for age in range(2)])
    filters = {"course_id": course["id"], "kind": "other", "from": "2026-12-02", "to": "2026-12-06"}
    expected = [item for item in items if item.due_on and 2 <= item.due_on.day <= 6]
    assert _walk(owner, limits=[3], **filters) == _in_order(expected)


def test_a_cursor_is_opaque_text_under_200_characters(owner: RestEntryPoint, store: Store, course) -> None:
    """Decisions, 6; even with every filter."""
    store([Row(date.max, age) for age in range(2)])
    filters = {"course_id": course["id"], "kind": "other", "from": "0001-01-01", "to": "9999-12-31"}
    page = owner.made("list_items", limit=1, created_after="0001-01-01T00:00:00Z", **filters)
    assert 0 < len(page["next_cursor"]) < 200
    assert page["next_cursor"].isascii()


@pytest.fixture
def cursor(owner: RestEntryPoint, store: Store) -> str:
    """The cursor of a walk without filters."""
    store([Row(date(2026, 12, 1), age) for age in range(4)])
    text: str = owner.made("list_items", limit=2)["next_cursor"]
    return text


def test_a_cursor_accepts_another_limit(owner: RestEntryPoint, cursor: str) -> None:
    assert len(owner.made("list_items", limit=1, cursor=cursor)["data"]) == 1
    assert len(owner.made("list_items", limit=100, cursor=cursor)["data"]) == 2


def test_a_cursor_accepts_another_key(owner_member, entry_point, cursor: str) -> None:
    assert len(entry_point(owner_member).made("list_items", cursor=cursor)["data"]) == 2


def test_a_cursor_is_bound_to_the_member(stranger: RestEntryPoint, cursor: str) -> None:
    assert stranger.call("list_items", cursor=cursor).error == "invalid_request"


@pytest.mark.database("both")
@each(
    ("name", "values"),
    [
        ("course_id", (None, UNKNOWN_ID)),
        ("kind", ("other", "exam")),
        ("from", ("2026-12-01", "2026-11-30")),
        ("to", ("2026-12-31", "2027-01-01")),
        ("created_after", ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000001Z")),
    ],
)
def test_a_cursor_is_bound_to_the_filters(owner: RestEntryPoint, course, cursor: str, name: str, values) -> None:
    """Decisions, 6: to each filter, whether it is added, removed or changed."""
    value, other = values[0] or course["id"], values[1]
    filtered = owner.made("list_items", limit=1, **{name: value})["next_cursor"]
    owner.made("list_items", cursor=filtered, **{name: value})
    assert owner.call("list_items", cursor=cursor, **{name: value}).error == "invalid_request"
    assert owner.call("list_items", cursor=filtered).error == "invalid_request"
    assert owner.call("list_items", cursor=filtered, **{name: other}).error == "invalid_request"


@pytest.mark.database("both")
def test_a_filter_may_be_spelled_differently(owner: RestEntryPoint, course, cursor: str) -> None:
    page = owner.made("list_items", limit=1, course_id=course["id"], created_after="2020-01-01T00:00:00Z")
    same = {"course_id": course["id"].upper(), "created_after": "2020-01-01T02:00:00.000+02:00"}
    assert len(owner.made("list_items", cursor=page["next_cursor"], **same)["data"]) == 3


@pytest.mark.rest
def test_a_modified_cursor_is_rejected(owner: RestEntryPoint, cursor: str) -> None:
    """Operation rules: a bad cursor is 400 `invalid_request`. No two texts are the same cursor."""
    assert len(cursor) == 100
    for place in range(100):
        rates.clear()
        for letter in set("Bx-+/ ") - {cursor[place]}:
            changed = cursor[:place] + letter + cursor[place + 1 :]
            assert owner.call("list_items", cursor=changed).error == "invalid_request", changed


@each(("version", "times"), [(2, 3), (2, 5)])
def test_a_cursor_from_before_times_is_rejected(owner: RestEntryPoint, owner_member: Any, version, times: int) -> None:
    """The order had no times then."""
    place = (version, 0, date(2026, 12, 1), BORN, UUID(UNKNOWN_ID), *[None] * times)
    salt = "courses.cursors" if times == 3 else "courses.following_cursors"
    codec = CursorCodec(salt, int, int, date, datetime, UUID, *[datetime] * times)
    filters = {} if times == 3 else {"updated_after": "2026-01-01T00:00:00Z"}
    bound = [] if times == 3 else [("updated_after", "2026-01-01 00:00:00+00:00")]
    old = codec.encode(place, f"{owner_member.id} {bound}")
    assert owner.call("list_items", cursor=old, **filters).error == "invalid_request"


@each("change", [" {}", "{} ", "{}=", "{}====", "{}\n", "{}\x00", "{}A", "{0}{0}"])
def test_a_cursor_with_surrounding_text_is_rejected(owner: RestEntryPoint, cursor: str, change: str) -> None:
    assert owner.call("list_items", cursor=change.format(cursor)).error == "invalid_request"


def test_parameters_are_checked_before_the_cursor(owner: RestEntryPoint) -> None:
    answer = owner.call("list_items", cursor="nope", limit=0)
    assert (answer.error, answer.fields) == ("validation_failed", ["limit"])
