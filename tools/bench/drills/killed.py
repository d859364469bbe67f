"""SIGKILL for servers during writes: a change is stored with its row in the log, or not at all.

`killed_between_statements` stops a write by a lock of another connection before the statement that needs it, and kills
its process. Statements share round trips (`studyservice.database.postgresql.exchanges`), so PostgreSQL may
already have the commit, and store the write although nobody gets the answer. A missing standby stops the commit after
PostgreSQL has written it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import NamedTuple

import psycopg

from tools.bench.cast import Subject
from tools.bench.drills.client import Client, ClosedError, HttpAnswer
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report, compare, count, execute, query, writes
from tools.bench.servers import Server, wait_until
from tools.bench.site import Site

_KILLS = 12


def server_killed(site: Site) -> Iterator[Report]:
    """Run on PostgreSQL with two processes, and on SQLite with one."""
    parts: tuple[Callable[[Site, str, int], Report], ...] = (_killed, _killed_often)
    for part in parts:
        yield part(site, "postgresql", 2)
        yield part(site, "sqlite", 1)


def _killed(site: Site, kind: str, processes: int) -> Report:
    report = Report(f"server killed, {kind}")
    url, data, cast = site.fresh(kind)
    instance = site.serve(url, data, processes=processes, redis=site.redis() if processes > 1 else None)
    with Load(instance.port, cast.members) as load:
        load.goes_on(0)
        replaced = time.monotonic()
        _kill_worker(instance, processes)
        load.goes_on(time.monotonic())
        report.notes.append(f"writes resumed {time.monotonic() - replaced:.1f} s after a worker was killed")
        time.sleep(1)
        instance.kill()
        restarted = time.monotonic()
        instance.start()
        load.goes_on(restarted)
    compare(report, load.journal, url, restarted)
    report.check("clients saw only closed connections", set(report.errors) == {"closed connection"})
    return report


def _kill_worker(instance: Server, processes: int) -> None:
    instance.kill_worker()
    wait_until("another worker", lambda: len(instance.workers()) == processes)


def _killed_often(site: Site, kind: str, processes: int) -> Report:
    """Let clients repeat each write with its key until it is answered."""
    report = Report(f"retries under keys, {kind}")
    url, data, cast = site.fresh(kind)
    instance = site.serve(url, data, processes=processes, redis=site.redis() if processes > 1 else None)
    with Load(instance.port, cast.members, retrying=True) as load:
        for _ in range(_KILLS):
            wait_until("writes", partial(_goes_on, load, len(load.journal.succeeded_at)))
            _kill_worker(instance, processes)
    compare(report, load.journal, url)
    report.check("the outcome of every write is known at the end", not load.journal.unknown | load.journal.refused)
    report.check("only acknowledged writes are stored", report.stored == report.acknowledged)
    report.notes.append(f"{load.journal.replayed} were completed by a worker that died before it answered")
    return report


def _goes_on(load: Load, before: int) -> bool:
    return len(load.journal.succeeded_at) > before


_READS, _WRITES = "ACCESS EXCLUSIVE", "EXCLUSIVE"
"""Lock modes: the first stops reads of a table too, the second only writes."""

_TABLES = {
    "courses_item": "id, title, due_on, updated_at",
    "planning_milestone": "id, title",
    "vocab_card": "id, state, due_at, reps",
    "vocab_review": "id",
    "practice_attempt": "id",
    "accounts_change": "id",
}
_ONE_ITEM = [1, 0, 0, 0, 0, 1]
"""Rows that a new item adds to each of these tables."""


Call = Callable[[Client], HttpAnswer]


class Write(NamedTuple):
    """A kind of call that changes data.

    Attributes:
        prepared: returns the call with this number; each makes a different change.
        stops: tables and modes of the locks that stop it before its statements, in order.
        log: the table in which each stored call has one row.
        at_commit: whether to kill it at its commit, too.
    """

    prepared: Callable[[int], Call]
    stops: tuple[tuple[str, str], ...]
    log: str = "accounts_change"
    at_commit: bool = False


def killed_between_statements(site: Site) -> Iterator[Report]:
    """Kill writes of each kind before each of their statements, and let one finish."""
    report, kills = Report("server killed between statements"), 0
    url, data, cast = site.fresh("postgresql")
    instance, key = site.serve(url, data), cast.members[0].key
    for name, write in _writes(instance, cast.members[0]).items():
        added = []
        stops = [("accounts_member", _WRITES), *write.stops]
        for number, (table, mode) in enumerate(stops):
            call, before = write.prepared(number), _stored(url)
            logged = count(url, write.log)
            _killed_at(instance, url, key, call, _locked(url, table, mode))
            added.append(count(url, write.log) - logged)
            if (_stored(url) != before) is not (added[-1] == 1):
                report.check(f"{name}: killed at {table}, the change is stored completely or not at all", False)
        report.check(f"{name}: killed before the lock, the change is not stored", added[0] == 0)
        report.notes.append(f"{name}: {len(stops)} killed, {sum(added)} stored, each with its log row")
        if write.at_commit:
            call, before = write.prepared(len(stops)), _stored(url)
            _killed_at(instance, url, key, call, _commits_wait(url))
            more = [len(now) - len(then) for now, then in zip(_stored(url), before, strict=True)]
            report.check(f"{name}: killed during the commit, the change is stored with its log row", more == _ONE_ITEM)
        kills += len(stops) + write.at_commit
        call, logged = write.prepared(kills), count(url, write.log)
        with Client(instance.port, key) as client:
            report.check(f"{name}: succeeds afterwards", call(client).ok)
        report.check(f"{name}: has one log row then", count(url, write.log) == logged + 1)
    _, report.half_written = writes(url)
    report.notes.append(f"{kills} processes were killed")
    yield report


def _writes(instance: Server, member: Subject) -> dict[str, Write]:
    """Return one write of each kind."""
    path, log = f"/v1/courses/{member.courses[0]}/items", ("accounts_change", _WRITES)

    def made(path: str, **fields: str) -> str:
        with Client(instance.port, member.key) as client:
            return str(client.call("POST", path, fields).body["id"])

    item = f"/v1/items/{made(path, title='Midterm')}"

    def deletion(number: int) -> Call:
        gone = f"/v1/items/{made(path, title=f'Quiz {number}')}"
        made(f"{gone}/milestones", title="Outline")
        return lambda client: client.call("DELETE", gone)

    review, answer = f"/v1/vocab-cards/{member.cards[0]}/reviews", {"rating": "good", "duration_ms": 1}
    read_item, write_item = ("courses_item", _READS), ("courses_item", _WRITES)
    steps = (("planning_milestone", _READS), ("planning_milestone", _WRITES))
    practice = tuple((table, _WRITES) for table in ("vocab_card", "vocab_review", "practice_attempt"))
    return {
        "create_item": Write(
            lambda number: lambda client: client.call("POST", path, {"title": f"Paper {number}"}),
            (("courses_course", _READS), write_item, log),
            at_commit=True,
        ),
        "update_item": Write(
            lambda number: lambda client: client.call("PATCH", item, {"title": f"Midterm {number}"}),
            (read_item, write_item, log),
        ),
        "review_vocab_card": Write(
            lambda number: lambda client: client.call("POST", review, answer),
            (("vocab_card", _READS), *practice),
            log="vocab_review",
        ),
        "delete_item": Write(deletion, (read_item, *steps, write_item, log)),
    }


Waits = Callable[[], bool]
"""Returns whether the write waits."""


@contextmanager
def _locked(url: str, table: str, mode: str) -> Iterator[Waits]:
    with psycopg.connect(url) as holder:
        holder.execute(f"LOCK TABLE {table} IN {mode} MODE".encode())
        yield lambda: count(url, "pg_locks", "NOT granted") > 0
        holder.rollback()


@contextmanager
def _commits_wait(url: str) -> Iterator[Waits]:
    """Let each commit wait for a standby that does not exist, after the commit is written."""
    wait = "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"
    execute(url, wait, "SELECT pg_reload_conf(), pg_sleep(1)")  # nothing reports when the checkpointer has read it
    try:
        yield lambda: count(url, "pg_stat_activity", "wait_event = 'SyncRep'") > 0
    finally:
        execute(url, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")


def _killed_at(instance: Server, url: str, key: str, call: Call, stopped: AbstractContextManager[Waits]) -> None:
    """Make the call, kill its process while it is stopped, and wait for the next process."""
    workers = instance.workers()

    def send() -> None:
        with suppress(ClosedError), Client(instance.port, key) as client:
            call(client)

    with stopped as waits:
        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        wait_until("the write to be stopped", waits, 4)
        instance.kill_worker()
        sender.join(60)
    under_way = "xact_start IS NOT NULL AND pid <> pg_backend_pid()"
    wait_until("its transaction to end", lambda: count(url, "pg_stat_activity", under_way) == 0)
    wait_until("another process", lambda: instance.workers() not in ([], workers) and instance.answers())


def _stored(url: str) -> list[list[tuple[object, ...]]]:
    """Return the rows that the writes change."""
    return [query(url, f"SELECT {columns} FROM {table} ORDER BY id") for table, columns in _TABLES.items()]  # noqa: S608
