"""Counts practice attempt by attempt. The stored sums must be equal."""

from collections import Counter, defaultdict
from datetime import date, timedelta
from typing import Any

from practice.models import Attempt, PracticeSum

DAY = timedelta(days=1)


def counted_sums(member: Any) -> dict[Any, Any]:
    """The expected sums of each day, and of each topic's day and month."""
    found: dict[Any, list[Attempt]] = defaultdict(list)
    for attempt in Attempt.objects.filter(member=member):
        topic = (attempt.topic, attempt.deck_id, attempt.course_id)
        found["day", attempt.day, "", None, None].append(attempt)
        found["topic_day", attempt.day, *topic].append(attempt)
        found["topic_month", attempt.day.replace(day=1), *topic].append(attempt)
    days = {key[1] for key in found if key[0] == "day"}
    return {
        key: (
            len(attempts),
            sum(attempt.correct for attempt in attempts),
            sum(attempt.is_first for attempt in attempts),
            len(told := [attempt for attempt in attempts if attempt.foretold is not None]),
            sum(attempt.foretold or 0 for attempt in told),
            sum(attempt.correct for attempt in told),
            max(attempt.attempted_at for attempt in attempts),
            _run(days, key[1]) if key[0] == "day" else 0,
        )
        for key, attempts in found.items()
    }


def kept_sums(member: Any) -> dict[Any, Any]:
    """The sums in the table. Topics that were merged are added up."""
    found: dict[Any, Any] = {}
    for row in PracticeSum.objects.filter(member=member):
        key = row.kind, row.starts_on, row.topic, row.deck_id, row.course_id
        *sums, newest, run = found.get(key, (0, 0, 0, 0, 0, 0, row.newest_at, 0))
        more = (row.attempts, row.correct, row.firsts, row.foretold_attempts, row.foretold, row.foretold_correct)
        added = (kept + one for kept, one in zip(sums, more, strict=True))
        found[key] = (*added, max(newest, row.newest_at), max(run, row.run))
    return found


def counted_stats(member: Any, days: int) -> Any:
    """Return the expected answer of get_practice_stats."""
    today = member.today()
    since = today - (days - 1) * DAY
    attempts = list(Attempt.objects.filter(member=member).order_by("attempted_at"))
    inside = [attempt for attempt in attempts if attempt.day >= since]
    in_all = Counter(min(attempt.day, today) for attempt in inside)
    right = Counter(min(attempt.day, today) for attempt in inside if attempt.correct)
    practised = {attempt.day for attempt in attempts}
    seen = {min(day, today) for day in practised}
    correct = sum(right.values())
    return {
        "days": days,
        "attempts": len(inside),
        "correct": correct,
        "accuracy": round(100 * correct / len(inside) + 1e-9, 2) if inside else None,
        "streak": {
            "current": _run(seen, today) or _run(seen, today - DAY),
            "longest": max((_run(some, day) for some in (seen, practised) for day in some), default=0),
            "practiced_today": today in seen,
        },
        "by_day": [
            {"date": day.isoformat(), "attempts": in_all[day], "correct": right[day]}
            for day in (since + n * DAY for n in range(days))
        ],
        "weak_topics": _weak(inside),
        "memory": _memory([attempt for attempt in inside if attempt.foretold is not None]),
    }


def _memory(told: list[Attempt]) -> Any:
    """Percentages, to two places, of the attempts that FSRS predicted."""
    if not told:
        return {"reviews": 0, "expected": None, "recalled": None}
    expected = sum(attempt.foretold or 0 for attempt in told) / 1e9
    return {
        "reviews": len(told),
        "expected": round(100 * expected / len(told) + 1e-9, 2),
        "recalled": round(100 * sum(attempt.correct for attempt in told) / len(told) + 1e-9, 2),
    }


def _run(days: set[date], last: date) -> int:
    """Return the length of the run of `days` that ends with `last`."""
    length = 0
    while last - length * DAY in days:
        length += 1
    return length


def _weak(attempts: list[Attempt]) -> list[Any]:
    """The weakest topics: one for each deck, independent of its course."""
    topics: dict[Any, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        topics[attempt.topic, attempt.deck_id, None if attempt.deck_id else attempt.course_id].append(attempt)
    weak = []
    for (topic, deck_id, _), made in topics.items():
        correct, course_id = sum(attempt.correct for attempt in made), made[-1].course_id
        if len(made) >= 5 and correct / len(made) < 0.8:
            weak.append((correct / len(made), -len(made), topic, correct, deck_id, course_id))
    return [
        {
            "topic": topic,
            "deck_id": deck_id and str(deck_id),
            "course_id": course_id and str(course_id),
            "attempts": -number,
            "correct": correct,
            "accuracy": round(100 * share + 1e-9, 2),
        }
        for share, number, topic, correct, deck_id, course_id in sorted(weak, key=lambda one: (*one[:3], str(one[4])))[
            :5
        ]
    ]
