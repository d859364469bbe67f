"""A member with ten keys continuously creates the largest decks, while others read."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from tools.bench import machine
from tools.bench.cast import Subject
from tools.bench.drills.bursts import at_once
from tools.bench.drills.client import Client
from tools.bench.drills.report import Report
from tools.bench.drills.watch import Watch, items, me
from tools.bench.servers import Server, wait_until
from tools.bench.site import Site

_KEYS = 10
_CARDS = [{"term": "t" * 200, "definition": "d" * 1850}] * 500
"""Cards that make the body just under 1 MiB, the maximum."""

_VICTIMS = 3
_CALLS = 100
"""Number of calls of each victim. A credential has 120 a minute."""

_MOST_OVERTAKEN = 2
"""Number of decks of the greedy member that may be created during one call of another. Ten are always requested."""

_MOST_MIB = 250
_PARALLEL = 8


def drill(site: Site) -> Iterator[Report]:
    """Run on each kind of database."""
    for kind in ("sqlite", "postgresql"):
        report = Report(f"fairness, {kind}")
        url, data, cast = site.fresh(kind)
        instance = site.serve(url, data)
        greedy = _Greedy()
        alone = _calls(instance, cast.members[:_VICTIMS], greedy)
        report.notes.append(f"get_me alone: {_times(alone)}")
        with _posting(greedy, instance.port, cast.heavy[:_KEYS]):
            wait_until("the first decks", partial(getattr, greedy, "decks"))
            calls = _calls(instance, cast.members[_VICTIMS : 2 * _VICTIMS], greedy)
            statuses = at_once([partial(_read, instance.port, cast.members[2 * _VICTIMS].key)] * _PARALLEL)
        report.notes.append(f"get_me of others with them: {_times(calls)}")
        report.notes.append(f"{greedy.decks} decks of {len(_CARDS)} cards were created meanwhile")
        report.improper += greedy.improper
        overtaken = _percentile([passed for call in calls for passed in call.passed], 0.95)
        report.check(f"{overtaken:.0f} decks were created during a call of others (p95)", overtaken <= _MOST_OVERTAKEN)
        report.check(f"{_PARALLEL} parallel reads of one client: {statuses}", statuses == [200] * _PARALLEL)
        most = machine.peak_mib(instance.worker)
        report.check(f"at most {most:.0f} MiB", most < _MOST_MIB)
        yield report


class _Greedy:
    """The greedy member."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.decks = 0
        self.improper: list[str] = []

    def post(self, port: int, key: str) -> None:
        """Create the largest deck and delete it, repeatedly."""
        with Client(port, key, address="203.0.113.1") as client:
            while not self.stopped.is_set():
                made = client.call("POST", "/v1/vocab-decks", {"name": "Greedy", "cards": _CARDS})
                if made.status != 201:
                    self.improper.append(f"a deck: {made.fault}")
                    return
                self.decks += 1
                client.call("DELETE", f"/v1/vocab-decks/{made.body['id']}")


@contextmanager
def _posting(greedy: _Greedy, port: int, subjects: Sequence[Subject]) -> Iterator[None]:
    threads = [threading.Thread(target=greedy.post, args=(port, one.key), daemon=True) for one in subjects]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        greedy.stopped.set()
        for thread in threads:
            thread.join(60)


def _calls(instance: Server, victims: Sequence[Subject], greedy: _Greedy) -> list[Watch]:
    """Return the calls of each victim on its own connection, one victim after another."""
    calls = [
        Watch(instance.port, me, one.key, pause=0.03, times=_CALLS, beside=lambda: greedy.decks).run()
        for one in victims
    ]
    for call in calls:
        if not call.only("200"):
            raise RuntimeError(f"calls were refused: {call.told()}")
    return calls


def _read(port: int, key: str) -> int:
    with Client(port, key) as client:
        return items(client).status


def _percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def _times(calls: Sequence[Watch]) -> str:
    seconds = [each for call in calls for each in call.seconds]
    shares = (_percentile(seconds, share) * 1000 for share in (0.5, 0.95, 0.99, 1))
    return "median {:.0f}, p95 {:.0f}, p99 {:.0f}, longest {:.0f} ms".format(*shares)
