"""What operators do under load: restore a backup, and change the keys and passwords."""

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http import HTTPStatus
from itertools import cycle
from pathlib import Path

import psycopg

from tests.support.redis_server import Redis
from tools.bench.cast import CLIENT_ID, SYLLABUS, Cast, Subject
from tools.bench.drills.client import Client, HttpAnswer
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report, count, execute, query, writes
from tools.bench.drills.watch import LIMIT, Watch, me, together
from tools.bench.servers import ROOT, Server, manage
from tools.bench.site import Site

_DISCONNECTED, _ERASED, _REVOKED = 1, 2, 3
"""Members of the cast. The first one uses the restored service."""

_BACK = {"app_disconnected": 1, "key_revoked": 1, "member_erased": 1}
_PAGE = ROOT / "docs" / "operating.md"


def restored(site: Site) -> Iterator[Report]:
    """Run on both databases."""
    back_up, restore, back_up_sqlite, restore_sqlite = _commands()
    yield _restore(site, "postgresql", back_up, restore)
    yield _restore(site, "sqlite", back_up_sqlite, restore_sqlite)


def _commands() -> list[str]:
    """Return the first four indented blocks of the section."""
    section = _PAGE.read_text().partition("\n## Backups\n")[2].partition("\n## ")[0]
    blocks = [block for block in section.split("\n\n") if block.startswith("    ")]
    return ["\n".join(line.strip() for line in block.strip().splitlines()) for block in blocks[:4]]


def _restore(site: Site, kind: str, back_up: str, restore: str) -> Report:
    report = Report(f"restored backup, {kind}")
    url, data, cast = site.fresh(kind)
    backup = site.directory / f"backup-{kind}"
    instance = site.serve(url, data)
    with Load(instance.port, cast.members) as load:
        time.sleep(1.5)
        before = load.acknowledged()
        _run(site, back_up, url, data, backup)
        after = load.acknowledged()
        time.sleep(0.5)
    gone = _end_some(site, instance.port, url, data, cast)
    instance.stop()
    report.errors, report.improper = load.journal.errors, load.journal.improper

    new_data = site.directory / f"restored-{kind}"
    new_data.mkdir()
    sqlite = f"sqlite:///{new_data / 'studyservice.sqlite3'}"
    new_url = site.postgres.create("restored") if kind == "postgresql" else sqlite
    started = time.monotonic()
    _run(site, restore, new_url, new_data, backup)
    found, report.half_written = writes(new_url)
    report.acknowledged, report.stored = len(before), len(found)
    report.lost = len(before - found.keys())
    report.duplicated = sum(times - 1 for times in found.values())
    more = len(after) - len(before)
    report.check(f"{more} more writes were acknowledged during the backup", more > 0)
    files = [new_data / "files" / name for (name,) in query(new_url, "SELECT file FROM courses_syllabusfile")]
    report.check(f"{len(files)} files", files and all(file.read_bytes() == SYLLABUS for file in files))
    _redo_gone(report, site, [gone, backup / "gone.jsonl"], new_url, new_data)
    restored = site.serve(new_url, new_data)
    report.recovered = time.monotonic() - started
    _use(report, restored.port, cast)
    _stay_gone(report, restored.port, cast)
    return report


def _end_some(site: Site, port: int, url: str, data: Path, cast: Cast) -> Path:
    """Disconnect an app, revoke a key and erase a member after the backup. Return the file that names them."""
    form = {"token": cast.members[_DISCONNECTED].tokens[0], "client_id": CLIENT_ID}
    Client(port).call("POST", "/oauth/revoke", form=form)
    env = site.environment(url, data)
    manage(env, "revokekey", cast.members[_REVOKED].key)
    manage(env, "erasemember", f"member{_ERASED}@example.org", "--yes")
    return data / "gone.jsonl"


def _redo_gone(report: Report, site: Site, files: Sequence[Path], url: str, data: Path) -> None:
    """Repeat them in the restored database, twice."""
    env = site.environment(url, data)
    first, second = (json.loads(manage(env, "redo-gone", *map(str, files), "--json"))["ended"] for _ in range(2))
    report.check("the erased member, the revoked key and the disconnected app were back", first == _BACK)
    report.check("redo-gone a second time changes nothing", second == {})


def _stay_gone(report: Report, port: int, cast: Cast) -> None:
    for what, member in (("the key of the erased member", _ERASED), ("the revoked key", _REVOKED)):
        with Client(port, cast.members[member].key) as client:
            report.check(f"{what} is refused", me(client).status == HTTPStatus.UNAUTHORIZED)
    refreshed = Client(port).refresh(cast.members[_DISCONNECTED].tokens[0])
    report.check("the refresh token of the disconnected app is refused", refreshed.status == HTTPStatus.BAD_REQUEST)


def _run(site: Site, commands: str, url: str, data: Path, backup: Path) -> None:
    programs = [str(Path(sys.executable).parent)]
    if url.startswith("postgres"):
        programs.insert(0, str(site.postgres.programs))
    path = os.pathsep.join([*programs, os.environ["PATH"]])
    given = {"PATH": path, "DATABASE_URL": url, "DATA_DIR": str(data), "BACKUP": str(backup)}
    subprocess.run(["/bin/sh", "-euc", commands], env=given, check=True)


def _use(report: Report, port: int, cast: Cast) -> None:
    """Check that existing keys and tokens still work."""
    subject = cast.members[0]
    with Client(port, subject.key) as client:
        created = client.call("POST", f"/v1/courses/{subject.courses[0]}/items", {"title": "after the restore"})
        found = created.ok and client.get(f"/v1/items/{created.body['id']}").ok
        report.check("an API key can read and write", found)
    token = Client(port).refresh(subject.tokens[0]).body["access_token"]
    report.check("a refresh token returns a valid token", me(Client(port, token)).ok)


_THREADS = 4
_DRAIN_SECONDS = 1.0
"""Time for which a proxy keeps an instance running without new calls."""


class _Fleet:
    """Two instances behind one address."""

    def __init__(self, site: Site, url: str, data: Path, redis: Redis, **settings: str) -> None:
        self.url, self.settings = url, settings
        self._site, self._data, self._redis = site, data, redis
        self._instances = [self._start(), self._start()]

    def _start(self) -> Server:
        return self._site.serve(self.url, self._data, processes=1, redis=self._redis, ahead=0, **self.settings)

    def client(self, place: int, key: str) -> Client:
        """Return a client of one of the instances."""
        return Client(self._instances[place].port, key)

    def roll(self, **changes: str) -> None:
        """Replace the instances, one after the other, by ones with these settings."""
        self.settings |= changes
        for place, old in enumerate(self._instances):
            self._instances[place] = self._start()
            time.sleep(_DRAIN_SECONDS)
            old.stop()

    def new_key(self) -> str:
        """Create a key by a command with the current settings."""
        env = self._site.environment(self.url, self._data, **self.settings)
        made = json.loads(manage(env, "createapikey", "member0@example.org", "rotated", "--json"))
        return str(made["api_key"])


def rotated(site: Site) -> Iterator[Report]:
    """Run the changes one after another, under the same load."""
    site = site.apart("rotation")
    url, data, cast = site.fresh("postgresql")
    first, second = _roles(site, url)
    old, new = secrets.token_urlsafe(64), secrets.token_urlsafe(64)
    fleet = _Fleet(site, first, data, site.redis(), SECRET_KEY=old)
    subject, *members = cast.members
    steps: dict[str, Callable[[Report], None]] = {
        "SECRET_KEY": partial(_secret_key, fleet=fleet, subject=subject, old=old, new=new),
        "CREDENTIAL_PREFIX": partial(_prefix, fleet=fleet, subject=subject),
        "the database's password": partial(_password, fleet=fleet, url=url, second=second),
    }
    reports, calls = [], [0]
    walks = [Watch(0, _walking(fleet, members[number::_THREADS], calls), pause=0.02) for number in range(_THREADS)]
    with together(walks):
        for what, rotate in steps.items():
            report, before = Report(f"{what} changed"), calls[0]
            rotate(report)
            done, failed = calls[0] - before, [walk.told() for walk in walks if not walk.only("200", "201")]
            report.check(f"{done} calls meanwhile, none failed", done > LIMIT and not failed)
            report.notes += failed
            reports.append(report)
    yield from reports


def _walking(fleet: _Fleet, subjects: Sequence[Subject], calls: list[int]) -> Callable[[Client], HttpAnswer]:
    """Return a function that creates two items at one instance, lists them there, and gets the next page from the
    other.
    """
    people = cycle(subjects)

    def walk(_: Client) -> HttpAnswer:
        subject = next(people)
        with fleet.client(0, subject.key) as client:
            for number in range(2):
                answer = client.call("POST", _items(subject), {"title": f"quiz {number}"})
                if not answer.ok:
                    return answer
            page = client.get("/v1/items?limit=1")
        if not page.ok:
            return page
        with fleet.client(1, subject.key) as client:
            answer = client.get(f"/v1/items?limit=1&cursor={page.body['next_cursor']}")
        calls[0] += 4 * answer.ok
        return answer

    return walk


def _items(subject: Subject) -> str:
    return f"/v1/courses/{subject.courses[0]}/items"


def _secret_key(report: Report, fleet: _Fleet, subject: Subject, old: str, new: str) -> None:
    """All instances accept the new key before any signs with it."""
    with fleet.client(0, subject.key) as client:
        for number in range(2):
            client.call("POST", _items(subject), {"title": f"before {number}"})
        page = f"/v1/items?limit=1&cursor={client.get('/v1/items?limit=1').body['next_cursor']}"
    fleet.roll(SECRET_KEY_FALLBACKS=new)
    fleet.roll(SECRET_KEY=new, SECRET_KEY_FALLBACKS=old)
    with fleet.client(0, subject.key) as client:
        report.check("an earlier cursor still works", client.get(page).ok)
    fleet.roll(SECRET_KEY_FALLBACKS="")
    with fleet.client(0, subject.key) as client:
        report.check("without the old key it is refused", client.get(page).status == 400)


def _prefix(report: Report, fleet: _Fleet, subject: Subject) -> None:
    """All instances accept the new prefix before any uses it."""
    fleet.roll(CREDENTIAL_PREFIX_FALLBACKS="study")
    fleet.roll(CREDENTIAL_PREFIX="study", CREDENTIAL_PREFIX_FALLBACKS="svc")
    made = fleet.new_key()
    report.check("a new key has the new prefix", made.startswith("study_sk_"))
    for what, key in (("a new key", made), ("a key of before", subject.key)):
        with fleet.client(1, key) as client:
            report.check(f"{what} works", me(client).ok)


def _roles(site: Site, url: str) -> tuple[str, str]:
    """Create two roles with passwords and the rights of a third. Return the database URL for each."""
    rules = site.postgres.data / "pg_hba.conf"
    rules.write_text(f"local all study_a,study_b scram-sha-256\n{rules.read_text()}")
    passwords = {name: secrets.token_hex(16) for name in ("study_a", "study_b")}
    grant = "GRANT pg_read_all_data, pg_write_all_data TO study"
    login = [f"CREATE ROLE {name} LOGIN PASSWORD '{password}' IN ROLE study" for name, password in passwords.items()]
    execute(url, "CREATE ROLE study NOLOGIN", grant, *login, "SELECT pg_reload_conf()")
    place, _, options = url.partition("?")
    database = place.rpartition("/")[2]
    first, second = (f"postgres://{name}:{password}@/{database}?{options}" for name, password in passwords.items())
    return first, second


def _password(report: Report, fleet: _Fleet, url: str, second: str) -> None:
    """Switch to a second role with another password, then drop the first."""
    try:
        psycopg.connect(fleet.url.replace("study_a:", "study_a:not-")).close()
        asked = False
    except psycopg.OperationalError:
        asked = True
    report.check("PostgreSQL asks for the password", asked)
    fleet.url = second
    fleet.roll()
    left = count(url, "pg_stat_activity", "usename = 'study_a'")
    report.check("no connection uses the old password", left == 0)
    execute(url, "DROP ROLE study_a")
