"""Stop and start PostgreSQL, and kill its postmaster, while clients write. The service is not restarted."""

import time
from collections.abc import Iterator

from tools.bench.drills.client import Client
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare
from tools.bench.drills.watch import health
from tools.bench.site import Site

_DOWN_SECONDS = 1.5


def drill(site: Site) -> Iterator[Report]:
    """Run each way once."""
    for how, fault in (("stopped", site.postgres.stop), ("killed", site.postgres.kill)):
        report = Report(f"PostgreSQL {how}")
        url, data, cast = site.fresh("postgresql")
        instance = site.serve(url, data)
        with Load(instance.port, cast.members) as load:
            load.goes_on(0)
            fault()
            time.sleep(_DOWN_SECONDS)
            report.check("meanwhile /health is 503", health(Client(instance.port)).status == 503)
            site.postgres.start()
            started = time.monotonic()
            load.goes_on(started)
        compare(report, load.journal, url, started)
        report.check("afterwards /health is 200", health(Client(instance.port)).status == 200)
        yield report
