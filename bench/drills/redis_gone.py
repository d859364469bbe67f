"""Redis killed and back, then one that hangs and goes on, under load on two server processes."""

import time
from collections import Counter
from functools import partial

from bench.cast import Subject
from bench.contestants import THREADS
from bench.drills.bursts import LIMIT, accepted, at_once, check_limit
from bench.drills.client import Client
from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Instance, Redis, Site, wait_until
from bench.drills.stored import compare
from studyservice.rates.redis_script import ANSWER_SECONDS

_PROCESSES = 2
_HUNG_SECONDS = 8.0
_BACK = "Redis answers again"
"""In the log of each process."""


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
        wait_until("Redis to be used again", lambda: _returns(instance) >= _PROCESSES)
        check_limit(report, "after it came back ", ports, after.key)
    compare(report, load.journal, url, killed)
    report.check("no call failed", not report.errors)
    told = instance.log.read_text().count("Redis does not answer")
    report.check(f"said {told} times in the log, at most once by each process", 1 <= told <= _PROCESSES)
    _hang(report, redis, instance, hung, last)
    return [report]


def _hang(report: Report, redis: Redis, instance: Instance, hung: Subject, last: Subject) -> None:
    """A Redis that hangs is waited for once by each thread, and after that by none."""
    before = _returns(instance)
    redis.hang()
    began = time.monotonic()
    callers = [
        partial(_answers, instance, hung.key, "/v1/me", began + _HUNG_SECONDS) for _ in range(THREADS * _PROCESSES)
    ]
    watcher = partial(_answers, instance, "", "/health", began + _HUNG_SECONDS)
    results = at_once([watcher, *callers])
    redis.go_on()
    wrong = [result for result in results if isinstance(result, Exception)]
    health, *each = [result for result in results if isinstance(result, list)]
    calls = [call for one in each for call in one]
    statuses = Counter(status for status, _ in calls)
    report.check(
        f"while it hangs for {_HUNG_SECONDS:.0f} s, calls are answered: {dict(statuses)}",
        statuses[200] and set(statuses) <= {200, 429} and not wrong,
    )
    report.check(f"/health is 200 meanwhile, {len(health)} times", {status for status, _ in health} == {200})
    slow = [seconds for _, seconds in calls if seconds >= ANSWER_SECONDS]
    report.notes.append(f"{len(slow)} calls took {ANSWER_SECONDS} s or more, on {THREADS * _PROCESSES} threads")
    wait_until("Redis to be used again", lambda: _returns(instance) >= before + _PROCESSES)
    check_limit(report, "after it went on ", [instance.port], last.key)


def _returns(instance: Instance) -> int:
    """How often a process has found that Redis answers again."""
    return instance.log.read_text().count(_BACK)


def _answers(instance: Instance, key: str, path: str, until: float) -> list[tuple[int, float]]:
    """Status and seconds of calls, one after the other until then."""
    answers = []
    with Client(instance.port, key) as client:
        while (started := time.monotonic()) < until:
            status = client.call("GET", path).status
            answers.append((status, time.monotonic() - started))
            time.sleep(0.02)
    return answers
