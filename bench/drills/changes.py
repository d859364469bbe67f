"""SIGKILL for the server between any two statements of a write: no change without its row in the log, and no row alone.

A lock that somebody else holds stops the write before the statement that needs it; there its process is killed. A
standby that never comes stops the commit, which PostgreSQL has written by then.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import NamedTuple

import psycopg

from bench.cast import Subject
from bench.drills.client import Answer, Client, ClosedError
from bench.drills.report import Report
from bench.drills.site import Instance, Site, wait_until
from bench.drills.stored import query, writes

_READS, _WRITES = "ACCESS EXCLUSIVE", "EXCLUSIVE"
"""Modes of a lock: that stops reads of a table too, and writes alone."""

_WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
_COMMITTING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
_UNDER_WAY = "SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()"
_LOGGED = "SELECT count(*) FROM accounts_change"
_CONTENTS = "SELECT {columns} FROM {table} ORDER BY id"
_TABLES = {
    "courses_item": "id, title, due_on, updated_at",
    "planning_milestone": "id, title",
    "vocab_card": "id, state, due_at, reps",
    "vocab_review": "id",
    "practice_attempt": "id",
    "accounts_change": "id",
}
_ONE_ITEM = [1, 0, 0, 0, 0, 1]
"""How many rows each of these tables has more when an item was created."""


class Write(NamedTuple):
    """A call that changes something.

    Attributes:
        stops: the locks that stop it before its statements, in their order.
        at_commit: whether it is killed at its commit, too.
    """

    call: Callable[[Client], Answer]
    stops: list[str]
    at_commit: bool = False


def drill(site: Site) -> list[Report]:
    """Each write is killed before each of its statements, then let through."""
    report = Report("server killed between statements")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    kills = 0
    for name, write in _writes(instance, cast.members[0]).items():
        before = _stored(url)
        for stop in write.stops:
            _killed_at(instance, url, cast.members[0].key, write, _locked(url, stop))
            kills += 1
        report.check(f"{name}: nothing is stored of {len(write.stops)} that were killed", _stored(url) == before)
        if write.at_commit:
            _killed_at(instance, url, cast.members[0].key, write, _commits_wait(url))
            kills += 1
            added = [len(now) - len(then) for now, then in zip(_stored(url), before, strict=True)]
            report.check(f"{name}: killed while it commits, it is stored with its row", added == _ONE_ITEM)
        logged = query(url, _LOGGED)[0][0]
        with Client(instance.port, cast.members[0].key) as client:
            report.check(f"{name}: goes through afterwards", write.call(client).ok)
        own_log = name == "review_vocab_card"
        report.check(f"{name}: one row then", query(url, _LOGGED)[0][0] == logged + (not own_log))
    _, report.half_written = writes(url)
    report.notes.append(f"{kills} processes were killed")
    instance.stop()
    return [report]


def _writes(instance: Instance, member: Subject) -> dict[str, Write]:
    """The writes, one of each kind."""
    with Client(instance.port, member.key) as client:
        course = member.courses[0]
        item = client.call("POST", f"/v1/courses/{course}/items", {"title": "Midterm"}).body["id"]
        client.call("POST", f"/v1/items/{item}/milestones", {"title": "Outline"})
    first, last = f"LOCK TABLE accounts_member IN {_WRITES} MODE", f"LOCK TABLE accounts_change IN {_WRITES} MODE"
    return {
        "create_item": Write(
            lambda client: client.call("POST", f"/v1/courses/{course}/items", {"title": "Paper"}),
            [first, _lock("courses_course", _READS), _lock("courses_item", _WRITES), last],
            at_commit=True,
        ),
        "update_item": Write(
            lambda client: client.call("PATCH", f"/v1/items/{item}", {"due_on": "2030-01-31"}),
            [first, _lock("courses_item", _READS), _lock("courses_item", _WRITES), last],
        ),
        "review_vocab_card": Write(
            lambda client: client.call(
                "POST", f"/v1/vocab-cards/{member.cards[0]}/reviews", {"rating": "good", "duration_ms": 1}
            ),
            [
                first,
                _lock("vocab_card", _READS),
                _lock("vocab_card", _WRITES),
                _lock("vocab_review", _WRITES),
                _lock("practice_attempt", _WRITES),
            ],
        ),
        "delete_item": Write(
            lambda client: client.call("DELETE", f"/v1/items/{item}"),
            [
                first,
                _lock("courses_item", _READS),
                _lock("planning_milestone", _READS),
                _lock("planning_milestone", _WRITES),
                _lock("courses_item", _WRITES),
                last,
            ],
        ),
    }


def _lock(table: str, mode: str) -> str:
    return f"LOCK TABLE {table} IN {mode} MODE"


Waits = Callable[[], bool]
"""Whether a write waits where it was stopped."""


@contextmanager
def _locked(url: str, lock: str) -> Iterator[Waits]:
    """Somebody else holds the lock."""
    with psycopg.connect(url) as holder:
        holder.execute(lock)
        yield lambda: query(url, _WAITING) != [(0,)]
        holder.rollback()


@contextmanager
def _commits_wait(url: str) -> Iterator[Waits]:
    """Each commit waits for a standby that there is not; what waits is written."""
    with psycopg.connect(url, autocommit=True) as superuser:
        superuser.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        superuser.execute("SELECT pg_reload_conf(), pg_sleep(1)")  # the checkpointer reads it, and tells nobody
        try:
            yield lambda: query(url, _COMMITTING) != [(0,)]
        finally:
            superuser.execute("ALTER SYSTEM RESET synchronous_standby_names")
            superuser.execute("SELECT pg_reload_conf()")


def _killed_at(instance: Instance, url: str, key: str, write: Write, stopped: AbstractContextManager[Waits]) -> None:
    """Send the write, and kill its process while it is stopped; the next process is then there."""
    workers = instance.workers()

    def send() -> None:
        with suppress(ClosedError), Client(instance.port, key) as client:
            write.call(client)

    with stopped as waits:
        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        wait_until("the write to be stopped", waits, 4)
        instance.kill_worker()
        sender.join(60)
    wait_until("its transaction to end", lambda: query(url, _UNDER_WAY) == [(0,)])
    wait_until("another process", lambda: instance.workers() not in ([], workers) and instance.answers())


def _stored(url: str) -> list[list[tuple[object, ...]]]:
    """What the writes change."""
    return [query(url, _CONTENTS.format(columns=columns, table=table)) for table, columns in _TABLES.items()]
