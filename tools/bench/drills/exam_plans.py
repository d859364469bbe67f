"""A member requests the plan of an exam with 5,000 cards, four calls at a time, while another member reads."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from statistics import median

from tools.bench import machine
from tools.bench.cast import Subject
from tools.bench.drills.bursts import at_once
from tools.bench.drills.client import Client
from tools.bench.drills.report import Report
from tools.bench.drills.stored import execute
from tools.bench.drills.watch import Watch, me
from tools.bench.servers import Server
from tools.bench.site import Site

_AT_ONCE = 4
_EACH = 12
"""Calls on each connection. A credential has 120 a minute, of which reads use half."""

_CARDS = 5000
_MOST_MIB = 250
_PAUSE = 0.5
"""Seconds between the calls of another member, who may send 120 a minute."""

_MOST_PASSED = 2
"""Number of plans that may be answered during one call of another member."""

_FILL = (
    """
    INSERT INTO vocab_deck (id, member_id, course_id, name, card_count, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Deck ' || n, 500, now(), now()
    FROM courses_course, generate_series(1, 10) AS n WHERE id = '{course}'
    """,
    """
    INSERT INTO vocab_card (id, member_id, deck_id, position, term, definition, state, step, stability, difficulty,
        due_at, last_reviewed_at, reps, lapses)
    SELECT gen_random_uuid(), member_id, id, n, 'Term ' || n, repeat('What it is. ', 10), 'review', NULL, 1 + n / 7.0,
        1 + n / 60.0, now() + n % 9 * interval '1 day', now() - interval '40 days', 10, 1
    FROM vocab_deck, generate_series(1, 500) AS n WHERE course_id = '{course}' AND name LIKE 'Deck %'
    """,
    "ANALYZE vocab_card",
)


def drill(site: Site) -> Iterator[Report]:
    """Request the plan and its cards for today, shortly before the exam, where both cost most."""
    report = Report("exam plans")
    url, data, cast = site.fresh("postgresql")
    owner, *others = cast.members[:4]
    execute(url, *(statement.format(course=owner.courses[0]) for statement in _FILL))
    instance = site.serve(url, data)
    exam = _exam(instance, owner)
    plan = f"/v1/items/{exam}?minutes_a_day=60"
    cards = f"/v1/vocab-decks?for_item={exam}&minutes_a_day=60&limit=20"
    with Client(instance.port, owner.key) as client:
        found = client.get(plan).body["study_plan"]
        sampled = found["cards"] >= _CARDS and found["planned_from"] == "sample"
        report.check(f"{found['cards']} cards are planned, from a sample", sampled)
        asked = client.get(cards).body["data"][0]["cards"]
        report.check("today's first 20 cards are returned", len(asked) == 20)
    alone = Watch(instance.port, me, others[0].key, times=30).run()
    for other, what, path in ((others[1], "plans", plan), (others[2], "lists of today's cards", cards)):
        counted = _Counted()
        with Watch(instance.port, me, other.key, pause=_PAUSE, beside=partial(getattr, counted, "number")) as watch:
            at_once([partial(counted.ask, instance.port, owner.key, path)] * _AT_ONCE)
        report.improper += counted.improper
        report.check(f"{what}: every one of {counted.number} was answered", counted.number == _AT_ONCE * _EACH)
        report.check(f"{what}: another member's calls: {watch.told()}", watch.only("200"))
        most = sorted(watch.passed)[int(len(watch.passed) * 0.95)]
        report.check(f"{what}: {most} plans were answered during a call of another member (p95)", most <= _MOST_PASSED)
        report.notes.append(f"{what}: get_me of another member {_times(watch)}; alone {_times(alone)}")
    peak = machine.peak_mib(instance.worker)
    report.check(f"at most {peak:.0f} MiB", peak < _MOST_MIB)
    yield report


class _Counted:
    """The calls of the planning member.

    Attributes:
        number: of answered calls.
    """

    def __init__(self) -> None:
        self.number = 0
        self.improper: list[str] = []
        self._lock = threading.Lock()

    def ask(self, port: int, key: str, path: str) -> None:
        """Send `_EACH` calls on a separate connection."""
        with Client(port, key) as client:
            for _ in range(_EACH):
                answer = client.get(path)
                with self._lock:
                    self.number += answer.status == 200
                    if answer.status != 200:
                        self.improper.append(f"a plan: {answer.fault}")


def _exam(instance: Server, owner: Subject) -> str:
    due_on = datetime.now(UTC).date() + timedelta(days=5)
    with Client(instance.port, owner.key) as client:
        item = {"title": "Final", "kind": "exam", "due_on": str(due_on)}
        made: str = client.call("POST", f"/v1/courses/{owner.courses[0]}/items", item).body["id"]
    return made


def _times(watch: Watch) -> str:
    seconds = [1000 * one for one in sorted(watch.seconds)]
    p95 = seconds[min(len(seconds) - 1, int(len(seconds) * 0.95))]
    return f"{median(seconds):.0f} ms at the median, {p95:.0f} ms p95, {seconds[-1]:.0f} ms at most"
