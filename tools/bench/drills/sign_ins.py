"""Twenty simultaneous password sign-ins: their memory, and the effect on other calls."""

from collections.abc import Iterator
from functools import partial

from tools.bench import machine
from tools.bench.drills.bursts import at_once
from tools.bench.drills.client import Browser
from tools.bench.drills.report import Report
from tools.bench.drills.watch import Watch, health
from tools.bench.servers import THREADS
from tools.bench.site import Site

_SIGN_INS = 20
_ROUNDS = 5
_MOST_MIB = 20 + 2 * THREADS
"""A hash takes 19 MiB, and hashes are computed one at a time. SQLite caches up to 2 MiB for each thread."""

_ANSWERS = {200, 503}
"""The form again, since no account has that address, or the page that asks to try again later."""


def drill(site: Site) -> Iterator[Report]:
    """Use unknown addresses, which cost the same hash as known ones."""
    report = Report("sign-ins at once")
    url, data, _ = site.fresh("sqlite")
    instance = site.serve(url, data)
    browsers = [Browser(f"192.0.2.{number}") for number in range(1, _SIGN_INS + 1)]
    for browser in browsers:
        browser.send(instance.port, "/sign-in")
    browsers[0].send(instance.port, "/sign-in", _form("first"))  # loads the modules of a sign-in
    before = machine.resident_mib(instance.worker)
    machine.reset_peak(instance.worker)
    told: list[object] = []
    with Watch(instance.port, health, pause=0.005) as watch:
        for number in range(_ROUNDS):
            calls = [
                partial(one.send, instance.port, "/sign-in", _form(f"nobody-{number}-{place}"))
                for place, one in enumerate(browsers)
            ]
            told += [result[0] if isinstance(result, tuple) else result for result in at_once(calls)]
    served, sent_away = told.count(200), told.count(503)
    report.check(
        f"of {_SIGN_INS} at once, {_ROUNDS} times over, {served} are checked, {sent_away} asked to come again",
        set(told) <= _ANSWERS and served >= _ROUNDS,
    )
    grown = machine.peak_mib(instance.worker) - before
    report.check(f"memory grows by {grown:.0f} MiB at most", grown < _MOST_MIB)
    report.check(f"/health meanwhile: {watch.told()}", watch.only("200"))
    yield report


def _form(name: str) -> dict[str, str]:
    """Return a form with a distinct address, because repeated wrong passwords of one address are slowed down."""
    return {"email": f"{name}@example.org", "password": "correct horse battery"}
