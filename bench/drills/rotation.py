"""The secret key, the prefix of credentials and the database's password changed under load, on two instances.

As docs/operating.md says under Changing secrets: each step replaces one instance after the other, and until then its
predecessor answers. What one instance hands out, a cursor or a key, is used at the other.
"""

import secrets
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Self

import orjson
import psycopg

from bench.cast import Subject
from bench.drills.bursts import LIMIT
from bench.drills.client import Client, ClosedError, ImproperAnswerError
from bench.drills.report import Report
from bench.drills.site import Instance, Redis, Site
from bench.drills.stored import query
from bench.gunicorn import ROOT

_THREADS = 4
_DRAIN_SECONDS = 1.0
"""How long an instance that gets no new calls still runs, as a proxy grants it."""


class _Callers:
    """`with _Callers(ports, subjects) as callers:` walks pages and makes items; `ports` may be changed meanwhile."""

    def __init__(self, ports: list[int], subjects: Sequence[Subject]) -> None:
        self.ports = ports
        self.done = 0
        self.failed: Counter[str] = Counter()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._call, args=(subjects[number::_THREADS],), daemon=True)
            for number in range(_THREADS)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(60)

    def _call(self, subjects: Sequence[Subject]) -> None:
        for subject in cycle(subjects):
            if self._stopped.wait(0.02):
                return
            path = f"/v1/courses/{subject.courses[0]}/items"
            for number in range(2):
                self._sent(0, "POST", path, subject, {"title": f"quiz {number}"})
            cursor = self._sent(0, "GET", "/v1/items?limit=1", subject).get("next_cursor")
            if cursor:
                self._sent(1, "GET", f"/v1/items?limit=1&cursor={cursor}", subject)

    def _sent(self, place: int, method: str, path: str, subject: Subject, body: object = None) -> dict[str, str]:
        fault = ""
        answered: dict[str, str] = {}
        try:
            with Client(self.ports[place], subject.key) as client:
                answer = client.call(method, path, body)
        except (ClosedError, ImproperAnswerError) as error:
            fault = type(error).__name__
        else:
            fault, answered = ("", answer.body) if answer.ok else (answer.fault, {})
        with self._lock:
            self.done += not fault
            if fault:
                self.failed[fault] += 1
        return answered


class _Fleet:
    """Two instances behind what would be a proxy."""

    def __init__(self, site: Site, url: str, data: Path, redis: Redis, **settings: str) -> None:
        self._site, self._data, self._redis = site, data, redis
        self.url = url
        self.settings = settings
        self._instances: list[Instance] = [self._started(), self._started()]
        self.ports = [instance.port for instance in self._instances]

    def _started(self) -> Instance:
        return self._site.serve(self.url, self._data, processes=1, redis=self._redis, ahead=0, **self.settings)

    def roll(self, **changes: str) -> None:
        """Replace one instance after the other by one with these settings."""
        self.settings |= changes
        for place, old in enumerate(self._instances):
            self._instances[place] = self._started()
            self.ports[place] = self._instances[place].port
            time.sleep(_DRAIN_SECONDS)
            old.stop()

    def new_key(self) -> str:
        """A key made by a command with the settings of now."""
        environment = self._site.environment(self.url, self._data, self._site.origin_port) | self.settings
        command = [sys.executable, "manage.py", "createapikey", "member0@example.org", "rotated", "--json"]
        made = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
        return str(orjson.loads(made.stdout)["api_key"])


def drill(site: Site) -> list[Report]:
    """One after the other, under the same load."""
    site = site.apart("rotation")
    url, data, cast = site.fresh("postgresql")
    first, second = _roles(site, url)
    old, new = secrets.token_urlsafe(64), secrets.token_urlsafe(64)
    fleet = _Fleet(site, first, data, site.redis(), SECRET_KEY=old)
    subject, *members = cast.members
    steps: list[tuple[str, Callable[[Report], None]]] = [
        ("SECRET_KEY", partial(_secret_key, fleet=fleet, subject=subject, old=old, new=new)),
        ("CREDENTIAL_PREFIX", partial(_prefix, fleet=fleet, subject=subject)),
        ("the database's password", partial(_password, fleet=fleet, url=url, second=second)),
    ]
    reports = []
    with _Callers(fleet.ports, members) as callers:
        for what, rotate in steps:
            report = Report(f"{what} changed")
            before, failed = callers.done, callers.failed.total()
            rotate(report)
            report.check(
                f"{callers.done - before} calls meanwhile, none failed",
                callers.done - before > LIMIT and callers.failed.total() == failed,
            )
            reports.append(report)
    reports[-1].errors = callers.failed
    return reports


def _secret_key(report: Report, fleet: _Fleet, subject: Subject, old: str, new: str) -> None:
    """Every instance accepts the new one before one signs with it."""
    with Client(fleet.ports[0], subject.key) as client:
        for number in range(2):
            client.call("POST", f"/v1/courses/{subject.courses[0]}/items", {"title": f"before {number}"})
        cursor = client.call("GET", "/v1/items?limit=1").body["next_cursor"]
    fleet.roll(SECRET_KEY_FALLBACKS=new)
    fleet.roll(SECRET_KEY=new, SECRET_KEY_FALLBACKS=old)
    page = f"/v1/items?limit=1&cursor={cursor}"
    with Client(fleet.ports[0], subject.key) as client:
        report.check("a cursor of before goes on", client.call("GET", page).ok)
    fleet.roll(SECRET_KEY_FALLBACKS="")
    with Client(fleet.ports[0], subject.key) as client:
        report.check("once the old key is gone, it is refused", client.call("GET", page).status == 400)


def _prefix(report: Report, fleet: _Fleet, subject: Subject) -> None:
    """The same with prefixes."""
    fleet.roll(CREDENTIAL_PREFIX_FALLBACKS="study")
    fleet.roll(CREDENTIAL_PREFIX="study", CREDENTIAL_PREFIX_FALLBACKS="svc")
    made = fleet.new_key()
    report.check("a new key has the new prefix", made.startswith("study_sk_"))
    for what, key in (("a new key", made), ("a key of before", subject.key)):
        with Client(fleet.ports[1], key) as client:
            report.check(f"{what} works", client.call("GET", "/v1/me").ok)


def _roles(site: Site, url: str) -> tuple[str, str]:
    """Two roles that sign in with passwords, with the rights of a third; gives the URL of the database for each."""
    rules = Path(site.postgres.data) / "pg_hba.conf"
    rules.write_text(f"local all study_a,study_b scram-sha-256\n{rules.read_text()}")
    passwords = {name: secrets.token_hex(16) for name in ("study_a", "study_b")}
    grant = "GRANT pg_read_all_data, pg_write_all_data TO study"
    login = [f"CREATE ROLE {name} LOGIN PASSWORD '{password}' IN ROLE study" for name, password in passwords.items()]
    query(url, "SELECT 1", before=("CREATE ROLE study NOLOGIN", grant, *login, "SELECT pg_reload_conf()"))
    place, _, options = url.partition("?")
    database = place.rpartition("/")[2]
    first, second = (f"postgres://{name}:{password}@/{database}?{options}" for name, password in passwords.items())
    return first, second


def _password(report: Report, fleet: _Fleet, url: str, second: str) -> None:
    """By a second role with a password of its own; then the first goes."""
    first = fleet.url
    try:
        psycopg.connect(first.replace("study_a:", "study_a:not-")).close()
    except psycopg.OperationalError:
        report.check("PostgreSQL asks for the password", right=True)
    else:
        report.check("PostgreSQL asks for the password", right=False)
    fleet.url = second
    fleet.roll()
    left = query(url, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'study_a'")
    report.check("nobody uses the old password any more", left == [(0,)])
    query(url, "SELECT 1", before=("DROP ROLE study_a",))
