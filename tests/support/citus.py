"""Runs the tests on members distributed over servers. No request may query more than one server.

The database already exists, migrated and distributed: the drill `citus` (`tools/bench/drills/citus.py`) creates it and
sets `CITUS_URL`. It is not copied, so rows that one test leaves behind are visible to the next.
"""

from typing import Any

from django.core.signals import request_finished, request_started
from django.db import connection

URL = "CITUS_URL"

_LEVEL = "citus.multi_task_query_log_level"
"""Citus's log level for statements on more than one shard. `error` refuses them."""


def route_every_statement() -> None:
    """Refuse statements of requests that use more than one shard, from now on. Statements of the test itself may."""
    request_started.connect(_refuse, weak=False)
    request_finished.connect(_allow, weak=False)


def _refuse(**_: Any) -> None:
    _set("error")
    # A test is one transaction and writes tables together that requests write separately.
    connection.connection.execute("SET citus.multi_shard_modify_mode TO 'sequential'")


def _allow(**_: Any) -> None:
    if not connection.needs_rollback:
        _set("off")


def _set(level: str) -> None:
    connection.ensure_connection()
    connection.connection.execute(f"SET {_LEVEL} TO {level}")  # bypasses Django, so that query counts do not include it
