"""PostgreSQL stopped and started again, and its postmaster killed, while clients write; nobody touches the service."""

import time

from bench.drills.client import Client
from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Instance, Site
from bench.drills.stored import compare

_DOWN_SECONDS = 1.5


def drill(site: Site) -> list[Report]:
    """Once each way."""
    return [_restart(site, "stopped"), _restart(site, "killed")]


def _restart(site: Site, how: str) -> Report:
    report = Report(f"PostgreSQL {how}")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    with Load([instance.port], cast.members) as load:
        load.goes_on(0)
        (site.postgres.kill if how == "killed" else site.postgres.stop)()
        time.sleep(_DOWN_SECONDS)
        report.check("meanwhile /health is 503", _health(instance) == 503)
        site.postgres.start()
        started = time.monotonic()
        load.goes_on(started)
    compare(report, load.journal, url, started)
    report.check("afterwards /health is 200", _health(instance) == 200)
    instance.stop()
    return report


def _health(instance: Instance) -> int:
    with Client(instance.port) as client:
        return client.call("GET", "/health").status
