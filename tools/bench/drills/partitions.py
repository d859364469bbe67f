"""Every table with members' rows in four hash partitions by member, with foreign keys and an unchanged service.

`tests/server/test_partitions.py` checks that each operation reads one partition, and that foreign keys hold.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import psycopg

from tests.support.partitions import spread
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report, compare, count
from tools.bench.servers import manage_at_once
from tools.bench.site import Site

_AT_ONCE = 4
_ADDRESS = "at-once@example.org"


def drill(site: Site) -> Iterator[Report]:
    """Run the usual load, then commands that create one address in parallel."""
    report = Report("partitions by member")
    url, data, cast = site.fresh("postgresql")
    with psycopg.connect(url) as connection:
        tables = spread(partial(_execute, connection))
    report.notes.append(f"{len(tables)} tables were partitioned")
    instance = site.serve(url, data)
    with Load(instance.port, cast.members) as load:
        time.sleep(1.5)
    compare(report, load.journal, url)
    report.check("no call failed", not report.errors)
    made = manage_at_once(site.environment(url, data), _AT_ONCE, "createmember", _ADDRESS, "--json")
    stored = count(url, "accounts_member", f"email = '{_ADDRESS}'")
    report.check(f"of {_AT_ONCE} members created in parallel with one address, one exists", made == stored == 1)
    yield report


def _execute(connection: psycopg.Connection[Any], sql: str, params: list[Any] | None = None) -> list[tuple[Any, ...]]:
    cursor = connection.execute(sql.encode(), params)
    return cursor.fetchall() if cursor.description else []
