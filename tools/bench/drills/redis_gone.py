"""Kill and restart Redis, then hang and resume it, under load on two server processes."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

from studyservice.rates.shared import ANSWER_SECONDS
from tools.bench.drills.bursts import LIMIT, accepted, check_limit
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare
from tools.bench.drills.watch import Watch, health, me
from tools.bench.servers import THREADS, Server, wait_until
from tools.bench.site import Site

_PROCESSES = 2
_HUNG_SECONDS = 8.0
_LOST, _BACK = "does not answer", "answers again"
"""Fragments of lines in each process's log."""


def drill(site: Site) -> Iterator[Report]:
    """Check that calls continue. Without Redis each process counts separately, with it they count together."""
    report = Report("Redis killed, then hung")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    instance = site.serve(url, data, processes=_PROCESSES, redis=redis)
    *members, before, during, after, hung, last = cast.members
    ports = [instance.port]
    with Load(instance.port, members) as load:
        check_limit(report, "with Redis ", ports, before.key)
        redis.kill()
        killed = time.monotonic()
        passed, wrong = accepted(ports, during.key)
        each = LIMIT <= passed <= _PROCESSES * LIMIT
        report.check(f"without Redis {passed} pass, at most {LIMIT} for each process", each and not wrong)
        redis.start()
        lost = _lines(instance, _LOST)  # of the processes that received calls
        _wait_for_return(instance, lost)
        check_limit(report, "after it came back ", ports, after.key)
    compare(report, load.journal, url, killed)
    report.check("no call failed", not report.errors)
    told = _lines(instance, _LOST)
    report.check(f"logged {told} times, at most once by each process", 1 <= told <= _PROCESSES)

    returned = _lines(instance, _BACK)
    redis.hang()
    callers = [Watch(instance.port, me, hung.key, pause=0.02) for _ in range(THREADS * _PROCESSES)]
    with ExitStack() as watches, Watch(instance.port, health, pause=0.02) as asked:
        for one in callers:
            watches.enter_context(one)
        time.sleep(_HUNG_SECONDS)
    redis.go_on()
    answers: Counter[str] = Counter()
    for one in callers:
        for status, times in one.answers.items():
            answers[status.partition(" (")[0]] += times
    proper = answers["200"] and set(answers) <= {"200", "429"}
    report.check(f"while it hangs for {_HUNG_SECONDS:.0f} s, calls are answered: {dict(answers)}", proper)
    report.check(f"/health is 200 meanwhile, {len(asked.seconds)} times", asked.only("200"))
    slow = sum(seconds >= ANSWER_SECONDS for one in callers for seconds in one.seconds)
    report.notes.append(f"{slow} calls took {ANSWER_SECONDS} s or more, on {THREADS * _PROCESSES} threads")
    _wait_for_return(instance, returned + lost)  # the log does not show a second loss within a minute
    check_limit(report, "after it went on ", ports, last.key)
    yield report


def _wait_for_return(instance: Server, times: int) -> None:
    """Wait until processes have reconnected to Redis `times` in all."""
    wait_until("Redis to be used again", lambda: _lines(instance, _BACK) >= times)


def _lines(instance: Server, what: str) -> int:
    return instance.log.read_text().count(f"Redis {what}")
