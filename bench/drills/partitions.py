"""Partitioning by member, tried: the tables of members' rows in four hash partitions each, the service unchanged."""

import time
from functools import partial
from typing import Any

import psycopg

from bench.cast import Subject
from bench.drills.client import Client
from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Site, wait_until
from bench.drills.stored import compare, query

_TABLES = ("courses_item", "planning_milestone", "grades_gradescore", "vocab_card", "vocab_review", "practice_attempt")
_PARTITIONS = 4
_INDEXES = "SELECT indexdef FROM pg_indexes WHERE tablename = %s AND indexdef NOT LIKE 'CREATE UNIQUE%%'"
_READ = """
    SELECT relname FROM pg_stat_user_tables
    WHERE relname ~ '_p[0-9]$' AND coalesce(idx_scan, 0) + coalesce(seq_scan, 0) > 0 ORDER BY relname
"""


def drill(site: Site) -> list[Report]:
    """Load as ever; then the calls of one member, and which partitions they read."""
    report = Report("partitions by member")
    url, data, cast = site.fresh("postgresql")
    with psycopg.connect(url) as connection:
        for table in _TABLES:
            _partition(connection, table)
    instance = site.serve(url, data)
    *members, alone = cast.members
    with Load([instance.port], members) as load:
        time.sleep(1.5)
    compare(report, load.journal, url)
    report.check("no call failed", not report.errors)
    query(url, "SELECT pg_stat_reset()")
    _use(instance.port, alone)
    with psycopg.connect(url) as connection:
        wait_until("statistics", partial(_reported, connection), 20)
        time.sleep(1.5)  # those of every thread
    read = [name for (name,) in query(url, _READ)]
    pruned = {name[:-3] for name in read if sum(other[:-3] == name[:-3] for other in read) == 1}
    probed = sorted({name[:-3] for name in read} - pruned)
    report.notes.append(f"one member's calls read one partition of {', '.join(sorted(pruned))}")
    report.notes.append(f"and by id, in joins and deletions, others too of {', '.join(probed)}")
    return [report]


def _partition(connection: psycopg.Connection[Any], table: str) -> None:
    indexes = [definition for (definition,) in connection.execute(_INDEXES, [table])]
    statements = [
        f"ALTER TABLE {table} RENAME TO {table}_whole",
        f"CREATE TABLE {table} (LIKE {table}_whole INCLUDING DEFAULTS) PARTITION BY HASH (member_id)",
        *(
            f"CREATE TABLE {table}_p{number} PARTITION OF {table}"
            f" FOR VALUES WITH (MODULUS {_PARTITIONS}, REMAINDER {number})"
            for number in range(_PARTITIONS)
        ),
        f"INSERT INTO {table} TABLE {table}_whole",
        f"DROP TABLE {table}_whole CASCADE",  # and what refers to it by `id` alone
        f"ALTER TABLE {table} ADD PRIMARY KEY (member_id, id)",
        *indexes,
    ]
    for statement in statements:
        connection.execute(statement)


def _reported(connection: psycopg.Connection[Any]) -> bool:
    connection.execute("SELECT pg_stat_clear_snapshot()")
    return bool(connection.execute(_READ).fetchall())


def _use(port: int, subject: Subject) -> None:
    """Reads and writes of one member; often enough that each statement is prepared."""
    course = f"/v1/courses/{subject.courses[0]}"
    with Client(port, subject.key) as client:
        for _ in range(6):
            _item(client, course)
            _grades(client, course)
            _done(client, "POST", f"/v1/vocab-cards/{subject.cards[0]}/reviews", {"rating": "good"})
            for path in ("/v1/agenda", "/v1/items", "/v1/vocab-decks", "/v1/practice/stats"):
                _done(client, "GET", path)


def _done(client: Client, method: str, path: str, body: object = None) -> Any:
    answer = client.call(method, path, body)
    if not answer.ok:
        raise RuntimeError(f"{method} {path}: {answer.fault}")
    return answer.body


def _item(client: Client, course: str) -> None:
    item = f"/v1/items/{_done(client, 'POST', f'{course}/items', {'title': 'drilled'})['id']}"
    step = _done(client, "POST", f"{item}/milestones", {"title": "a step"})["id"]
    _done(client, "PATCH", f"/v1/milestones/{step}", {"done": True})
    _done(client, "GET", f"{item}/milestones")
    _done(client, "PATCH", item, {"kind": "exam"})
    _done(client, "DELETE", item)


def _grades(client: Client, course: str) -> None:
    body = {"categories": [{"name": "Exams", "weight": 100}]}
    [category] = _done(client, "PUT", f"{course}/grade-categories", body)["categories"]
    score = {"category_id": category["id"], "label": "midterm", "score": 90}
    made = _done(client, "POST", f"{course}/grade-scores", score)["id"]
    _done(client, "GET", f"{course}/grades")
    _done(client, "DELETE", f"/v1/grade-scores/{made}")
