"""PgBouncer between the service and PostgreSQL, in transaction mode."""

import shutil
import subprocess
import time
from collections.abc import Iterator

from tools.bench.drills import once
from tools.bench.drills.client import Client
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare, row_lock
from tools.bench.servers import THREADS, free_port, listens, manage, wait_until
from tools.bench.site import Site

_SERVER_CONNECTIONS = 3


def drill(site: Site) -> Iterator[Report]:
    """Use more threads than connections to PostgreSQL, with every kind of write, sign-in and OAuth."""
    report = Report("PgBouncer, transaction mode")
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        report.not_run = "pgbouncer is not installed"
        yield report
        return
    url, data, cast = site.fresh("postgresql")
    manage(site.environment(url, data), "databasetimeouts", "--apply")  # the pooler refuses them as connection options
    database = url.partition("?")[0].rpartition("/")[2]
    pooled = f"postgres://postgres@127.0.0.1:{_start(site, program)}/{database}"
    redis = site.redis()
    instance = site.serve(pooled, data, processes=2, redis=redis, DATABASE_POOLED="true")
    with Load(instance.port, cast.members) as load:
        time.sleep(3)
    compare(report, load.journal, url)
    report.check(f"{2 * THREADS} threads on {_SERVER_CONNECTIONS} connections: no call failed", not report.errors)
    once.drill(report, (instance.port, instance.port), data / "mail", cast.members, url)
    owner = cast.heavy[0]
    with row_lock(url), Client(instance.port, owner.key) as client:
        answer = client.call("POST", f"/v1/courses/{owner.courses[0]}/items", {"title": "a lock", "kind": "quiz"})
    after = answer.headers["Retry-After"]
    right = answer.fault == "500 internal_error" and after == "1"
    report.check(f"a write to a locked row: {answer.fault}, Retry-After: {after}", right)
    instance.stop()
    unprepared = site.serve(pooled, data, redis=redis)
    with Load(unprepared.port, cast.members) as load:
        time.sleep(1)
    failed = sum(load.journal.errors.values())
    report.notes.append(f"without DATABASE_POOLED {failed} of {failed + len(load.journal.acknowledged)} calls failed")
    yield report


def _start(site: Site, program: str) -> int:
    port, settings = free_port(), site.directory / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={site.postgres.host} user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        f"pool_mode = transaction\ndefault_pool_size = {_SERVER_CONNECTIONS}\n"
    )
    # PgBouncer refuses to run as root, and must reach the socket.
    user = ["-u", site.postgres.user] if site.postgres.user else []
    with (site.directory / "pgbouncer.log").open("wb") as log:
        process = subprocess.Popen([program, *user, str(settings)], stdout=log, stderr=log)
    site.stack.callback(process.wait)
    site.stack.callback(process.terminate)
    wait_until("PgBouncer", lambda: listens(port), 10)
    return port
