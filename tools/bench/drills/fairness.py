"""Members who ask for much at once, while others read: the largest decks, and sign-ins."""

from collections.abc import Iterator, Sequence
from functools import partial

from tools.bench import machine
from tools.bench.cast import Subject
from tools.bench.drills.client import Browser, Client, HttpAnswer
from tools.bench.drills.report import Report
from tools.bench.drills.watch import Watch, at_once, health, items, me, times, together
from tools.bench.measure import percentile
from tools.bench.servers import THREADS, Server, wait_until
from tools.bench.site import Site

_KEYS = 10
_CARDS = [{"term": "t" * 200, "definition": "d" * 1850}] * 500
"""Cards that make the body just under 1 MiB, the maximum."""

_VICTIMS = 3
_CALLS = 100
"""Number of calls of each victim. A credential has 120 a minute."""

_MOST_OVERTAKEN = 2
"""Number of decks of the greedy member that may be created during one call of another. Ten are always requested."""

_MOST_MIB = 250
_PARALLEL = 8


def greedy(site: Site) -> Iterator[Report]:
    """Run on each kind of database."""
    for kind in ("sqlite", "postgresql"):
        report = Report(f"fairness, {kind}")
        url, data, cast = site.fresh(kind)
        instance = site.serve(url, data)
        decks: list[str] = []

        def create(client: Client, decks: list[str] = decks) -> HttpAnswer:
            made = client.call("POST", "/v1/vocab-decks", {"name": "Greedy", "cards": _CARDS})
            if made.ok:
                decks.append(made.body["id"])
                client.call("DELETE", f"/v1/vocab-decks/{decks[-1]}")
            return made

        posting = [Watch(instance.port, create, one.key, pause=0) for one in cast.heavy[:_KEYS]]
        alone = _calls(instance, cast.members[:_VICTIMS], decks)
        report.notes.append(f"get_me alone: {times(alone)}")
        with together(posting):
            wait_until("the first decks", partial(len, decks))
            calls = _calls(instance, cast.members[_VICTIMS : 2 * _VICTIMS], decks)
            statuses = at_once([partial(_read, instance.port, cast.members[2 * _VICTIMS].key)] * _PARALLEL)
        report.notes.append(f"get_me of others with them: {times(calls)}")
        report.notes.append(f"{len(decks)} decks of {len(_CARDS)} cards were created meanwhile")
        report.improper += [one.told() for one in posting if not one.only("201")]
        overtaken = percentile([passed for call in calls for passed in call.passed], 0.95)
        report.check(f"{overtaken:.0f} decks were created during a call of others (p95)", overtaken <= _MOST_OVERTAKEN)
        report.check(f"{_PARALLEL} parallel reads of one client: {statuses}", statuses == [200] * _PARALLEL)
        most = machine.peak_mib(instance.worker)
        report.check(f"at most {most:.0f} MiB", most < _MOST_MIB)
        yield report


def _calls(instance: Server, victims: Sequence[Subject], decks: Sequence[str]) -> list[Watch]:
    """Return the calls of each victim on its own connection, one victim after another."""
    calls = [
        Watch(instance.port, me, one.key, pause=0.03, times=_CALLS, beside=partial(len, decks)).run() for one in victims
    ]
    if failed := [call.told() for call in calls if not call.only("200")]:
        raise RuntimeError(f"calls were refused: {failed}")
    return calls


def _read(port: int, key: str) -> int:
    with Client(port, key) as client:
        return items(client).status


_SIGN_INS = 20
_ROUNDS = 5
_SIGN_INS_MOST_MIB = 20 + 2 * THREADS
"""A hash takes 19 MiB, and hashes are computed one at a time. SQLite caches up to 2 MiB for each thread."""

_ANSWERS = {200, 503}
"""The form again, since no account has that address, or the page that asks to try again later."""


def sign_ins(site: Site) -> Iterator[Report]:
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
    report.check(f"memory grows by {grown:.0f} MiB at most", grown < _SIGN_INS_MOST_MIB)
    report.check(f"/health meanwhile: {watch.told()}", watch.only("200"))
    yield report


def _form(name: str) -> dict[str, str]:
    """Return a form with a distinct address, because repeated wrong passwords of one address are slowed down."""
    return {"email": f"{name}@example.org", "password": "correct horse battery"}
