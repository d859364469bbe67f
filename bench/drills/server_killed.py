"""SIGKILL for a worker, then for the whole server, while clients write."""

import time

from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Site, wait_until
from bench.drills.stored import compare


def drill(site: Site) -> list[Report]:
    """On PostgreSQL with two processes, and on SQLite with one."""
    return [_kill(site, "postgresql", processes=2), _kill(site, "sqlite", processes=1)]


def _kill(site: Site, kind: str, processes: int) -> Report:
    report = Report(f"server killed, {kind}")
    url, data, cast = site.fresh(kind)
    redis = site.redis() if processes > 1 else None
    instance = site.serve(url, data, processes=processes, redis=redis)
    with Load([instance.port], cast.members) as load:
        time.sleep(1.5)
        instance.kill_worker()
        replaced = time.monotonic()
        wait_until("another worker", lambda: len(instance.workers()) == processes)
        begun = time.monotonic()
        wait_until("writes after it", lambda: load.journal.succeeded_at[-1] > begun)
        report.notes.append(f"writes went on {time.monotonic() - replaced:.1f} s after a worker was killed")
        time.sleep(1)
        instance.kill()
        restarted = time.monotonic()
        instance.start()
        time.sleep(1.5)
    compare(report, load.journal, url, restarted)
    report.check("clients saw nothing but closed connections", set(report.errors) == {"closed connection"})
    instance.stop()
    return report
