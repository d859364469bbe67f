"""Several processes and instances: Redis that is lost, clocks that differ, PgBouncer in transaction mode."""

import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from urllib.parse import urlencode

from studyservice.rates.shared import ANSWER_SECONDS
from tools.bench.cast import Subject
from tools.bench.drills import once
from tools.bench.drills.client import Client
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report, compare, row_lock
from tools.bench.drills.watch import LIMIT, Watch, accepted, at_once, check_limit, health, me, together
from tools.bench.servers import THREADS, Server, free_port, listens, manage, wait_until
from tools.bench.site import Site

_PROCESSES = 2
_HUNG_SECONDS = 8.0
_LOST, _BACK = "does not answer", "answers again"
"""Fragments of lines in each process's log."""


def redis_gone(site: Site) -> Iterator[Report]:
    """Check that calls continue. Without Redis each process counts separately, with it they count together."""
    report = Report("Redis killed, then hung")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    instance = site.serve(url, data, processes=_PROCESSES, redis=redis)
    *members, before, during, after, hung, last = cast.members
    ports = [instance.port]
    with Load(instance.port, members) as load:
        check_limit(report, "with Redis ", ports, before.key)
        redis.kill()
        killed = time.monotonic()
        passed, wrong = accepted(ports, during.key)
        each = LIMIT <= passed <= _PROCESSES * LIMIT
        report.check(f"without Redis {passed} pass, at most {LIMIT} for each process", each and not wrong)
        redis.start()
        lost = _lines(instance, _LOST)  # of the processes that received calls
        _wait_for_return(instance, lost)
        check_limit(report, "after it came back ", ports, after.key)
    compare(report, load.journal, url, killed)
    report.check("no call failed", not report.errors)
    told = _lines(instance, _LOST)
    report.check(f"logged {told} times, at most once by each process", 1 <= told <= _PROCESSES)

    returned = _lines(instance, _BACK)
    redis.hang()
    callers = [Watch(instance.port, me, hung.key, pause=0.02) for _ in range(THREADS * _PROCESSES)]
    with together(callers), Watch(instance.port, health, pause=0.02) as asked:
        time.sleep(_HUNG_SECONDS)
    redis.go_on()
    answers: Counter[str] = Counter()
    for one in callers:
        for status, times in one.answers.items():
            answers[status.partition(" (")[0]] += times
    proper = answers["200"] and set(answers) <= {"200", "429"}
    report.check(f"while it hangs for {_HUNG_SECONDS:.0f} s, calls are answered: {dict(answers)}", proper)
    report.check(f"/health is 200 meanwhile, {len(asked.seconds)} times", asked.only("200"))
    slow = sum(seconds >= ANSWER_SECONDS for one in callers for seconds in one.seconds)
    report.notes.append(f"{slow} calls took {ANSWER_SECONDS} s or more, on {THREADS * _PROCESSES} threads")
    _wait_for_return(instance, returned + lost)  # the log does not show a second loss within a minute
    check_limit(report, "after it went on ", ports, last.key)
    yield report


def _wait_for_return(instance: Server, times: int) -> None:
    """Wait until processes have reconnected to Redis `times` in all."""
    wait_until("Redis to be used again", lambda: _lines(instance, _BACK) >= times)


def _lines(instance: Server, what: str) -> int:
    return instance.log.read_text().count(f"Redis {what}")


_KEYS = 3


def many_instances(site: Site) -> Iterator[Report]:
    """Check that limits apply across all processes, and codes and tokens work once."""
    report = Report("two instances of two processes")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    one, other = (site.serve(url, data, processes=2, redis=redis).port for _ in range(2))
    for subject in cast.members[-_KEYS:]:
        check_limit(report, "", (one, other), subject.key)
    once.drill(report, (one, other), data / "mail", cast.members, url)
    yield report


_AHEAD_SECONDS = 120
_WRITERS = 4
_ITEMS_EACH = 75


def clocks(site: Site) -> Iterator[Report]:
    """Check that a poller of both misses nothing, limits are exact, and codes and tokens work once."""
    report = Report("clocks 2 minutes apart")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    ports = (site.serve(url, data, redis=redis).port, site.serve(url, data, redis=redis, ahead=_AHEAD_SECONDS).port)
    created, seen = _poll_while_writing(ports, cast.heavy)
    report.acknowledged, report.stored = len(created), len(seen)
    report.lost = len(created - seen.keys())
    report.duplicated = seen.total() - len(seen)
    report.check("the poller saw every item once", len(created) == _WRITERS * _ITEMS_EACH)
    check_limit(report, "", ports, cast.members[-1].key)
    once.drill(report, ports, data / "mail", cast.members, url)
    once.drill(report, (ports[1], ports[0]), data / "mail", cast.members, url, first=10)
    yield report


def _poll_while_writing(ports: tuple[int, int], keys: list[Subject]) -> tuple[set[str], Counter[str]]:
    """Create items at both instances alternately while a poller reads both. Return the ids created, and those read."""
    *writing, first, second, third, fourth = keys
    done = threading.Event()

    def poll() -> Counter[str]:
        seen: Counter[str] = Counter()
        newest = "1970-01-01T00:00:00Z"
        asking = cycle([Client(port, key.key) for key in (first, second, third, fourth) for port in ports])
        while True:
            last = done.is_set()
            page = _new_items(next(asking), newest)
            seen.update(item["id"] for item in page)
            newest = max([newest, *(item["created_at"] for item in page)])
            if last:
                return seen
            done.wait(0.05)

    def write_all() -> set[str]:
        share = len(writing) // _WRITERS
        calls = [partial(_write, ports, writing[number * share :][:share], number) for number in range(_WRITERS)]
        try:
            return {item for items in at_once(calls) if isinstance(items, list) for item in items}
        finally:
            done.set()

    created, seen = at_once([write_all, poll])
    if isinstance(created, set) and isinstance(seen, Counter):
        return created, seen
    raise RuntimeError(f"neither may fail: {created}, {seen}")


def _new_items(client: Client, newest: str) -> list[dict[str, str]]:
    """Return the items created after `newest`, from all pages."""
    parameters = {"created_after": newest, "limit": "50"}
    found: list[dict[str, str]] = []
    while True:
        page = client.get(f"/v1/items?{urlencode(parameters)}").body
        found += page["data"]
        if not page["has_more"]:
            return found
        parameters["cursor"] = page["next_cursor"]


def _write(ports: tuple[int, int], subjects: list[Subject], writer: int) -> list[str]:
    clients = cycle([Client(port) for port in ports])
    path, made = f"/v1/courses/{subjects[0].courses[0]}/items", []
    for number, subject in zip(range(_ITEMS_EACH), cycle(subjects), strict=False):
        answer = next(clients).call("POST", path, {"title": f"{writer} {number}"}, key=subject.key)
        made.append(answer.body["id"])
    return made


_SERVER_CONNECTIONS = 3


def pooled(site: Site) -> Iterator[Report]:
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
