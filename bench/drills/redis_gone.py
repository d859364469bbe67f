"""Redis killed and back, under load on two server processes."""

import time

from bench.drills.bursts import LIMIT, accepted
from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Site
from bench.drills.stored import compare
from studyservice.rates import RETRY_SECONDS

_PROCESSES = 2
_ASKED = 400


def drill(site: Site) -> list[Report]:
    """Calls go on; without Redis each process counts, with it they count together."""
    report = Report("Redis killed")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    instance = site.serve(url, data, processes=_PROCESSES, redis=redis)
    *members, before, during, after = cast.members
    with Load([instance.port], members) as load:
        passed, wrong = accepted([instance.port], before.key, _ASKED)
        report.check(f"with Redis {passed} of {_ASKED} requests pass", passed == LIMIT and not wrong)
        redis.kill()
        killed = time.monotonic()
        passed, wrong = accepted([instance.port], during.key, _ASKED)
        each = LIMIT <= passed <= _PROCESSES * LIMIT
        report.check(f"without it {passed} pass, at most {LIMIT} of each process", each and not wrong)
        redis.start()
        time.sleep(RETRY_SECONDS + 0.5)
        passed, wrong = accepted([instance.port], after.key, _ASKED)
        report.check(f"after it came back {passed} pass", passed == LIMIT and not wrong)
    compare(report, load.journal, url)
    report.recovered = load.journal.recovered(killed)
    report.check("no call failed", not report.errors)
    told = instance.log.read_text().count("Redis does not answer")
    report.check(f"said {told} times in the log, at most once by each process", 1 <= told <= _PROCESSES)
    instance.stop()
    return [report]
