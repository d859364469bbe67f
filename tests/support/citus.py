"""A run of the tests on members that are spread over servers, in which no request may ask more than one of them.

The database is there already, migrated and distributed; the drill `citus` (`bench/drills/citus.py`) makes it and names
it in `CITUS_URL`. It is not copied: what a test leaves behind, the next one finds.
"""

from typing import Any

from django.core.signals import request_finished, request_started
from django.db import connection

URL = "CITUS_URL"

_LEVEL = "citus.multi_task_query_log_level"
"""Citus's log level for statements on more than one shard. `error` refuses them."""


def route_every_statement() -> None:
    """Refuse statements of requests that use more than one shard, from now on. A test's own statements may."""
    request_started.connect(_refuse, weak=False)
    request_finished.connect(_allow, weak=False)


def _refuse(**_: Any) -> None:
    _set("error")
    # A test is one transaction, in which tables are written that elsewhere are not written together.
    connection.connection.execute("SET citus.multi_shard_modify_mode TO 'sequential'")


def _allow(**_: Any) -> None:
    if not connection.needs_rollback:
        _set("off")


def _set(level: str) -> None:
    connection.ensure_connection()
    connection.connection.execute(f"SET {_LEVEL} TO {level}")  # past Django, so that tests that count do not count it
