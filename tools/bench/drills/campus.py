"""2,000 students of one campus join by an invitation and sign in with a code, while others use the service."""

import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tools.bench.drills.client import Browser
from tools.bench.drills.report import Report
from tools.bench.drills.watch import Watch, kinds, me, times
from tools.bench.servers import manage, wait_until
from tools.bench.site import Site

_STUDENTS = 2000
_MOST_SECONDS = 600
_CAMPUS = "198.51.100.7"
_NETWORKS = "198.51.100.0/24=300"
_A_SECOND = 10
"""Students who begin each second: three times as many as in ten minutes."""

_AT_ONCE = 16
_LOOK_SECONDS = 0.2
"""Between two looks at all e-mails."""

_END = b"-" * 79 + b"\n"
"""After each e-mail in a file."""

_TO = re.compile("^To: (.*)$", re.MULTILINE)
_PAUSE = 0.6
"""Between calls of a credential, which has 120 a minute."""


class _Mail:
    """The e-mails that the service writes into files of a directory. A file may hold several, and grow."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._read: Counter[str] = Counter()
        self._newest: dict[str, str] = {}
        self._lock = threading.Lock()
        self._look_at = 0.0

    def newest(self, email: str) -> str:
        """Wait for an e-mail to this address. Return it, and forget it."""
        wait_until(f"an e-mail to {email}", partial(self._has_come, email), 60)
        return self._newest.pop(email)

    def _has_come(self, email: str) -> bool:
        with self._lock:
            if email not in self._newest and time.monotonic() >= self._look_at:
                for file in os.scandir(self._directory):
                    if file.stat().st_size > self._read[file.name]:
                        self._read_on(Path(file))
                self._look_at = time.monotonic() + _LOOK_SECONDS
            return email in self._newest

    def _read_on(self, file: Path) -> None:
        """Read the complete e-mails that were added to a file."""
        *messages, _ = file.read_bytes()[self._read[file.name] :].split(_END)
        self._read[file.name] += sum(len(one) + len(_END) for one in messages)
        self._newest |= {to: text for text in map(bytes.decode, messages) for to in _TO.findall(text)}


def drill(site: Site) -> Iterator[Report]:
    """Run on PostgreSQL with one process."""
    report = Report("2,000 students of one campus")
    url, data, cast = site.fresh("postgresql")
    env = site.environment(url, data, SIGN_UP="invited")
    instance = site.serve(url, data, SIGN_UP="invited", RATE_NETWORKS=_NETWORKS)
    students = [f"student{number}@example.org" for number in range(_STUDENTS)]
    file, mail = site.directory / "students.csv", _Mail(data / "mail")
    file.write_text("email,until\n" + "".join(f"{email},2099-09-30\n" for email in students))
    for what, arguments in (("invite --file", ("invite", "--file", str(file))), ("delivermail", ("delivermail",))):
        started = time.monotonic()
        told = manage(env, *arguments).strip()
        report.notes.append(f"{what}: {time.monotonic() - started:.0f} s ({told})")
    alone = Watch(instance.port, me, cast.members[0].key, pause=_PAUSE, times=30).run()
    report.notes.append(f"get_me of another member alone: {times([alone])}")
    for what, act in (("join", _join), ("sign in with a code", _sign_in)):
        with Watch(instance.port, me, cast.members[0].key, pause=_PAUSE) as watch:
            _all(report, what, partial(act, instance.port, mail), students)
        report.check(f"another member meanwhile: {kinds(watch.answers)}", watch.only("200"))
        report.notes.append(f"get_me of another member while they {what}: {times([watch])}")
    yield report


def _all(report: Report, what: str, act: Callable[[str], tuple[int, str]], students: list[str]) -> None:
    started = time.monotonic()

    def begin(number: int) -> str:
        time.sleep(max(0.0, started + number / _A_SECOND - time.monotonic()))
        status, location = act(students[number])
        return f"{status} {location}".strip()

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = Counter(pool.map(begin, range(len(students))))
    seconds = time.monotonic() - started
    report.check(f"{_STUDENTS} {what} from one address, none is refused: {kinds(answers)}", set(answers) == {"302 /"})
    report.check(f"they {what} in {seconds:.0f} s", seconds < _MOST_SECONDS)


def _join(port: int, mail: _Mail, email: str) -> tuple[int, str]:
    """Open the link of the invitation, and join."""
    secret = re.findall(r"/join\?invitation=(\S+)", mail.newest(email))[0]
    with Browser(_CAMPUS) as browser:
        browser.send(port, f"/join?invitation={secret}")
        browser.send(port, "/join")
        return browser.send(port, "/join", {})


def _sign_in(port: int, mail: _Mail, email: str) -> tuple[int, str]:
    """Ask for a code in a new browser, and enter it."""
    with Browser(_CAMPUS) as browser:
        browser.send(port, "/sign-in")
        asked = browser.send(port, "/sign-in", {"email": email})
        if asked[0] != 302:
            return asked
        [code] = re.findall(r"^Subject: (\d{6}) ", mail.newest(email), re.MULTILINE)
        return browser.send(port, "/sign-in/code", {"code": code})
