"""`python -m tools.bench.drills [--only NAME,...]`: run the drills, print the table, exit with 1 if one fails.

A complete run writes `tools/bench/DRILLS.md`.
"""

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from tools.bench.drills import memory
from tools.bench.drills.report import COLUMNS, Report
from tools.bench.markdown import machine_line, table
from tools.bench.site import Site, temporary_site

PAGE = Path(__file__).parent.with_name("DRILLS.md")

DRILLS = {
    "server": "server_killed",
    "changes": "changes",
    "postgresql": "postgresql_restarted",
    "stuck": "stuck",
    "failover": "failover",
    "redis": "redis_gone",
    "disk": "disk_full",
    "slow": "slow_clients",
    "signins": "sign_ins",
    "fairness": "fairness",
    "idle": "idle_connections",
    "retries": "retrying_proxy",
    "clocks": "clocks",
    "instances": "many_instances",
    "restore": "restore",
    "rotation": "rotation",
    "pooler": "pooler",
    "partitions": "partitions",
    "citus": "citus",
    "erasure": "erasure",
    "agenda": "largest_agenda",
    "plans": "exam_plans",
    "calendar": "calendar_polls",
    "schools": "school_calendars",
    "syllabi": "syllabi",
    "undo": "undo",
    "upgrade": "upgrade",
    "memory": "memory",
}
"""Name to module. Its function `drill` yields reports. The servers of each part are stopped after its report."""


def main() -> int:
    """Run the drills. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.drills", description=__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(DRILLS), help=",".join(DRILLS))
    parser.add_argument("--requests", type=int, default=memory.REQUESTS, help="of the drill `memory`")
    options = parser.parse_args()
    if unknown := set(options.only) - set(DRILLS):
        parser.error(f"no such drill: {', '.join(sorted(unknown))}")
    memory.REQUESTS = options.requests
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
        drill = import_module(f"tools.bench.drills.{DRILLS[name]}").drill(site)
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
