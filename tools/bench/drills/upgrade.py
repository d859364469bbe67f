"""Upgrade under load: the last release's code and schema, then the migrations, then the new version beside the old.

An operator's report locks each table that it reads while the migrations begin. The old code is extracted from git
(`tests.support.releases`).
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import psycopg

from tests.support.releases import COMMIT, RELEASED
from tools.bench.cast import Cast
from tools.bench.drills.client import Client
from tools.bench.drills.load import Journal, Load
from tools.bench.drills.report import Report, compare, count, execute
from tools.bench.drills.watch import me
from tools.bench.servers import ROOT, wait_until
from tools.bench.site import MEMBERS, Site

_REPORT = "SELECT count(*) FROM accounts_change, oauthserver_application LIMIT 1"
_CONSENTS = """
    INSERT INTO oauthserver_grant (id, user_id, application_id, token_family, code, expires, spent_at, created, updated,
        scope, redirect_uri, redirect_uri_sent, resource, code_challenge, code_challenge_method, refusal)
    SELECT gen_random_uuid(), user_id, application_id, token_family, md5(id::text) || md5(token_family::text), created,
        created, created, created, 'read write', 'http://127.0.0.1/callback', true, '', repeat('c', 43), 'S256', ''
    FROM oauthserver_refreshtoken
"""
"""Every connection has one in service, but the released seed has only its tokens."""

_REPORT_SECONDS = 3
"""Seconds that the report continues after it blocks `migrate`."""
_LATER = 1_000_000
"""Number of the new version's first write."""


def drill(site: Site) -> Iterator[Report]:
    """Run on PostgreSQL. For SQLite the only writer is stopped first."""
    report = Report("upgrade under load")
    old = site.directory / "released"
    available = _take_out(old)
    report.check("the source of the last release is available", available)
    if not available:
        yield report
        return
    report.notes.append(f"the last release is {COMMIT[:9]}; its migrations: {', '.join(sorted(RELEASED.values()))}")
    url, data = site.postgres.create("released"), site.directory / "released-data"
    cast = site.fill(url, data, MEMBERS, "drills.seed.fill", root=old, package="bench")
    execute(url, _CONSENTS)
    environment, instance = site.environment(url, data), site.start(url, data, {}, root=old)
    half = len(cast.members) // 2
    with Load(instance.port, cast.members[:half]) as first:
        time.sleep(1.5)
        begun = time.monotonic()
        stepped_back = _migrated(environment, url, site.directory / "migrate.log")
        took = time.monotonic() - begun
        time.sleep(1)
        new = site.serve(url, data)
        ready = Client(new.port).get("/health/ready").ok
        with Load(new.port, cast.members[half:], first=_LATER) as second:
            time.sleep(2)
            first.stop()
            instance.stop()
            time.sleep(1.5)
    report.check(f"migrate released its place {stepped_back} times for a report", stepped_back)
    report.check("the new version was ready before the old one stopped", ready)
    compare(report, _together(first.journal, second.journal), url)
    report.check("no call failed", not report.errors)
    pause = _longest_pause(first.journal, begun, took)
    report.check("writes succeeded during the migration", pause < took)
    report.notes.append(f"the longest pause between two writes was {pause:.1f} s of the {took:.1f} s")
    _settle(report, environment, cast, new.port)
    yield report


def _take_out(directory: Path) -> bool:
    """Extract the last release to `directory`. Return False if git does not have it."""
    git = shutil.which("git")
    if git is None:
        return False
    packed = subprocess.run([git, "-C", ROOT, "archive", COMMIT], capture_output=True, check=False)
    if packed.returncode:
        return False
    directory.mkdir(parents=True)
    unpack = ["tar", "-x", "-C", str(directory)]
    subprocess.run(unpack, input=packed.stdout, check=True)
    return True


def _migrated(environment: dict[str, str], url: str, log: Path) -> int:
    """Migrate beside a report that ends some time later. Return how often `migrate` retried."""
    with psycopg.connect(url) as long:
        long.execute(_REPORT)
        command = [sys.executable, "manage.py", "migrate", "--no-input"]
        with log.open("w") as errors:
            migrate = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
            wait_until("a step back", lambda: "tried again" in log.read_text() or migrate.poll() is not None)
            time.sleep(_REPORT_SECONDS)
            long.rollback()
            migrate.wait(300)
        told = log.read_text()
    if migrate.returncode:
        raise RuntimeError(f"migrate: {told}")
    return told.count("tried again")


def _together(first: Journal, second: Journal) -> Journal:
    return replace(
        first,
        acknowledged=first.acknowledged | second.acknowledged,
        refused=first.refused | second.refused,
        unknown=first.unknown | second.unknown,
        errors=first.errors + second.errors,
        improper=first.improper + second.improper,
    )


def _longest_pause(journal: Journal, begun: float, took: float) -> float:
    """Return the longest time between two successful writes while `migrate` ran."""
    moments = [begun, *(at for at in sorted(journal.succeeded_at) if begun < at < begun + took), begun + took]
    return max(later - earlier for earlier, later in pairwise(moments))


def _settle(report: Report, environment: dict[str, str], cast: Cast, port: int) -> None:
    """Use existing credentials after the old version was stopped."""
    subject = cast.members[0]
    pair = Client(port).refresh(subject.tokens[0])
    report.check("an earlier refresh token returns a token", pair.ok)
    works = [me(Client(port, key)).ok for key in (pair.body["access_token"], subject.key)]
    report.check("that token and an earlier key work", all(works))
    report.check(
        "every constraint is validated", not count(environment["DATABASE_URL"], "pg_constraint", "NOT convalidated")
    )
