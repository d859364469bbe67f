"""Faults of dependencies: a locked row of a member, and a PostgreSQL whose processes are frozen."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count

from tools.bench import machine
from tools.bench.drills.client import Answer, Client
from tools.bench.drills.load import Journal, Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare, row_lock
from tools.bench.drills.watch import Ask, Watch, health, items, kinds, me
from tools.bench.servers import THREADS, Server, wait_until
from tools.bench.site import Site

_LOCKED_SECONDS = 12
_FROZEN_SECONDS = 25
"""Seconds, longer than any call may take."""

_MEMORY_MIB = 250
_STEADY = 50
"""Number of successful writes after the fault."""

_FAULT = {"500 (Retry-After: 1)"}


def drill(site: Site) -> Iterator[Report]:
    """Run one after the other."""
    yield _locked(site)
    yield _frozen(site)


def _locked(site: Site) -> Report:
    """Lock a member's row in another transaction, while more clients write for the member than there are threads."""
    report = Report("a member's row locked")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    journal, owners = Journal(), cast.heavy[: 2 * THREADS]
    for one in (*owners, cast.members[0]):
        # then the service has cached the member of each key, as for every active client
        me(Client(instance.port, one.key))
    write, beside = _writing(journal, cast.heavy[0].courses[0]), partial(len, journal.failed_at)
    watches = {
        "/health": Watch(instance.port, health, beside=beside),
        "another's reads": Watch(instance.port, items, cast.members[0].key, pause=0.5, beside=beside),
    }
    with ExitStack() as clients:
        writes = [clients.enter_context(Watch(instance.port, write, one.key)) for one in owners]
        with row_lock(url), ExitStack() as others:
            for watch in watches.values():
                others.enter_context(watch)
            time.sleep(_LOCKED_SECONDS)
        unlocked = time.monotonic()
        wait_until("writes that succeed", lambda: sum(at > unlocked for at in journal.succeeded_at) >= _STEADY)
    compare(report, journal, url, unlocked)
    answers = sum((watch.answers for watch in writes), Counter())
    report.check(f"the member's writes: {kinds(answers)}", _FAULT < set(answers) <= _FAULT | {"201"})
    for what, watch in watches.items():
        waited = sum(map(bool, watch.passed))
        alone = watch.only("200") and 2 * waited < len(watch.passed)
        report.check(f"{what}: {watch.told()}; {waited} waited until a write failed", alone)
    _check_memory(report, instance)
    return report


def _writing(journal: Journal, course: str) -> Ask:
    """Return a function that writes items like `Load`, and records in `journal`."""
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


def _frozen(site: Site) -> Report:
    """SIGSTOP every process of PostgreSQL. The kernel still accepts connections and acknowledges data."""
    report = Report("PostgreSQL frozen")
    site = site.apart("frozen")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    reads = Watch(instance.port, items, cast.members[-1].key, pause=0.5)
    with Load(instance.port, cast.members[:-1]) as load:
        time.sleep(1.5)
        with ExitStack() as watches:  # the calls end after PostgreSQL resumes
            with site.postgres.frozen():
                asked = watches.enter_context(Watch(instance.port, health))
                watches.enter_context(reads)
                time.sleep(_FROZEN_SECONDS)
                told, only = asked.told(), asked.only("503")
            thawed = time.monotonic()
            load.goes_on(thawed)
    compare(report, load.journal, url, thawed)
    report.check(f"/health: {told}", only)
    report.check(f"reads: {reads.told()}", _FAULT <= set(reads.answers) <= _FAULT | {"200"})
    with Client(instance.port, cast.members[0].key) as client:
        report.check("afterwards /health is 200", health(client).status == 200)
        report.check("afterwards a call is answered", items(client).ok)
    _check_memory(report, instance)
    return report


def _check_memory(report: Report, instance: Server) -> None:
    resident = machine.resident_mib(instance.worker)
    report.check(f"{resident:.0f} MiB resident at the end", resident < _MEMORY_MIB)
