"""5,000 members with five school calendars each: one run of `readcalendars` reads those due in a quarter of an hour."""

import json
import os
import ssl
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread

from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.internet import authority, certificate
from tools.bench import machine
from tools.bench.drills.report import Report, count, execute
from tools.bench.servers import ROOT
from tools.bench.site import Site

MEMBERS = 5000
EACH = 5
"""Calendars of each member."""

EVENTS = 60
FIRST_DAY = date(2030, 1, 1)
"""Due date of the first event; each further one is due a day later."""

ETAG = '"0"'
"""The version that the database has, at schools that send versions."""

DUE = range(0, MEMBERS * EACH, 24)
"""Due calendars: a run starts every quarter of an hour, and each calendar is read every six hours."""

_SILENT, _FAULTY = ("silent0.school.example", "silent1.school.example"), "faulty.school.example"
_OTHERS = 47
_THINKS_SECONDS = 0.1
_SILENT_SECONDS = 5.0
"""How long a connection to a silent host counts as open. The client waits for ten seconds."""


def host_of(number: int) -> str:
    """Return the host of a calendar. Each silent host has 6 of the due calendars, the others have 19 to 22."""
    place = number // DUE.step
    if place % 200 < len(_SILENT):
        return _SILENT[place % 200]
    return _FAULTY if place % 50 == len(_SILENT) else f"host{place % _OTHERS}.school.example"


def answers(number: int) -> bool:
    """Return whether the host of a calendar answers properly."""
    return host_of(number) not in {*_SILENT, _FAULTY}


def changes(number: int) -> bool:
    """Return whether a due calendar changes with each version: one of five that are answered."""
    return number // DUE.step % 5 == 4 and answers(number)


def sends_etag(number: int) -> bool:
    """Return whether the host sends a version, and 304 to clients that have it. Otherwise only the contents tell."""
    return number // DUE.step % 2 == 0


def moved_to(version: int) -> date:
    """Return the new date of the event that is moved in a version."""
    return FIRST_DAY + timedelta(days=365 * version)


def body(version: int = 0) -> bytes:
    """Return a calendar, with the time of writing. Later versions differ in the date of the first event."""
    days = [moved_to(version), *(FIRST_DAY + timedelta(days=place) for place in range(1, EVENTS))]
    events = (deadline(f"Assignment-{place}", f"{day:%Y%m%d}", f"Assignment {place}") for place, day in enumerate(days))
    return calendar(CANVAS, *events).replace(b"20261101T080000Z", f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}".encode())


class Schools(ThreadingHTTPServer):
    """The server of all hosts, on `server_port` of loopback.

    Attributes:
        version: of the calendars that change.
        asked: requests by the number of the calendar.
        most: maximum number of concurrent connections, by host.
        most_together: the same for all hosts together.
    """

    daemon_threads = True

    def __init__(self, directory: Path) -> None:
        super().__init__(("127.0.0.1", 0), _School)
        self.version, self._lock = 1, Lock()
        self.forget()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate(directory, "*.school.example"))
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def forget(self) -> None:
        """Start counting again."""
        self.asked: Counter[int] = Counter()
        self.open: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.most_together = 0

    @contextmanager
    def counting(self, number: int) -> Iterator[None]:
        """Count a request, whose connection is open for the block."""
        host = host_of(number)
        with self._lock:
            self.asked[number] += 1
            self.open[host] += 1
            self.most[host] = max(self.most[host], self.open[host])
            self.most_together = max(self.most_together, self.open.total())
        yield
        with self._lock:
            self.open[host] -= 1


class _School(BaseHTTPRequestHandler):
    server: Schools

    def do_GET(self) -> None:  # the name that the library calls
        number = int(self.path.removeprefix("/").removesuffix(".ics"))
        host = host_of(number)
        with self.server.counting(number):  # closed before the client can know, so that only real overlaps count
            time.sleep(_SILENT_SECONDS if host in _SILENT else _THINKS_SECONDS)
        if host in _SILENT:
            with suppress(OSError):
                self.rfile.read()
            return
        version = self.server.version if changes(number) else 0
        is_unchanged = sends_etag(number) and self.headers["If-None-Match"] == f'"{version}"'
        status = 500 if host == _FAULTY else 304 if is_unchanged else 200
        contents = body(version) if status == 200 else b""
        self.send_response(status)
        if sends_etag(number) and status != 500:
            self.send_header("ETag", f'"{version}"')
        if not is_unchanged:
            self.send_header("Content-Length", str(len(contents)))
        self.end_headers()
        self.wfile.write(contents)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


_NEARBY = Path(__file__).parent / "schools_nearby"
_HOSTS_AT_ONCE = 8
_MOST_MIB = 200
_MOST_CHILD_MIB = 100
_ADD_ITEMS = f"""
    INSERT INTO courses_item (id, member_id, course_id, title, kind, due_on, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Assignment ' || place, 'assignment', date '{FIRST_DAY}' + place, now(),
        now()
    FROM courses_course, generate_series(0, {EVENTS - 1}) AS place WHERE meets IS NOT NULL
"""  # noqa: S608  # our own text
_ADD_EVENTS = """
    INSERT INTO planning_importedevent (id, member_id, course_id, item_id, uid, instance, prodid, title,
        due_on, calendar_id)
    SELECT gen_random_uuid(), item.member_id, item.course_id, item.id, replace(item.title, ' ', '-'), '',
        'icalendar-ruby', item.title, item.due_on, calendar.id
    FROM courses_item AS item
    JOIN planning_schoolcalendar AS calendar USING (member_id, course_id)
"""
_DUE_AGAIN = """
    UPDATE planning_duecalendar SET next_read_at = now() - interval '1 minute' WHERE id IN
    (SELECT id FROM planning_schoolcalendar WHERE last_read_at > created_at AND error_type = '')
"""


def school_calendars(site: Site) -> Iterator[Report]:
    """Read what is due with one command, then what is due again with two at once."""
    report, data = Report("school calendars"), site.directory / "school_calendars"
    url = site.postgres.create("school_calendars")
    site.fill(url, data, MEMBERS, "drills.schools_seed.fill")
    execute(url, _ADD_ITEMS, _ADD_EVENTS, "VACUUM ANALYZE")
    report.notes.append(f"{count(url, 'planning_schoolcalendar')} calendars, {len(DUE)} due")
    with Schools(data) as schools:
        Thread(target=schools.serve_forever, daemon=True).start()
        here = {"PYTHONPATH": str(_NEARBY), "DRILL_SCHOOLS": str(schools.server_port)}
        env = site.environment(url, data, SSL_CERT_FILE=str(authority(data)), **here)
        _read(report, env, schools, runs=1, due=list(DUE))
        schools.forget()
        schools.version = 2
        execute(url, _DUE_AGAIN)
        _read(report, env, schools, runs=2, due=list(filter(answers, DUE)))
        schools.shutdown()
    yield report


def _read(report: Report, env: Mapping[str, str], schools: Schools, *, runs: int, due: list[int]) -> None:
    """Start the command `runs` times at once, and check what was read."""
    what, url = "one run" if runs == 1 else f"{runs} runs at once", env["DATABASE_URL"]
    started = time.monotonic()
    commands = [_Command(env, Path(env["DATA_DIR"]) / f"{runs}-{number}.log") for number in range(runs)]
    while running := [command for command in commands if command.is_running()]:
        time.sleep(0.05 / len(running))
    seconds = time.monotonic() - started
    told: Counter[str] = sum((command.told() for command in commands), Counter())
    changed = sum(map(changes, due))
    expected = {"read": len(due), "taken": changed, "failed": len(due) - sum(map(answers, due))}
    expected["unchanged"] = len(due) - changed - expected["failed"]
    report.check(f"{what}: {dict(told)}", told == Counter(expected))
    once = schools.asked == Counter(due)
    report.check(f"{what}: each due calendar was requested once, and no other ({schools.asked.total()})", once)
    report.check(
        f"{what}: one connection at a time to each of {len(schools.most)} hosts", set(schools.most.values()) == {1}
    )
    together = schools.most_together
    report.check(f"{what}: at most {together} connections to all hosts", together <= runs * _HOSTS_AT_ONCE)
    moved = count(url, "courses_item", f"due_on = '{moved_to(schools.version)}'")
    report.check(f"{what}: {moved} items were moved, of {changed} changed calendars", moved == changed)
    left = count(url, "planning_duecalendar", "next_read_at <= now() OR claimed_until IS NOT NULL")
    report.check(f"{what}: {left} calendars left due or claimed", left == 0)
    resident, of_children = max(one.peak for one in commands), max(one.child_peak for one in commands)
    report.check(f"{what}: a command has at most {resident:.0f} MiB", resident < _MOST_MIB)
    one_child = max(one.most_children for one in commands) == 1
    report.check(
        f"{what}: it has one child at a time, of at most {of_children:.0f} MiB",
        one_child and of_children < _MOST_CHILD_MIB,
    )
    cpu, load = sum(one.cpu for one in commands), os.getloadavg()[0]
    report.notes.append(f"{what}: {seconds:.0f} s, {cpu:.0f} s of CPU time with the children, at a load of {load:.0f}")


class _Command:
    """`manage.py readcalendars`, measured from outside.

    Attributes:
        peak: its maximum resident memory, in MiB.
        child_peak: that of its children, which read files.
        most_children: maximum number of children at a time.
        cpu: CPU seconds with its children; known when it has ended.
    """

    def __init__(self, env: Mapping[str, str], output: Path) -> None:
        self.peak = self.child_peak = self.cpu = 0.0
        self.most_children = 0
        command = [sys.executable, "manage.py", "readcalendars", "--json"]
        self._output = output
        with output.open("wb") as file:
            self._process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=file, stderr=file)

    def is_running(self) -> bool:
        """Return whether it runs, and measure it."""
        if self._process.returncode is not None:
            return False
        self._measure()
        pid, status, used = os.wait4(self._process.pid, os.WNOHANG)
        if pid:
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu = used.ru_utime + used.ru_stime
        return not pid

    def _measure(self) -> None:
        pid = self._process.pid
        with suppress(OSError, ValueError):  # it, a thread or a child has just ended
            self.peak = machine.peak_mib(pid)
            lists = [
                path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")
            ]  # of each thread
            children = [int(child) for one in lists for child in one]
            # Until a child has loaded its program, it has the memory of the command.
            reading = [child for child in children if b"child.py" in Path(f"/proc/{child}/cmdline").read_bytes()]
            self.most_children = max(self.most_children, len(reading))
            self.child_peak = max([self.child_peak, *map(machine.peak_mib, reading)])

    def told(self) -> Counter[str]:
        """Return what it printed, or raise `RuntimeError`."""
        output = self._output.read_text()
        if self._process.returncode:
            raise RuntimeError(output[-2000:])
        return Counter(json.loads(output.splitlines()[-1]))
