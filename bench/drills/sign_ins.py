"""Twenty sign-ins with a password at the same moment: what they cost in memory, and who else waits."""

import threading
from functools import partial
from typing import Self

from bench import machine
from bench.drills.bursts import at_once
from bench.drills.once import Browser
from bench.drills.report import Report
from bench.drills.site import Instance, Site
from bench.drills.stuck import Watch, ask_health

_SIGN_INS = 20
_ROUNDS = 5
_MOST_MIB = 40
"""A hash takes 19 MiB, and one is made at a time; the rest is for twenty sessions and pages."""
_ANSWERS = {200, 503}
"""The page again, since nobody has that address; and the page that asks to come back."""


def drill(site: Site) -> list[Report]:
    """An unknown address costs the same hash as a known one."""
    report = Report("sign-ins at once")
    url, data, _ = site.fresh("sqlite")
    instance = site.serve(url, data, TRUSTED_PROXIES="1")
    pid = instance.workers()[0]
    browsers = [Browser(f"192.0.2.{number}") for number in range(1, _SIGN_INS + 1)]
    for browser in browsers:
        browser.send(instance.port, "/sign-in")
    browsers[0].send(instance.port, "/sign-in", _form("first"))  # loads what the first one loads
    before = machine.resident_mib(pid)
    with _Memory(pid) as memory, Watch(instance.port, ask_health, pause=0.005) as health:
        told = [result for number in range(_ROUNDS) for result in _round(instance, browsers, number)]
    served, sent_away = told.count(200), told.count(503)
    report.check(
        f"of {_SIGN_INS} at once, {_ROUNDS} times over, {served} are checked, {sent_away} asked to come again",
        set(told) <= _ANSWERS and served >= _ROUNDS,
    )
    grown = memory.most_mib - before
    report.check(f"memory grows by {grown:.0f} MiB at most", grown < _MOST_MIB)
    report.check(f"/health meanwhile: {health.told()}", set(health.answers) == {"200"})
    instance.stop()
    return [report]


def _form(name: str) -> dict[str, str]:
    """Each for an address of its own: wrong passwords of one address would be slowed down."""
    return {"email": f"{name}@example.org", "password": "correct horse battery"}


def _round(instance: Instance, browsers: list[Browser], number: int) -> list[object]:
    forms = [_form(f"nobody-{number}-{place}") for place in range(len(browsers))]
    results = at_once(
        [partial(browser.send, instance.port, "/sign-in", form) for browser, form in zip(browsers, forms, strict=True)]
    )
    return [result[0] if isinstance(result, tuple) else result for result in results]


class _Memory:
    """The most memory that a process took while the block ran."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.most_mib = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(60)

    def _look(self) -> None:
        while not self._over.wait(0.002):
            self.most_mib = max(self.most_mib, machine.resident_mib(self._pid))
