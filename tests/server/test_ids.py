"""Ids of rows that come in numbers: UUIDs of version 7 (RFC 9562, 5.7)."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import RFC_4122, UUID

import pytest
import time_machine

from studyservice.database.ids import uuid7
from tests.support.doors import RestDoor
from tests.support.vocabulary import made_deck, reviewed

in_memory = pytest.mark.once("ids, which are made in memory")

VECTOR = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)
"""The moment of the RFC's example (A.6), whose first 48 bits are 017F22E2-79B0."""


@in_memory
def test_it_is_laid_out_as_the_rfc_has_it() -> None:
    with time_machine.travel(VECTOR, tick=False):
        made = uuid7()
    assert (made.version, made.variant) == (7, RFC_4122)
    assert str(made).startswith("017f22e2-79b0-7000-")


@in_memory
@pytest.mark.parametrize(("microseconds", "field"), [(0, 0x000), (500, 0x800), (999, 4091)])
def test_the_fraction_of_a_millisecond_is_in_the_next_12_bits(microseconds: int, field: int) -> None:
    with time_machine.travel(VECTOR + timedelta(microseconds=microseconds), tick=False):
        assert uuid7().int >> 64 & 0xFFF == field


@in_memory
def test_ids_of_one_moment_differ_and_later_ones_are_greater() -> None:
    with time_machine.travel(VECTOR, tick=False) as clock:
        ids = {uuid7() for _ in range(1000)}
        clock.shift(timedelta(microseconds=1))
        assert max(ids) < uuid7()
    assert len(ids) == 1000


def test_items_cards_and_reviews_have_them(owner: RestDoor, item: Any) -> None:
    from practice.models import Attempt
    from vocab.models import Review

    card = made_deck(owner)["cards"][0]
    reviewed(owner, card, "good")
    ids = [UUID(item["id"]), UUID(card["id"]), Review.objects.get().id, Attempt.objects.get().id]
    assert [made.version for made in ids] == [7] * 4
