"""The mean duration of a member's reviews."""

import random
from typing import Any

import pytest

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest]


def stored_mean(member: Any) -> tuple[float, int]:
    stored = Member.objects.get(id=member.id)
    return stored.seconds, stored.seconds_reviews


def test_each_review_with_a_duration_updates_it(owner: RestEntryPoint, owner_member: Any) -> None:
    [card] = made_deck(owner)["cards"]
    reviewed(owner, card, "good")
    assert stored_mean(owner_member) == (0, 0)
    chance, seconds = random.Random(7), 0.0  # noqa: S311  # the same every time
    for number in range(1, 61):
        took = chance.choice([0, 300, 4200, 30_000, 500_000])
        reviewed(owner, card, "good", duration_ms=took)
        seconds += (min(max(took / 1000, 1), 120) - seconds) / min(number, 50)
        mean, reviews = stored_mean(owner_member)
        assert mean == pytest.approx(seconds)
        assert reviews == number


def test_undoing_a_review_keeps_it(owner: RestEntryPoint, owner_member: Any) -> None:
    [card] = made_deck(owner)["cards"]
    reviewed(owner, card, "good", duration_ms=5000)
    owner.made("undo_change", change_id=owner.made("list_changes")["data"][0]["id"])
    assert stored_mean(owner_member) == (5.0, 1)
