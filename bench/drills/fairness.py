"""One member with ten keys posts the largest decks without a pause, while others read."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from bench import machine
from bench.cast import Cast, Subject
from bench.drills.bursts import at_once
from bench.drills.client import Client
from bench.drills.report import Report
from bench.drills.site import Instance, Site, wait_until

_KEYS = 10
_CARDS = 500
_TERM = "t" * 200
_DEFINITION = "d" * 1850
"""With it the body is just under 1 MiB, the longest that is read."""

_GREEDY_ADDRESS = "203.0.113.1"
_VICTIMS = 3
_CALLS = 100
"""Of each victim; a credential has 120 a minute."""

_PAUSE_SECONDS = 0.03
_MOST_OVERTAKEN = 2
"""How many of the greedy member's decks may be made while one call of another waits; ten are always asked for."""

_MOST_MIB = 250
_PARALLEL = 8


def drill(site: Site) -> list[Report]:
    """On each kind of database."""
    return [_fairness(site, kind) for kind in ("sqlite", "postgresql")]


def _fairness(site: Site, kind: str) -> Report:
    report = Report(f"fairness, {kind}")
    url, data, cast = site.fresh(kind)
    instance = site.serve(url, data)
    alone = _calls(instance, cast.members[:_VICTIMS])
    report.notes.append(f"get_me alone: {_said(alone)}")
    with _greedy(instance, cast) as greedy:
        wait_until("the first decks", lambda: greedy.decks)
        calls = _calls(instance, cast.members[_VICTIMS : 2 * _VICTIMS], greedy)
        statuses = _parallel_reads(instance, cast.members[2 * _VICTIMS])
    report.notes.append(f"get_me of others with them: {_said(calls)}")
    report.notes.append(f"{greedy.decks} decks of {_CARDS} cards were made meanwhile")
    report.improper += greedy.improper
    overtaken = _percentile([call.overtaken for call in calls], 0.95)
    report.check(f"{overtaken:.0f} decks were made during a call of others (p95)", overtaken <= _MOST_OVERTAKEN)
    report.check(f"{_PARALLEL} parallel reads of one client: {statuses}", statuses == [200] * _PARALLEL)
    report.check(f"at most {greedy.most_mib:.0f} MiB", greedy.most_mib < _MOST_MIB)
    instance.stop()
    return report


class _Call(NamedTuple):
    """A call of a victim.

    Attributes:
        overtaken: decks of the greedy member that were made meanwhile; unlike seconds, no matter of the machine.
    """

    seconds: float
    overtaken: int


def _calls(instance: Instance, victims: Sequence[Subject], greedy: "_Greedy | None" = None) -> list[_Call]:
    """Each on the one connection of its victim."""
    calls = []
    for number, victim in enumerate(victims):
        with Client(instance.port, victim.key, address=f"198.51.100.{number + 1}") as client:
            for _ in range(_CALLS):
                started, before = time.monotonic(), greedy.decks if greedy else 0
                if client.call("GET", "/v1/me").status != 200:
                    raise RuntimeError("a call was refused")
                calls.append(_Call(time.monotonic() - started, greedy.decks - before if greedy else 0))
                time.sleep(_PAUSE_SECONDS)
    return calls


def _parallel_reads(instance: Instance, subject: Subject) -> list[object]:
    def read() -> int:
        with Client(instance.port, subject.key) as client:
            return client.call("GET", "/v1/items").status

    return list(at_once([read] * _PARALLEL))


class _Greedy:
    """What the greedy member's threads did."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.decks = 0
        self.improper: list[str] = []
        self.most_mib = 0.0

    def post(self, port: int, key: str) -> None:
        """Make the largest deck and remove it, again and again."""
        cards = [{"term": _TERM, "definition": _DEFINITION}] * _CARDS
        with Client(port, key, address=_GREEDY_ADDRESS) as client:
            while not self.stopped.is_set():
                made = client.call("POST", "/v1/vocab-decks", {"name": "Greedy", "cards": cards})
                if made.status != 201:
                    self.improper.append(f"a deck: {made.fault}")
                    return
                self.decks += 1
                client.call("DELETE", f"/v1/vocab-decks/{made.body['id']}")

    def watch(self, pid: int) -> None:
        """Remember how much memory the server took at most."""
        while not self.stopped.wait(0.05):
            self.most_mib = max(self.most_mib, machine.resident_mib(pid))


@contextmanager
def _greedy(instance: Instance, cast: Cast) -> Iterator[_Greedy]:
    greedy = _Greedy()
    [worker] = instance.workers()
    threads = [
        threading.Thread(target=greedy.post, args=(instance.port, subject.key), daemon=True)
        for subject in cast.heavy[:_KEYS]
    ]
    threads.append(threading.Thread(target=greedy.watch, args=(worker,), daemon=True))
    for thread in threads:
        thread.start()
    try:
        yield greedy
    finally:
        greedy.stopped.set()
        for thread in threads:
            thread.join(60)


def _percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def _said(calls: Sequence[_Call]) -> str:
    times = [call.seconds for call in calls]
    shares = (_percentile(times, share) * 1000 for share in (0.5, 0.95, 0.99, 1))
    return "median {:.0f}, p95 {:.0f}, p99 {:.0f}, longest {:.0f} ms".format(*shares)
