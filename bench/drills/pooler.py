"""PgBouncer between the service and PostgreSQL, in transaction mode, if it is installed."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench.cast import Subject
from bench.drills import once
from bench.drills.client import Client
from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Instance, Site, listens, wait_until
from bench.drills.stored import compare
from bench.drills.stuck import row_lock
from bench.gunicorn import ROOT

_SERVER_CONNECTIONS = 3


def drill(site: Site) -> list[Report]:
    """More threads than connections to PostgreSQL; every kind of write, sign-in and OAuth."""
    report = Report("PgBouncer, transaction mode")
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        report.notes.append("not run: pgbouncer is not installed")
        return [report]
    url, data, cast = site.fresh("postgresql")
    _apply_timeouts(site, url, data)
    port = _start(site, program)
    database = url.partition("?")[0].rpartition("/")[2]
    pooled = f"postgres://postgres@127.0.0.1:{port}/{database}"
    redis = site.redis()
    instance = site.serve(pooled, data, processes=2, redis=redis, DATABASE_POOLED="true")
    with Load([instance.port], cast.members) as load:
        time.sleep(3)
    compare(report, load.journal, url)
    threads = 2 * int(instance.environment["WEB_THREADS"])
    report.check(f"{threads} threads on {_SERVER_CONNECTIONS} connections: no call failed", not report.errors)
    once.drill(report, (instance.port, instance.port), data / "mail", cast.members, url)
    _meet_a_lock(report, instance, cast.heavy[0], url)
    instance.stop()
    unprepared = site.serve(pooled, data, redis=redis)
    with Load([unprepared.port], cast.members) as load:
        time.sleep(1)
    failed = sum(load.journal.errors.values())
    report.notes.append(f"without DATABASE_POOLED {failed} of {failed + len(load.journal.acknowledged)} calls failed")
    return [report]


def _apply_timeouts(site: Site, url: str, data: Path) -> None:
    """Set by role what the pooler refuses from a connection."""
    subprocess.run(
        [sys.executable, "manage.py", "databasetimeouts", "--apply"],
        cwd=ROOT,
        env=site.environment(url, data, site.origin_port),
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _meet_a_lock(report: Report, instance: Instance, owner: Subject, url: str) -> None:
    """A write of the member whose row is locked."""
    course = f"/v1/courses/{owner.courses[0]}/items"
    with row_lock(url), Client(instance.port, owner.key) as client:
        answer = client.call("POST", course, {"title": "meets a lock", "kind": "quiz"})
    report.check(
        f"a write to a locked row: {answer.fault}, Retry-After: {answer.headers['Retry-After']}",
        answer.fault == "500 internal_error" and answer.headers["Retry-After"] == "1",
    )


def _start(site: Site, program: str) -> int:
    port = site.port()
    settings = site.directory / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={site.postgres.socket_directory} user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        f"pool_mode = transaction\ndefault_pool_size = {_SERVER_CONNECTIONS}\n"
    )
    command = [program, str(settings)]
    if site.postgres.user:
        command[1:1] = ["-u", site.postgres.user]  # it refuses to run as root, and must reach the socket
    with (site.directory / "pgbouncer.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    site.stack.callback(process.wait)
    site.stack.callback(process.terminate)
    wait_until("PgBouncer", lambda: listens(port), 10)
    return port
