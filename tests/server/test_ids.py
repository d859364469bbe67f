"""Time-ordered ids of rows: UUIDs of version 7 (RFC 9562, 5.7)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import RFC_4122, UUID

import pytest
import time_machine

from studyservice.database.ids import uuid7
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed

in_memory = pytest.mark.database("sqlite", "ids are generated in memory")

VECTOR = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)
"""The time in the RFC's example (A.6), whose first 48 bits are 017F22E2-79B0."""


@in_memory
def test_the_layout_follows_the_rfc() -> None:
    with time_machine.travel(VECTOR, tick=False):
        made = uuid7()
    assert (made.version, made.variant) == (7, RFC_4122)
    assert str(made).startswith("017f22e2-79b0-7000-")


@in_memory
@each(("microseconds", "field"), [(0, 0x000), (500, 0x800), (999, 4091)])
def test_the_fraction_of_a_millisecond_is_in_the_next_12_bits(microseconds: int, field: int) -> None:
    moment = VECTOR + timedelta(days=1 + microseconds, microseconds=microseconds)  # far from those of other tests
    with time_machine.travel(moment, tick=False):
        assert uuid7().int >> 64 & 0xFFF == field


@in_memory
@each("seconds", [1, 0, -30])
def test_later_ids_are_greater_even_within_one_instant_or_if_the_clock_is_set_back(seconds: int) -> None:
    with time_machine.travel(VECTOR - timedelta(days=1), tick=False) as clock:
        ids = [uuid7() for _ in range(1000)]
        clock.shift(timedelta(seconds=seconds))
        ids.append(uuid7())
    assert ids == sorted(set(ids))


@in_memory
def test_ids_of_several_threads_are_unique_and_increase_in_each() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: [uuid7() for _ in range(5000)], range(4)))
    assert all(ids == sorted(ids) for ids in made)
    assert len({one for ids in made for one in ids}) == 20_000


def test_items_of_one_call_are_listed_in_its_order(owner: RestEntryPoint, course: Any) -> None:
    titles = [f"Lab {number}" for number in range(20)]
    more = [{"title": title, "kind": "lab", "due_on": "2030-01-31"} for title in titles[1:]]
    with time_machine.travel(datetime.now(UTC), tick=False):
        owner.made("create_item", course_id=course["id"], title=titles[0], kind="lab", due_on="2030-01-31", more=more)
    listed = owner.made("list_items", course_id=course["id"])["data"]
    assert [item["title"] for item in listed] == titles
    shown = owner.made("get_course", course_id=course["id"])
    assert [item["title"] for item in shown["next_items"]] == titles[:5]


def test_items_decks_cards_and_reviews_have_time_ordered_ids(owner: RestEntryPoint, item: Any) -> None:
    from practice.models import Attempt
    from vocab.models import Review

    deck = made_deck(owner)
    card = deck["cards"][0]
    reviewed(owner, card, "good")
    ids = [UUID(item["id"]), UUID(deck["id"]), UUID(card["id"]), Review.objects.get().id, Attempt.objects.get().id]
    assert [made.version for made in ids] == [7] * 5
