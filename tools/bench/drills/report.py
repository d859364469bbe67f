"""The result of a drill: one row of the table, made from the clients' answers and the database, and named checks."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Any

import psycopg

from tools.bench.drills.load import CARDS_EACH, Journal

COLUMNS = (
    "drill", "acknowledged", "stored", "lost", "duplicated", "half-written", "errors", "improper", "recovered, s", "",
)  # fmt: skip


@dataclass(slots=True)
class Report:
    """One row.

    Attributes:
        acknowledged: writes answered with 201.
        stored: writes in the database, of those acknowledged or unanswered.
        lost: acknowledged but not stored.
        duplicated: extra rows of a write, or rows of refused writes.
        half_written: writes that are stored in part.
        errors: errors that clients saw, by kind.
        improper: answers that are neither a success, nor an error in the service's format, nor a closed connection.
        recovered: seconds from the repair (or the fault, if there was no repair) to the end of the failures.
        not_run: why the drill could not run; then it does not count as passed.
    """

    name: str
    acknowledged: int = 0
    stored: int = 0
    lost: int = 0
    duplicated: int = 0
    half_written: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    improper: list[str] = field(default_factory=list)
    recovered: float | None = None
    checks: list[tuple[str, bool]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_run: str = ""

    def check(self, what: str, right: object) -> None:
        """Record a check."""
        self.checks.append((what, bool(right)))

    @property
    def right(self) -> bool:
        """Whether it ran, and every check and count is right."""
        wrong = self.lost or self.duplicated or self.half_written or self.improper
        return not self.not_run and not wrong and self.recovered != inf and all(right for _, right in self.checks)

    def row(self) -> tuple[object, ...]:
        """Return the row of the table."""
        verdict = "not run" if self.not_run else "right" if self.right else "WRONG"
        recovered = "–" if self.recovered is None else f"{self.recovered:.1f}"
        counts = (self.acknowledged, self.stored, self.lost, self.duplicated, self.half_written)
        return (self.name, *counts, self.errors.total(), len(self.improper), recovered, verdict)

    def lines(self) -> list[str]:
        """Return the checks and notes."""
        kinds = ", ".join(f"{kind} ({count})" for kind, count in self.errors.most_common())
        found = [f"not run: {self.not_run}"] if self.not_run else []
        found += [f"errors: {kinds}"] if kinds else []
        found += [f"improper: {what}" for what in self.improper[:5]]
        found += [what if right else f"WRONG: {what}" for what, right in self.checks]
        return [f"{self.name}: {line}" for line in (*found, *self.notes)]


_ITEMS = "SELECT title FROM courses_item WHERE title LIKE 'drill %'"
_DECKS = """
    SELECT name, (SELECT count(*) FROM vocab_card WHERE deck_id = vocab_deck.id AND member_id = vocab_deck.member_id)
    FROM vocab_deck WHERE name LIKE 'drill %'
"""
_REVIEWS = "SELECT duration_ms FROM vocab_review"
_HALF_REVIEWS = (
    "SELECT count(*) FROM vocab_review WHERE id NOT IN (SELECT id FROM practice_attempt)",
    "SELECT count(*) FROM practice_attempt WHERE id NOT IN (SELECT id FROM vocab_review)",
    """SELECT count(*) FROM vocab_card WHERE reps <>
    (SELECT count(*) FROM vocab_review WHERE card_id = vocab_card.id AND member_id = vocab_card.member_id)""",
)
_LOGGED = (("courses_item", "title", "create_item"), ("vocab_deck", "name", "create_vocab_deck"))
"""Tables of the load's writes, the column with the mark, and the operation in the log of changes."""

_UNLOGGED = """
    SELECT count(*) FROM {table} WHERE {mark} LIKE 'drill %'
    AND id NOT IN (SELECT object_id FROM accounts_change WHERE operation = '{operation}')
"""
_LOGGED_ALONE = """
    SELECT count(*) FROM accounts_change WHERE operation = '{operation}' AND object_name LIKE 'drill %'
    AND object_id NOT IN (SELECT id FROM {table})
"""


def execute(url: str, *statements: str) -> None:
    """Run statements in the database at `url`, each in its own transaction."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as database:
            for statement in statements:
                database.execute(statement)
        return
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def query(url: str, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of `sql` in the database at `url`."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
            return database.execute(sql, parameters).fetchall()
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(sql.encode(), parameters or None).fetchall()


def count(url: str, table: str, where: str = "true") -> int:
    """Return the number of rows."""
    return int(query(url, f"SELECT count(*) FROM {table} WHERE {where}")[0][0])  # noqa: S608  # our own text


@contextmanager
def row_lock(url: str) -> Iterator[None]:
    """Lock the row of the member with many keys in another transaction."""
    with psycopg.connect(url) as transaction:
        transaction.execute("SELECT id FROM accounts_member WHERE email = 'member300@example.org' FOR UPDATE")
        yield
        transaction.rollback()


def writes(url: str) -> tuple[Counter[int], int]:
    """Count the rows of each write of the load, and the writes that are stored in part or lack their log entry."""
    decks = query(url, _DECKS)
    marks = [str(title) for (title,) in query(url, _ITEMS)] + [str(name) for name, _ in decks]
    found = Counter(int(mark.removeprefix("drill ")) for mark in marks)
    found.update(int(number) for (number,) in query(url, _REVIEWS))
    half = sum(cards != CARDS_EACH for _, cards in decks)
    parts = [
        sql.format(table=table, mark=mark, operation=operation)
        for table, mark, operation in _LOGGED
        for sql in (_UNLOGGED, _LOGGED_ALONE)
    ]
    return found, half + sum(query(url, sql)[0][0] for sql in (*_HALF_REVIEWS, *parts))


def compare(report: Report, journal: Journal, url: str, since: float | None = None, *, first: int = 1) -> None:
    """Fill the row of `report`.

    Args:
        since: time of the repair (or of the fault, if there was no repair).
        first: the number of the first write of this load.
    """
    everything, half = writes(url)
    found = Counter({number: times for number, times in everything.items() if number >= first})
    sent = journal.acknowledged | journal.unknown
    report.acknowledged = len(journal.acknowledged)
    report.stored = len(found.keys() & sent)
    report.lost = len(journal.acknowledged - found.keys())
    report.duplicated = sum(times - 1 for times in found.values()) + len(found.keys() - sent)
    report.half_written = half
    report.errors = journal.errors
    report.recovered = None if since is None else journal.recovered(since)
    report.improper += journal.improper
