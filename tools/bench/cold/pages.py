"""`python -m tools.bench.cold.pages CAST_FILE SEED FILE`: count the pages that each statement of a call reads.

Each statement of a call is explained, with `EXPLAIN (ANALYZE, BUFFERS)`, right before it is executed, for members who
made no call for a while. What explaining writes is rolled back. Checks of foreign keys at the commit are not counted.
"""

import logging
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import orjson

from tools.bench.cast import Cast, Subject, load
from tools.bench.rows import ROWS, Row

CALLS = ("list_items", "get_agenda", "review_vocab_card")
MEMBERS = 20
"""Of each call."""

_EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a call, and the medians of the pages that it found in shared buffers, and that it did not.

    `key` tells it from the others of the call.
    """

    key: str
    what: str
    hit: float
    read: float


Reading = tuple[str, str, int, int]
"""SQL and description of a statement, and its pages found in shared buffers and read."""


def main() -> None:
    """Explain the statements of the calls, in a process with the settings."""
    import django  # noqa: PLC0415  # needs configured settings

    _, cast, seed, target = sys.argv
    os.environ["DJANGO_SETTINGS_MODULE"] = "studyservice.settings"
    django.setup()
    logging.disable(logging.INFO)  # a line for each request
    people, chance = load(Path(cast)), Random(int(seed))  # noqa: S311  # a sample of members
    found = {row.name: [asdict(one) for one in _statements(row, people, chance)] for row in calls()}
    Path(target).write_bytes(orjson.dumps(found))


def calls() -> list[Row]:
    """Return the measured rows."""
    return [row for row in ROWS if row.name in CALLS]


def pages_of(file: Path) -> dict[str, list[Statement]]:
    """Return what `main` wrote: the statements of each call, in their order."""
    return {name: [Statement(**one) for one in found] for name, found in orjson.loads(file.read_bytes()).items()}


def _statements(row: Row, cast: Cast, chance: Random) -> Iterator[Statement]:
    """Yield the statements that at least half of the members' calls have."""
    readings = [_readings(row, subject, chance) for subject in chance.sample(cast.members, MEMBERS)]
    longest = max(readings, key=len)
    for place, (sql, what, _, _) in enumerate(longest):
        turn = [one[0] for one in longest[:place]].count(sql)  # a statement can be executed twice
        same = [found[turn] for one in readings if len(found := [of for of in one if of[0] == sql]) > turn]
        if len(same) * 2 >= len(readings):
            yield Statement(f"{sql} {turn}", what, median(one[2] for one in same), median(one[3] for one in same))


def _readings(row: Row, subject: Subject, chance: Random) -> list[Reading]:
    """Send one request, and return its statements."""
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    found: list[Reading] = []

    def explain(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().startswith(_EXPLAINED):
            plan = _explained(sql, params)
            found.append((sql, _what(sql, plan), plan["Shared Hit Blocks"], plan["Shared Read Blocks"]))
        return execute(sql, params, many, context)

    call = row.call(subject, chance.randrange(len(subject.cards)))
    client = Client(headers={"Authorization": f"Bearer {subject.key}"}, SERVER_NAME="127.0.0.1")
    with connection.execute_wrapper(explain):
        response = client.generic(call.method, call.path, call.body, content_type="application/json")
    if not 200 <= response.status_code < 300:
        raise RuntimeError(f"{call.path}: {response.status_code} {response.content!r}")
    return found


def _explained(sql: str, params: Any) -> Any:
    """Return the plan of a statement. It is executed, and rolled back."""
    from django.db import connection, transaction  # noqa: PLC0415

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0][0]["Plan"]
        transaction.set_rollback(True)
    return plan


def _what(sql: str, plan: Any) -> str:
    """Describe a statement by what it does and its tables."""
    tables = dict.fromkeys(_tables(plan))
    verb: str = plan.get("Operation", sql.split(None, 1)[0])
    return f"{verb.upper()} {', '.join(tables)}"


def _tables(plan: Any) -> Iterator[str]:
    if "Relation Name" in plan:
        yield plan["Relation Name"]
    for part in plan.get("Plans", ()):
        yield from _tables(part)


if __name__ == "__main__":
    main()
