"""Two instances of two processes each, on one PostgreSQL and one Redis."""

from collections.abc import Iterator

from tools.bench.drills import once
from tools.bench.drills.bursts import check_limit
from tools.bench.drills.report import Report
from tools.bench.site import Site

_KEYS = 3


def drill(site: Site) -> Iterator[Report]:
    """Check that limits apply across all processes, and codes and tokens work once."""
    report = Report("two instances of two processes")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    one, other = (site.serve(url, data, processes=2, redis=redis).port for _ in range(2))
    for subject in cast.members[-_KEYS:]:
        check_limit(report, "", (one, other), subject.key)
    once.drill(report, (one, other), data / "mail", cast.members, url)
    yield report
