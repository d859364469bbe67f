"""PostgreSQL's plans for the statements of a request, in a process with the service's settings."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.bench.cast import Cast, Subject, load
from tools.bench.rows import Call

Plan = dict[str, Any]

_EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


def set_up(cast: Path) -> Cast:
    """Load the settings. Return the members in a file."""
    import django  # noqa: PLC0415  # needs configured settings

    os.environ["DJANGO_SETTINGS_MODULE"] = "studyservice.settings"
    django.setup()
    logging.disable(logging.INFO)  # it would log a line for each request
    return load(cast)


def answer(subject: Subject, call: Call) -> Any:
    """Send a request. Return its answer, or raise `RuntimeError` if it is not a success."""
    from django.test import Client  # noqa: PLC0415  # once Django is set up

    client = Client(headers={"Authorization": f"Bearer {subject.key}"}, SERVER_NAME="127.0.0.1")
    response = client.generic(call.method, call.path, call.body, content_type="application/json")
    if not 200 <= response.status_code < 300:
        raise RuntimeError(f"{call.path}: {response.status_code} {response.content!r}")
    return response


def explained(subject: Subject, call: Call) -> list[tuple[str, Plan]]:
    """Send a request. Return its statements, with their plans. Each is executed and rolled back for its plan before."""
    from django.db import connection, transaction  # noqa: PLC0415

    found: list[tuple[str, Plan]] = []

    def explain(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().startswith(_EXPLAINED):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
                found.append((sql, cursor.fetchone()[0][0]["Plan"]))
                transaction.set_rollback(True)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        answer(subject, call).getvalue()
    return found


def nodes(plan: Plan) -> Iterator[Plan]:
    """Yield the nodes of a plan."""
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)
