"""SIGKILL for a worker, then for the whole server, while clients write, without and then with retries under keys."""

import time
from collections.abc import Callable, Iterator
from functools import partial

from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare
from tools.bench.servers import Server, wait_until
from tools.bench.site import Site

_KILLS = 12


def drill(site: Site) -> Iterator[Report]:
    """Run on PostgreSQL with two processes, and on SQLite with one."""
    parts: tuple[Callable[[Site, str, int], Report], ...] = (_killed, _killed_often)
    for part in parts:
        yield part(site, "postgresql", 2)
        yield part(site, "sqlite", 1)


def _killed(site: Site, kind: str, processes: int) -> Report:
    report = Report(f"server killed, {kind}")
    url, data, cast = site.fresh(kind)
    instance = site.serve(url, data, processes=processes, redis=site.redis() if processes > 1 else None)
    with Load(instance.port, cast.members) as load:
        load.goes_on(0)
        replaced = time.monotonic()
        _kill_worker(instance, processes)
        load.goes_on(time.monotonic())
        report.notes.append(f"writes resumed {time.monotonic() - replaced:.1f} s after a worker was killed")
        time.sleep(1)
        instance.kill()
        restarted = time.monotonic()
        instance.start()
        load.goes_on(restarted)
    compare(report, load.journal, url, restarted)
    report.check("clients saw only closed connections", set(report.errors) == {"closed connection"})
    return report


def _kill_worker(instance: Server, processes: int) -> None:
    instance.kill_worker()
    wait_until("another worker", lambda: len(instance.workers()) == processes)


def _killed_often(site: Site, kind: str, processes: int) -> Report:
    """Let clients repeat each write with its key until it is answered."""
    report = Report(f"retries under keys, {kind}")
    url, data, cast = site.fresh(kind)
    instance = site.serve(url, data, processes=processes, redis=site.redis() if processes > 1 else None)
    with Load(instance.port, cast.members, retrying=True) as load:
        for _ in range(_KILLS):
            wait_until("writes", partial(_goes_on, load, len(load.journal.succeeded_at)))
            _kill_worker(instance, processes)
    compare(report, load.journal, url)
    report.check("the outcome of every write is known at the end", not load.journal.unknown | load.journal.refused)
    report.check("only acknowledged writes are stored", report.stored == report.acknowledged)
    report.notes.append(f"{load.journal.replayed} were completed by a worker that died before it answered")
    return report


def _goes_on(load: Load, before: int) -> bool:
    return len(load.journal.succeeded_at) > before
