"""SIGKILL for a worker, then for the whole server, while clients write; then with clients that retry under keys."""

import time
from functools import partial

from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Site, wait_until
from bench.drills.stored import compare

_KILLS = 12


def drill(site: Site) -> list[Report]:
    """On PostgreSQL with two processes, and on SQLite with one."""
    return [
        _kill(site, "postgresql", processes=2),
        _kill(site, "sqlite", processes=1),
        _kill_often(site, "postgresql", processes=2),
        _kill_often(site, "sqlite", processes=1),
    ]


def _kill(site: Site, kind: str, processes: int) -> Report:
    report = Report(f"server killed, {kind}")
    url, data, cast = site.fresh(kind)
    redis = site.redis() if processes > 1 else None
    instance = site.serve(url, data, processes=processes, redis=redis)
    with Load([instance.port], cast.members) as load:
        load.goes_on(0)
        instance.kill_worker()
        replaced = time.monotonic()
        wait_until("another worker", lambda: len(instance.workers()) == processes)
        begun = time.monotonic()
        load.goes_on(begun)
        report.notes.append(f"writes went on {time.monotonic() - replaced:.1f} s after a worker was killed")
        time.sleep(1)
        instance.kill()
        restarted = time.monotonic()
        instance.start()
        load.goes_on(restarted)
    compare(report, load.journal, url, restarted)
    report.check("clients saw nothing but closed connections", set(report.errors) == {"closed connection"})
    instance.stop()
    return report


def _goes_on(load: Load, before: int) -> bool:
    """Whether more writes have succeeded than `before`."""
    return len(load.journal.succeeded_at) > before


def _kill_often(site: Site, kind: str, processes: int) -> Report:
    """Workers are killed one after the other; clients send each write again, with its key, until it is answered."""
    report = Report(f"retries under keys, {kind}")
    url, data, cast = site.fresh(kind)
    redis = site.redis() if processes > 1 else None
    instance = site.serve(url, data, processes=processes, redis=redis)
    with Load([instance.port], cast.members, retrying=True) as load:
        for _ in range(_KILLS):
            before = len(load.journal.succeeded_at)
            wait_until("writes", partial(_goes_on, load, before))
            instance.kill_worker()
            wait_until("another worker", lambda: len(instance.workers()) == processes)
    compare(report, load.journal, url)
    report.check("every write is known in the end", not load.journal.unknown | load.journal.refused)
    report.check("none is stored but the acknowledged", report.stored == report.acknowledged)
    report.notes.append(f"{load.journal.replayed} had been carried out by a worker that died before it answered")
    instance.stop()
    return report
