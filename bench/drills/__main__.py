"""`python -m bench.drills [--only NAME,...]`: run the drills, print the table, exit with 1 if one is not right.

A run of all writes `bench/DRILLS.md`.
"""

import argparse
import secrets
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import machine
from bench.drills import (
    calendar_polls,
    changes,
    citus,
    clocks,
    disk_full,
    erasure,
    failover,
    fairness,
    idle_connections,
    largest_agenda,
    many_instances,
    memory,
    partitions,
    pooler,
    postgresql_restarted,
    redis_gone,
    restore,
    retrying_proxy,
    rotation,
    server_killed,
    sign_ins,
    slow_clients,
    stuck,
    syllabi,
    undo,
    upgrade,
)
from bench.drills.report import COLUMNS, Report
from bench.drills.site import Site

PAGE = Path(__file__).parent.with_name("DRILLS.md")

DRILLS: dict[str, Callable[[Site], list[Report]]] = {
    "server": server_killed.drill,
    "changes": changes.drill,
    "postgresql": postgresql_restarted.drill,
    "stuck": stuck.drill,
    "failover": failover.drill,
    "redis": redis_gone.drill,
    "disk": disk_full.drill,
    "slow": slow_clients.drill,
    "signins": sign_ins.drill,
    "fairness": fairness.drill,
    "idle": idle_connections.drill,
    "retries": retrying_proxy.drill,
    "clocks": clocks.drill,
    "instances": many_instances.drill,
    "restore": restore.drill,
    "rotation": rotation.drill,
    "pooler": pooler.drill,
    "partitions": partitions.drill,
    "citus": citus.drill,
    "erasure": erasure.drill,
    "agenda": largest_agenda.drill,
    "calendar": calendar_polls.drill,
    "syllabi": syllabi.drill,
    "undo": undo.drill,
    "upgrade": upgrade.drill,
    "memory": memory.drill,
}


def main() -> int:
    """Run; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.drills", description=__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(DRILLS), help=",".join(DRILLS))
    parser.add_argument("--port", type=int, default=8200, help="the first of some thirty ports")
    parser.add_argument("--requests", type=int, default=memory.REQUESTS, help="of the drill `memory`")
    options = parser.parse_args()
    if unknown := set(options.only) - set(DRILLS):
        parser.error(f"no such drill: {', '.join(sorted(unknown))}")
    memory.REQUESTS = options.requests
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both end everything that was started
    found: list[Report] = []
    with TemporaryDirectory(prefix="studyservice-drills-", ignore_cleanup_errors=True) as path, ExitStack() as stack:
        directory = Path(path)
        directory.chmod(0o755)  # PostgreSQL may run as another user
        site = Site(stack, directory, options.port, secrets.token_urlsafe(64))
        for name in options.only:
            started = time.monotonic()
            reports = _run(name, site)
            found += reports
            for report in reports:
                print(report.row(), *report.lines(), sep="\n  ", flush=True)
            print(f"  ({name}: {time.monotonic() - started:.0f} s)", flush=True)
    table = "\n".join([f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|", *(one.row() for one in found)])
    print(f"\n{table}")
    if options.only == list(DRILLS):
        PAGE.write_text(_page(table, found))
    return 0 if all(report.right for report in found) else 1


def _page(table: str, found: list[Report]) -> str:
    told = "\n".join(f"- {line}" for report in found for line in report.lines())
    return (
        "# Drills\n\nWritten by `make drills`; do not edit. Where all is right, nothing is lost, duplicated,"
        " half-written or improper.\n\n"
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {machine.describe()}.\n\n{table}\n\n## What was looked at\n\n{told}\n"
    )


def _run(name: str, site: Site) -> list[Report]:
    """The reports of one drill; what it started is ended with it. One that breaks is wrong, and the others go on."""
    with ExitStack() as stack:
        whole, site.stack = site.stack, stack
        try:
            return DRILLS[name](site)
        except Exception as error:  # noqa: BLE001  # whatever it is; it is told
            traceback.print_exc()
            broken = Report(name)
            broken.check(f"it ended with {error!r}", right=False)
            return [broken]
        finally:
            site.stack = whole


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
