"""`python -m tools.bench.drills [--only NAME,...]`: run the drills, print the table, exit with 1 if one fails.

A complete run writes `tools/bench/DRILLS.md`.
"""

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from tools.bench.drills import (
    campus,
    citus,
    connections,
    cost,
    database,
    deleting,
    fairness,
    instances,
    killed,
    large,
    operating,
    partitions,
    school_calendars,
    upgrade,
)
from tools.bench.drills.report import COLUMNS, Report
from tools.bench.markdown import machine_line, table
from tools.bench.site import Site, temporary_site

PAGE = Path(__file__).parent.with_name("DRILLS.md")

DRILLS: dict[str, Callable[[Site], Iterator[Report]]] = {
    "server": killed.server_killed,
    "changes": killed.killed_between_statements,
    "postgresql": database.restarted,
    "stuck": database.stuck,
    "failover": database.failover,
    "redis": instances.redis_gone,
    "disk": database.disk_full,
    "slow": connections.slow_clients,
    "signins": fairness.sign_ins,
    "campus": campus.drill,
    "fairness": fairness.greedy,
    "retries": connections.retrying_proxy,
    "clocks": instances.clocks,
    "instances": instances.many_instances,
    "restore": operating.restored,
    "rotation": operating.rotated,
    "pooler": instances.pooled,
    "partitions": partitions.drill,
    "citus": citus.citus,
    "erasure": deleting.erased,
    "agenda": large.largest_agenda,
    "plans": large.exam_plans,
    "calendar": cost.calendar_polls,
    "schools": school_calendars.school_calendars,
    "syllabi": large.syllabi,
    "undo": deleting.undone,
    "upgrade": upgrade.drill,
    "memory": cost.memory,
}
"""The servers of each part of a drill are stopped after its report."""


def main() -> int:
    """Run the drills. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.drills", description=__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(DRILLS), help=",".join(DRILLS))
    parser.add_argument("--requests", type=int, default=cost.REQUESTS, help="of the drill `memory`")
    options = parser.parse_args()
    if unknown := set(options.only) - set(DRILLS):
        parser.error(f"no such drill: {', '.join(sorted(unknown))}")
    cost.REQUESTS = options.requests
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both signals end everything that was started
    found: list[Report] = []
    with temporary_site() as site:
        for name in options.only:
            started = time.monotonic()
            for report in _reports(name, site):
                found.append(report)
                print(" | ".join(map(str, report.row())), *report.lines(), sep="\n  ", flush=True)
            print(f"  ({name}: {time.monotonic() - started:.0f} s)", flush=True)
    rows = table(COLUMNS, [report.row() for report in found])
    print(f"\n{rows}")
    if options.only == list(DRILLS):
        lines = "\n".join(f"- {line}" for report in found for line in report.lines())
        PAGE.write_text(f"{_HEAD}\n\n{machine_line()}\n\n{rows}\n\n## What was looked at\n\n{lines}\n")
    return 0 if all(report.right for report in found) else 1


_HEAD = """# Drills

Written by `make drills`; do not edit. In a successful run nothing is lost, duplicated, half-written or improper."""


def _reports(name: str, site: Site) -> Iterator[Report]:
    """Yield the reports of a drill. A drill that raises fails, and the others continue."""
    whole = site.stack
    try:
        drill = DRILLS[name](site)
        while True:
            with ExitStack() as site.stack:
                report = next(drill, None)
            if report is None:
                return
            yield report
    except Exception as error:  # noqa: BLE001  # reported in the table
        traceback.print_exc()
        broken = Report(name)
        broken.check(f"it failed with {error!r}", right=False)
        yield broken
    finally:
        site.stack = whole


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
