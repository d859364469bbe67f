"""Two instances of two processes each, on one PostgreSQL and one Redis."""

from bench.drills import once
from bench.drills.bursts import LIMIT, accepted
from bench.drills.report import Report
from bench.drills.site import Site

_ASKED = 400
_KEYS = 3


def drill(site: Site) -> list[Report]:
    """Limits hold across all processes, and what works once works once."""
    report = Report("two instances of two processes")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    ports = (
        site.serve(url, data, processes=2, redis=redis).port,
        site.serve(url, data, processes=2, redis=redis).port,
    )
    for subject in cast.members[-_KEYS:]:
        passed, wrong = accepted(ports, subject.key, _ASKED)
        report.check(f"{passed} of {_ASKED} requests with one key pass in a minute", passed == LIMIT and not wrong)
    once.drill(report, ports, data / "mail", cast.members, url)
    return [report]
