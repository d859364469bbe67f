"""The stored practice sums always equal the sums of the attempts."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine

from practice.attempts import recount
from practice.models import Attempt, PracticeSum
from practice.rebuilding import rebuild_sums
from studyservice.rates import limiter as rates
from studyservice.rows.access import Access, change
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import AttemptFactory
from tests.support.practice import counted_stats, counted_sums, kept_sums
from tests.support.run import is_thorough
from tests.support.vocabulary import made_deck, reviewed

START = datetime(2030, 1, 20, 12, tzinfo=UTC)
ZONES = ("Europe/Paris", "Pacific/Kiritimati", "Pacific/Honolulu", "Pacific/Pago_Pago")
RATINGS = ("again", "good")


def refiled(entry_point: RestEntryPoint, deck: Any, course: Any) -> None:
    from vocab.models import Deck

    Deck.objects.filter(id=deck["id"]).update(course=course and course["id"])


class Life:
    """A member's random history: reviews, moves, decks filed elsewhere, deletions and undos."""

    def __init__(self, entry_point: RestEntryPoint, member: Any, seed: int) -> None:
        self.entry_point, self.member, self.chance = entry_point, member, random.Random(seed)  # noqa: S311  # the same life every time
        self.now = START
        with self.clock():
            self.courses = [entry_point.made("create_course", name=name) for name in ("Biology", "Botany")]
            self.decks = [
                made_deck(entry_point, name=name, course_id=self.courses[0]["id"]) for name in ("A", "A", "B")
            ]

    def clock(self) -> Any:
        rates.clear()
        return time_machine.travel(self.now, tick=False)

    def step(self) -> None:
        self.now += self.chance.choice([timedelta(minutes=5), timedelta(hours=9), timedelta(days=1), timedelta(days=9)])
        with self.clock():
            match self.chance.randrange(12):
                case 0:
                    self.member.time_zone = self.chance.choice(ZONES)
                    self.member.save(update_fields=["time_zone"])
                case 1:
                    refiled(self.entry_point, self.chance.choice(self.decks), self.chance.choice([*self.courses, None]))
                case 2:
                    undone = self.chance.choice([*Attempt.objects.filter(member=self.member), None])
                    if undone:
                        Attempt.objects.filter(member=self.member, id=undone.id).delete()
                        with change(access := Access(self.member), "recount"):
                            recount(access, undone.day)
                case 3 if self.chance.random() < 0.2:
                    self.entry_point.made("delete_course", course_id=self.courses.pop()["id"])
                    self.courses.append(self.entry_point.made("create_course", name="Another"))
                case 4 if self.chance.random() < 0.2:
                    gone = self.decks.pop()
                    self.entry_point.made("delete_vocab_deck", deck_id=gone["id"])
                    self.decks.append(made_deck(self.entry_point, name=gone["name"]))
                case _:
                    for _ in range(self.chance.randint(1, 3)):
                        card = self.chance.choice(self.decks)["cards"][0]
                        reviewed(self.entry_point, card, self.chance.choice(RATINGS))


@pytest.mark.rest
@each("seed", range(4 if is_thorough() else 1))
def test_sums_equal_those_of_the_attempts(owner: RestEntryPoint, owner_member: Any, seed: int) -> None:
    life = Life(owner, owner_member, seed)
    for number in range(40):
        life.step()
        assert kept_sums(owner_member) == counted_sums(owner_member)
        if number % 4:
            continue
        with life.clock():
            for days in (1, 2, 30, 31, 365):
                assert owner.made("get_practice_stats", days=days) == counted_stats(owner_member, days)
            assert owner.made("get_me")["practice_streak"] == counted_stats(owner_member, 1)["streak"]["current"]
    rebuild_sums([owner_member.id])
    assert kept_sums(owner_member) == counted_sums(owner_member)


def test_a_day_between_two_runs_joins_them(owner: RestEntryPoint, owner_member: Any) -> None:
    """Practice on "tomorrow" in the east and then, after the flight, on the skipped day."""
    card = made_deck(owner)["cards"][0]
    owner_member.time_zone = "Pacific/Kiritimati"
    owner_member.save(update_fields=["time_zone"])
    noon = datetime(2030, 6, 12, 1, tzinfo=UTC)
    for days in (-3, -2, 0):
        with time_machine.travel(noon + timedelta(days=days)):
            reviewed(owner, card, "good")
    owner_member.time_zone = "Pacific/Honolulu"
    owner_member.save(update_fields=["time_zone"])
    with time_machine.travel(noon + timedelta(hours=1)):
        reviewed(owner, card, "good")
    runs = PracticeSum.objects.filter(kind="day").order_by("starts_on").values_list("starts_on", "run")
    assert list(runs) == [(date(2030, 6, day), run) for run, day in enumerate((9, 10, 11, 12), 1)]


def test_rebuilding_counts_attempts_that_bypassed_the_api(owner_member: Any) -> None:
    for days in (0, 1, 3):
        AttemptFactory.create(member=owner_member, attempted_at=START - timedelta(days=days))
    rebuild_sums([owner_member.id])
    assert kept_sums(owner_member) == counted_sums(owner_member)
