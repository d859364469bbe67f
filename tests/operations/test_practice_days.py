"""Days are in the member's time zone, even when clocks change or the member moves."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed

pytestmark = pytest.mark.same_statements

PARIS, AUCKLAND = ZoneInfo("Europe/Paris"), ZoneInfo("Pacific/Auckland")
HONOLULU = ZoneInfo("Pacific/Honolulu")
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def card(owner: RestEntryPoint) -> Any:
    return made_deck(owner)["cards"][0]


def review_at(entry_point: RestEntryPoint, card: Any, *instants: datetime) -> None:
    for instant in instants:
        with time_machine.travel(instant):
            reviewed(entry_point, card, "good")


def stats_at(entry_point: RestEntryPoint, instant: datetime, days: int = 30) -> Any:
    with time_machine.travel(instant):
        return entry_point.made("get_practice_stats", days=days)


def streak_at(entry_point: RestEntryPoint, instant: datetime) -> int:
    """The current streak, after checking that get_me and get_practice_stats agree."""
    with time_machine.travel(instant):
        streak: int = entry_point.made("get_me")["practice_streak"]
    assert streak == stats_at(entry_point, instant)["streak"]["current"]
    return streak


def move(member: Any, zone: ZoneInfo) -> None:
    member.time_zone = zone.key
    member.save(update_fields=["time_zone"])


@each(
    "day",
    [
        date(2030, 1, 15),
        date(2030, 3, 30),  # the night before the clocks go forward
        date(2030, 3, 31),
        date(2030, 10, 26),  # the night before the clocks go back
        date(2030, 10, 27),
    ],
)
def test_two_minutes_around_midnight_are_two_days(owner: RestEntryPoint, card: Any, day: date) -> None:
    midnight = datetime(day.year, day.month, day.day, tzinfo=PARIS) + DAY
    review_at(owner, card, midnight - MINUTE, midnight + MINUTE)
    stats = stats_at(owner, midnight + 2 * MINUTE, days=2)
    assert stats["by_day"] == [
        {"date": day.isoformat(), "attempts": 1, "correct": 1},
        {"date": (day + DAY).isoformat(), "attempts": 1, "correct": 1},
    ]
    assert stats["streak"] == {"current": 2, "longest": 2, "practiced_today": True}


def test_a_day_of_25_hours_is_one_day(owner: RestEntryPoint, card: Any) -> None:
    first, last = datetime(2030, 10, 27, 0, 1, tzinfo=PARIS), datetime(2030, 10, 27, 23, 59, tzinfo=PARIS)
    assert last.astimezone(UTC) - first.astimezone(UTC) > DAY
    review_at(owner, card, first, last)
    assert stats_at(owner, last, days=1)["attempts"] == 2


def test_the_time_zone_determines_the_day(owner: RestEntryPoint, card: Any) -> None:
    """23:30 in Paris on the 1st is the 2nd in Auckland. The member is in Paris."""
    instant = datetime(2030, 7, 1, 23, 30, tzinfo=PARIS)
    review_at(owner, card, instant)
    assert stats_at(owner, instant, days=1)["by_day"] == [{"date": "2030-07-01", "attempts": 1, "correct": 1}]


def test_a_streak_continues_until_a_whole_day_is_missed(owner: RestEntryPoint, card: Any) -> None:
    noon = datetime(2030, 6, 10, 12, tzinfo=PARIS)
    review_at(owner, card, noon - DAY, noon)
    evening, next_evening = noon + 11 * timedelta(hours=1), noon + 35 * timedelta(hours=1)
    assert [streak_at(owner, instant) for instant in (evening, next_evening, next_evening + 2 * 60 * MINUTE)] == [
        2,
        2,
        0,
    ]
    assert stats_at(owner, noon + 5 * DAY)["streak"] == {"current": 0, "longest": 2, "practiced_today": False}


@each(("days", "current", "longest"), [((0, 1, 2, 4, 5), 2, 3), ((0, 2, 3, 4), 3, 3)])
def test_a_gap_starts_a_new_streak(
    owner: RestEntryPoint, card: Any, days: tuple[int, ...], current: int, longest: int
) -> None:
    noon = datetime(2030, 6, 10, 12, tzinfo=PARIS)
    review_at(owner, card, *(noon + n * DAY for n in days))
    streak = {"current": current, "longest": longest, "practiced_today": True}
    assert stats_at(owner, noon + days[-1] * DAY)["streak"] == streak


def test_get_me_returns_the_streak_to_a_lapsed_member(owner: RestEntryPoint, owner_member: Any, card: Any) -> None:
    reviewed(owner, card, "good")
    owner_member.membership_active = False
    owner_member.save(update_fields=["membership_active"])
    assert owner.made("get_me")["practice_streak"] == 1


def test_moving_changes_no_past_day(owner: RestEntryPoint, owner_member: Any, card: Any) -> None:
    """Morning, then late evening: in Honolulu's hours, the day between would have no practice."""
    morning = datetime(2030, 6, 10, 8, tzinfo=PARIS)
    evening = datetime(2030, 6, 11, 23, tzinfo=PARIS)
    review_at(owner, card, morning, evening)
    before = stats_at(owner, evening)
    move(owner_member, HONOLULU)
    the_same_date = datetime(2030, 6, 11, 20, tzinfo=HONOLULU)
    assert stats_at(owner, the_same_date) == before


def test_moving_west_loses_nothing(owner: RestEntryPoint, owner_member: Any, card: Any) -> None:
    """After a flight to Honolulu it is yesterday again: practice on "tomorrow" counts as today until then."""
    move(owner_member, AUCKLAND)
    noon = datetime(2030, 6, 12, 12, tzinfo=AUCKLAND)
    review_at(owner, card, noon - 2 * DAY, noon - DAY, noon)
    move(owner_member, HONOLULU)
    landed = noon + timedelta(hours=9)
    assert landed.astimezone(HONOLULU).date() == date(2030, 6, 11)
    stats = stats_at(owner, landed, days=3)
    assert stats["by_day"] == [
        {"date": "2030-06-09", "attempts": 0, "correct": 0},
        {"date": "2030-06-10", "attempts": 1, "correct": 1},
        {"date": "2030-06-11", "attempts": 2, "correct": 2},
    ]
    assert stats["streak"] == {"current": 2, "longest": 3, "practiced_today": True}
    assert streak_at(owner, landed + DAY) == 3
    review_at(owner, card, landed + 2 * DAY)
    assert streak_at(owner, landed + 2 * DAY) == 4


def test_practice_on_tomorrow_closes_the_gap_of_today(owner: RestEntryPoint, owner_member: Any, card: Any) -> None:
    """Practice yesterday and, in Auckland, tomorrow: in Honolulu, these are two consecutive days."""
    move(owner_member, AUCKLAND)
    noon = datetime(2030, 6, 12, 12, tzinfo=AUCKLAND)
    review_at(owner, card, noon - 2 * DAY, noon)
    move(owner_member, HONOLULU)
    landed = noon + timedelta(hours=9)
    stats = stats_at(owner, landed, days=3)
    assert [day["attempts"] for day in stats["by_day"]] == [0, 1, 1]
    assert stats["streak"] == {"current": 2, "longest": 2, "practiced_today": True}
    assert streak_at(owner, landed) == 2


def test_moving_east_continues_the_streak(owner: RestEntryPoint, owner_member: Any, card: Any) -> None:
    noon = datetime(2030, 6, 11, 12, tzinfo=PARIS)
    review_at(owner, card, noon - DAY, noon)
    move(owner_member, AUCKLAND)
    landed = noon + timedelta(hours=24)
    assert landed.astimezone(AUCKLAND).date() == date(2030, 6, 12)
    review_at(owner, card, landed)
    assert streak_at(owner, landed) == 3
