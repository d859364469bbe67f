"""The code and the schema of the last release, under load; the migrations since; the new version beside the old one.

An operator's report holds a lock of each table that it reads while the migrations begin. The old code is taken out of
git, as of the commit before the first migration since the release (`tests.support.releases`).
"""

import shutil
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import psycopg

from bench.cast import CLIENT_ID, Cast, load
from bench.drills.client import Client
from bench.drills.load import Journal, Load
from bench.drills.report import Report
from bench.drills.site import MEMBERS, Instance, Site, wait_until
from bench.drills.stored import compare, query
from bench.gunicorn import ROOT
from tests.support.releases import RELEASED

_REPORT = "SELECT count(*) FROM accounts_change, oauthserver_application LIMIT 1"
_REPORT_SECONDS = 3
"""After `migrate` has met it."""
_LATER = 1_000_000
"""Where the numbers of the new version's writes begin."""


def drill(site: Site) -> list[Report]:
    """On PostgreSQL; SQLite has one writer, who is stopped first."""
    report = Report("upgrade under load")
    old = site.directory / "released"
    commit = _take_out(old)
    report.check("the source of the last release is at hand", commit)
    if not commit:
        return [report]
    report.notes.append(f"the last release is {commit[:9]}; its migrations: {', '.join(sorted(RELEASED.values()))}")
    url, data, cast = _released(site, old)
    environment = site.environment(url, data, site.origin_port)
    instance = _served(site, old, url, data)
    half = len(cast.members) // 2
    with Load([instance.port], cast.members[:half]) as first:
        time.sleep(1.5)
        begun = time.monotonic()
        stepped_back = _migrated(environment, url, site.directory / "migrate.log")
        took = time.monotonic() - begun
        time.sleep(1)
        new = site.serve(url, data)
        ready = Client(new.port).call("GET", "/health/ready").ok
        with Load([new.port], cast.members[half:], first=_LATER) as second:
            time.sleep(2)
            first.stop()
            instance.stop()
            time.sleep(1.5)
    report.check(f"migrate stepped back {stepped_back} times for a report", stepped_back)
    report.check("the new version was ready before the old one stopped", ready)
    compare(report, _together(first.journal, second.journal), url)
    report.check("no call failed", not report.errors)
    pause = _longest_pause(first.journal, begun, took)
    report.check("writes went on while it migrated", pause < took)
    report.notes.append(f"the longest pause between two writes was {pause:.1f} s of the {took:.1f} s")
    _settle(report, environment, cast, new.port)
    return [report]


def _take_out(directory: Path) -> str:
    """The commit of the last release, with its files in `directory`; nothing where git does not know it."""
    since = [
        str(path.relative_to(ROOT))
        for app, last in RELEASED.items()
        for path in (ROOT / app / "migrations").glob("0*.py")
        if path.stem > last
    ]
    added = _git("log", "--diff-filter=A", "--topo-order", "--reverse", "--format=%P", "--", *since).decode().split()
    commit = next((parent for parent in added if _last_migrations(parent) == RELEASED), "")
    if commit:
        directory.mkdir(parents=True)
        unpack = ["tar", "-x", "-C", str(directory)]
        subprocess.run(unpack, input=_git("archive", commit), check=True)
    return commit


def _git(*arguments: str) -> bytes:
    """What git says; nothing if this is no clone of the project."""
    git = shutil.which("git")
    return subprocess.run([git, "-C", ROOT, *arguments], capture_output=True, check=False).stdout if git else b""


def _last_migrations(commit: str) -> dict[str, str]:
    found = {}
    for app in RELEASED:
        names = _git("ls-tree", "--name-only", commit, f"{app}/migrations/").decode().split()
        found[app] = max(Path(name).stem for name in names if Path(name).name.startswith("0"))
    return found


def _released(site: Site, old: Path) -> tuple[str, Path, Cast]:
    """A database that the old code has migrated and filled."""
    url, data, cast = site.postgres.create("released"), site.directory / "released-data", site.directory / "cast.json"
    data.mkdir()
    command = [sys.executable, "-m", "bench.prepare", "bench.drills.seed.fill", str(MEMBERS), str(cast)]
    subprocess.run(command, cwd=old, env=site.environment(url, data, site.origin_port), check=True)
    return url, data, load(cast)


def _served(site: Site, old: Path, url: str, data: Path) -> Instance:
    """The old code, started."""
    port = site.port()
    instance = Instance(port, site.environment(url, data, port), site.directory / "released.log", root=old)
    site.stack.callback(instance.stop)
    instance.start()
    return instance


def _migrated(environment: dict[str, str], url: str, log: Path) -> int:
    """Migrate beside a report that ends some time after it was met; gives how often `migrate` stepped back."""
    with psycopg.connect(url) as long:
        long.execute(_REPORT)
        command = [sys.executable, "manage.py", "migrate", "--no-input"]
        errors = log.open("w+")
        with (
            errors,
            subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=errors) as migrate,
        ):
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
    """Seconds between two writes that succeeded while `migrate` ran."""
    moments = [begun, *(at for at in sorted(journal.succeeded_at) if begun < at < begun + took), begun + took]
    return max(later - earlier for earlier, later in pairwise(moments))


def _settle(report: Report, environment: dict[str, str], cast: Cast, port: int) -> None:
    """What the changelog says to run once the old version has stopped; then credentials of before."""
    command = [sys.executable, "manage.py", "repaircounts", "--all"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, text=True)
    report.check("repaircounts --all ran", done.returncode == 0)
    subject = cast.members[0]
    form = {"grant_type": "refresh_token", "refresh_token": subject.tokens[0], "client_id": CLIENT_ID}
    pair = Client(port).call("POST", "/oauth/token", form=form)
    report.check("a refresh token of before gives a token", pair.ok)
    reads = Client(port).call("GET", "/v1/me", key=pair.body["access_token"]).ok
    report.check("that token and a key of before work", reads and Client(port, subject.key).call("GET", "/v1/me").ok)
    invalid = "SELECT count(*) FROM pg_constraint WHERE NOT convalidated"
    report.check("every constraint is validated", query(environment["DATABASE_URL"], invalid) == [(0,)])
