"""Redis killed and back, then one that hangs and goes on, under load on two server processes."""

import time
from functools import partial

from bench.cast import Subject
from bench.contestants import THREADS
from bench.drills.bursts import LIMIT, accepted, at_once, check_limit
from bench.drills.client import Client
from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Instance, Redis, Site
from bench.drills.stored import compare
from studyservice.rates.redis_script import ANSWER_SECONDS
from studyservice.rates.shared import LAST_PROBE_SECONDS

_PROCESSES = 2
_HUNG_SECONDS = 8.0
_BACK_SECONDS = LAST_PROBE_SECONDS + ANSWER_SECONDS + 0.5
"""After that every process has asked Redis again."""


def drill(site: Site) -> list[Report]:
    """Calls go on; without Redis each process counts, with it they count together."""
    report = Report("Redis killed, then hung")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    instance = site.serve(url, data, processes=_PROCESSES, redis=redis)
    *members, before, during, after, hung, last = cast.members
    ports = [instance.port]
    with Load(ports, members) as load:
        check_limit(report, "with Redis ", ports, before.key)
        redis.kill()
        killed = time.monotonic()
        passed, wrong = accepted(ports, during.key)
        each = LIMIT <= passed <= _PROCESSES * LIMIT
        report.check(f"without it {passed} pass, at most {LIMIT} of each process", each and not wrong)
        redis.start()
        time.sleep(_BACK_SECONDS)
        check_limit(report, "after it came back ", ports, after.key)
    compare(report, load.journal, url, killed)
    report.check("no call failed", not report.errors)
    told = instance.log.read_text().count("Redis does not answer")
    report.check(f"said {told} times in the log, at most once by each process", 1 <= told <= _PROCESSES)
    _hang(report, redis, instance, hung, last)
    return [report]


def _hang(report: Report, redis: Redis, instance: Instance, hung: Subject, last: Subject) -> None:
    """A Redis that hangs is waited for once by each thread, and after that by none."""
    redis.hang()
    began = time.monotonic()
    callers = [
        partial(_times, instance, hung.key, "/v1/me", began + _HUNG_SECONDS) for _ in range(THREADS * _PROCESSES)
    ]
    watcher = partial(_times, instance, "", "/health", began + _HUNG_SECONDS)
    results = at_once([watcher, *callers])
    redis.go_on()
    wrong = [result for result in results if isinstance(result, Exception)]
    health, *times = [result for result in results if isinstance(result, list)]
    calls = [seconds for each in times for seconds in each]
    slow = [seconds for seconds in calls if seconds >= ANSWER_SECONDS]
    report.check(
        f"while it hangs for {_HUNG_SECONDS:.0f} s, {len(slow)} of {len(calls)} calls wait for it, "
        f"at most one on each thread, {max(calls):.1f} s at most",
        len(slow) <= THREADS * _PROCESSES and not wrong,
    )
    report.check(f"/health takes {max(health):.1f} s at most meanwhile", max(health) < 2 * ANSWER_SECONDS)
    time.sleep(_BACK_SECONDS)
    check_limit(report, "after it went on ", [instance.port], last.key)


def _times(instance: Instance, key: str, path: str, until: float) -> list[float]:
    """How long calls took, in seconds, one after the other until then."""
    times = []
    with Client(instance.port, key) as client:
        while (started := time.monotonic()) < until:
            client.call("GET", path)
            times.append(time.monotonic() - started)
            time.sleep(0.02)
    return times
