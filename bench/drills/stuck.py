"""What is stuck behind the service: a member's row that is locked, and a PostgreSQL whose processes are frozen."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import Self

import psycopg

from bench import machine
from bench.contestants import THREADS
from bench.drills.client import Answer, Client, ClosedError, ImproperAnswerError
from bench.drills.load import Journal, Load
from bench.drills.report import Report
from bench.drills.site import Instance, Site, wait_until
from bench.drills.stored import compare

_LOCKED_SECONDS = 12
_FROZEN_SECONDS = 25
"""Longer than any call may take."""

_MEMORY_MIB = 250
_STEADY = 50
"""Writes that succeed after the fault."""

_FAULT = {"500 (Retry-After: 1)"}

Ask = Callable[[Client], Answer]


def drill(site: Site) -> list[Report]:
    """Each by itself."""
    return [_locked(site), _frozen(site)]


class Watch:
    """`with Watch(port, ask, key) as watch:` asks again and again, on a connection of its own.

    Attributes:
        answers: how often each came: a status, with `Retry-After` if there was one, or what came instead.
        waited: how many of them came after others in line had theirs, as `beside` counts these.
        longest: seconds, for whoever reads it: a busy machine is no fault of the service.
    """

    def __init__(
        self, port: int, ask: Ask, key: str = "", *, pause: float = 0.05, beside: Callable[[], int] = lambda: 0
    ) -> None:
        self.answers: Counter[str] = Counter()
        self.waited = 0
        self.longest = 0.0
        self._beside = beside
        self._client = Client(port, key)
        self._ask, self._pause = ask, pause
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(60)
        self._client.close()

    def add(self, other: "Watch") -> None:
        """Take over what `other` saw."""
        self.answers += other.answers
        self.longest = max(self.longest, other.longest)

    def told(self) -> str:
        """In words."""
        kinds = ", ".join(f"{times} x {kind}" for kind, times in self.answers.most_common())
        return f"{kinds}, the longest {self.longest:.2f} s"

    def _watch(self) -> None:
        while not self._stopped.wait(self._pause):
            started, before = time.monotonic(), self._beside()
            try:
                answer = self._ask(self._client)
            except (ClosedError, ImproperAnswerError) as error:
                self.answers[str(error)] += 1
            else:
                after = answer.headers["Retry-After"]
                self.answers[f"{answer.status}" + (f" (Retry-After: {after})" if after else "")] += 1
            self.waited += self._beside() != before
            self.longest = max(self.longest, time.monotonic() - started)


def ask_health(client: Client) -> Answer:
    """The question of a proxy."""
    return client.call("GET", "/health")


def _items(client: Client) -> Answer:
    return client.call("GET", "/v1/items")


def _locked(site: Site) -> Report:
    """More clients that write for one member than there are threads, while another transaction has the member's row."""
    report = Report("a member's row locked")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    journal = Journal()
    owners = cast.heavy[: 2 * THREADS]
    for one in (*owners, cast.members[0]):
        with Client(instance.port, one.key) as client:
            client.call("GET", "/v1/me")  # whose each key is, is known then, as of every client that is at work
    write = _writing(journal, cast.heavy[0].courses[0])
    beside = partial(len, journal.failed_at)
    health = Watch(instance.port, ask_health, beside=beside)
    reads = Watch(instance.port, _items, cast.members[0].key, pause=0.5, beside=beside)
    with ExitStack() as clients:
        writes = [clients.enter_context(Watch(instance.port, write, one.key)) for one in owners]
        with row_lock(url), health, reads:
            time.sleep(_LOCKED_SECONDS)
        unlocked = time.monotonic()
        wait_until("writes that succeed", lambda: sum(at > unlocked for at in journal.succeeded_at) >= _STEADY)
    compare(report, journal, url, unlocked)
    for watch in writes[1:]:
        writes[0].add(watch)
    report.check(f"the member's writes: {writes[0].told()}", _FAULT < set(writes[0].answers) <= _FAULT | {"201"})
    for what, watch in (("/health", health), ("another's reads", reads)):
        alone = set(watch.answers) == {"200"} and 2 * watch.waited < watch.answers.total()
        report.check(f"{what}: {watch.told()}; {watch.waited} waited until a write had failed", alone)
    _check_memory(report, instance)
    instance.stop()
    return report


def _writing(journal: Journal, course: str) -> Ask:
    """Writes items as `Load` does, and keeps `journal`."""
    numbers = count(1)

    def write(client: Client) -> Answer:
        number = next(numbers)
        journal.unknown.add(number)
        answer = client.call("POST", f"/v1/courses/{course}/items", {"title": f"drill {number}", "kind": "quiz"})
        if answer.ok:
            journal.unknown.discard(number)
            journal.acknowledged.add(number)
        (journal.succeeded_at if answer.ok else journal.failed_at).append(time.monotonic())
        return answer

    return write


@contextmanager
def row_lock(url: str) -> Iterator[None]:
    """The lock of the row of the member with many keys, held by another transaction."""
    with psycopg.connect(url) as transaction:
        transaction.execute("SELECT id FROM accounts_member WHERE email = 'member300@example.org' FOR UPDATE")
        yield
        transaction.rollback()


def _frozen(site: Site) -> Report:
    """SIGSTOP for every process of PostgreSQL: its kernel still takes connections and acknowledges what is sent."""
    report = Report("PostgreSQL frozen")
    site = site.apart("frozen")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    reads = Watch(instance.port, _items, cast.members[-1].key, pause=0.5)
    with Load([instance.port], cast.members[:-1]) as load:
        time.sleep(1.5)
        with ExitStack() as watches:  # they end after PostgreSQL goes on
            with site.postgres.frozen():
                health = watches.enter_context(Watch(instance.port, ask_health))
                watches.enter_context(reads)
                time.sleep(_FROZEN_SECONDS)
                told, found = health.told(), set(health.answers)
            thawed = time.monotonic()
            load.goes_on(thawed)
    compare(report, load.journal, url, thawed)
    report.check(f"/health: {told}", found == {"503"})
    report.check(f"reads: {reads.told()}", _FAULT <= set(reads.answers) <= _FAULT | {"200"})
    with Client(instance.port, cast.members[0].key) as client:
        report.check("afterwards /health is 200", ask_health(client).status == 200)
        report.check("afterwards a call is answered", _items(client).ok)
    _check_memory(report, instance)
    instance.stop()
    return report


def _check_memory(report: Report, instance: Instance) -> None:
    [worker] = instance.workers()
    resident = machine.resident_mib(worker)
    report.check(f"{resident:.0f} MiB resident at the end", resident < _MEMORY_MIB)
