"""`python -m tools.bench.plans`: PostgreSQL's plan for each statement of a read, with a million rows in the tables.

Every statement must use an index, and scan at most three times as many rows as it returns. Writes PLANS.md, and exits
with 1 if a statement fails that.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg

from tools.bench.cast import Cast, Subject, save
from tools.bench.explained import Plan, answer, explained, nodes, set_up
from tools.bench.markdown import table
from tools.bench.rows import Call
from tools.bench.servers import ROOT
from tools.bench.site import temporary_site

TABLES = (
    "accounts_member",
    "courses_course",
    "courses_syllabusfile",
    "courses_item",
    "planning_milestone",
    "grades_gradecategory",
    "grades_gradescore",
    "vocab_deck",
    "vocab_card",
    "practice_attempt",
    "practice_practicesum",
    "accounts_change",
)
COPIES = 20

_COLUMNS = """
    SELECT column_name, data_type FROM information_schema.columns
    WHERE table_name = %s AND table_schema = current_schema() ORDER BY ordinal_position
"""


def multiply(url: str) -> None:
    """Add `COPIES` copies of all rows, for other members."""
    with psycopg.connect(url, autocommit=True) as connection:
        # without triggers, so that copies may refer to later copies
        connection.execute("SET session_replication_role = replica")
        for table in TABLES:
            told = connection.execute(_COLUMNS, [table]).fetchall()
            columns = {name: _of_copy(name, kind) for name, kind in told if kind != "bigint"}
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(columns.values())} "  # noqa: S608
                f"FROM {table} CROSS JOIN generate_series(1, {COPIES}) AS copy".encode()
            )
        connection.execute("VACUUM ANALYZE")


def _of_copy(column: str, kind: str) -> str:
    """Return the value of a column in a copy. Ids and references to them change in the same way."""
    if kind == "uuid":
        return f"md5({column}::text || copy)::uuid"
    return f"copy || {column}" if column == "email" else column


PLANS = Path(__file__).with_name("PLANS.md")
MEMBERS = 250
MOST_READ = 3
"""Maximum number of rows that a statement may read per returned row."""

SLACK = 20
"""Number of additional rows that it may read: referenced ones, and a block that is faster to sort."""

_ONE_LOOK = (
    "the items of the milestones come in one pass over all items of the member, which costs less than a look-up for "
    "each milestone"
)
IN_ONE_PASS = {"get_agenda": _ONE_LOOK, "export_data": f"in its calendar, {_ONE_LOOK}"}
"""Statements that may read more of the member's own rows through an index, with the reason."""

MOST_IN_ONE_PASS = 10


@dataclass(frozen=True, slots=True)
class Reading:
    """The work of one statement.

    Attributes:
        answered: rows returned, counted or summed.
        read: rows scanned.
        without_index: tables of more than a thousand rows that it read completely.
    """

    answered: int
    read: int
    without_index: tuple[str, ...]

    def is_good(self, most: int = MOST_READ) -> bool:
        """Return whether it used indexes and scanned at most `most` times the rows answered, plus a few."""
        return not self.without_index and self.read <= most * self.answered + SLACK


def main() -> None:
    """Fill a database, and check the plans in a process with its settings."""
    if sys.argv[1:]:
        _look(Path(sys.argv[1]))
        return
    with temporary_site(durable=False) as site:
        url, data, cast = site.postgres.create("plans"), site.directory / "data", site.directory / "cast"
        save(cast, site.fill(url, data, MEMBERS, "seed.fill", "seed.changes", "seed.syllabi"))
        multiply(url)
        command, env = [sys.executable, "-m", "tools.bench.plans", str(cast)], site.environment(url, data)
        looking = subprocess.run(command, cwd=ROOT, env=env, check=False)
    sys.exit(looking.returncode)


def reads(cast: Cast) -> Iterator[tuple[str, Subject, str]]:
    """Yield name, member and path of each read."""
    one, heavy = cast.members[len(cast.members) // 2], cast.heavy[0]
    course = one.courses[0]
    item = _page_of(one, "/v1/items?limit=1")["data"][0]["id"]
    exams = f"/v1/items?kind=exam&course_id={course}&due_from={date.today()}"  # noqa: DTZ011
    exam = _page_of(one, exams)["data"][0]["id"]
    syllabus = _page_of(one, f"/v1/courses/{course}/syllabi")["data"][0]["id"]
    changed = _page_of(one, "/v1/changes?limit=1")["data"][0]["object"]["id"]
    for name, path in {
        "list_items": "/v1/items",
        "list_items, the last page": f"/v1/items?cursor={_last_cursor(one, '/v1/items?')}",
        "list_items of a course": f"/v1/items?course_id={course}",
        "list_items in a range": "/v1/items?due_from=2020-01-01&limit=100",
        "list_items, polling": "/v1/items?created_after=2020-01-01T00:00:00Z",
        "get_item": f"/v1/items/{item}",
        "get_item, an exam": f"/v1/items/{exam}",
        "list_milestones": f"/v1/items/{item}/milestones",
        "get_agenda": "/v1/agenda",
        "list_courses": "/v1/courses",
        "get_course": f"/v1/courses/{course}",
        "get_grades": f"/v1/courses/{course}/grades",
        "list_syllabi": f"/v1/courses/{course}/syllabi",
        "get_syllabus": f"/v1/syllabi/{syllabus}",
        "get_syllabus_file": f"/v1/syllabi/{syllabus}/file",
        "list_changes": "/v1/changes",
        "list_changes, the last page": f"/v1/changes?cursor={_last_cursor(one, '/v1/changes?')}",
        "list_changes of an object": f"/v1/changes?object_id={changed}",
        "export_data": "/v1/export",
    }.items():
        yield name, one, path
    deck = _page_of(heavy, "/v1/vocab-decks")["data"][0]["id"]
    for name, path in {
        "get_me": "/v1/me",
        "list_vocab_decks": "/v1/vocab-decks",
        "list_vocab_decks, the first cards of a deck": f"/v1/vocab-decks?deck_id={deck}&include_cards=true&limit=20",
        "list_vocab_decks, the cards that are due": f"/v1/vocab-decks?deck_id={deck}&include_cards=true&due_only=true",
        "list_vocab_decks, as of a day": f"/v1/vocab-decks?on={date.today() + timedelta(days=14)}",  # noqa: DTZ011
        "export_vocab_deck": f"/v1/vocab-decks/{deck}/export?format=csv",
        "get_practice_stats, 30 days": "/v1/practice/stats",
        "get_practice_stats, 365 days": "/v1/practice/stats?days=365",
    }.items():
        yield name, heavy, path


def _last_cursor(subject: Subject, path: str) -> str:
    """Return the cursor of the last page of a list. `path` ends with a question mark."""
    page = _page_of(subject, path)
    while page["has_more"]:
        cursor: str = page["next_cursor"]
        page = _page_of(subject, f"{path}cursor={cursor}")
    return cursor


def _page_of(subject: Subject, path: str) -> Any:
    return answer(subject, Call("GET", path)).json()


def _look(cast_file: Path) -> None:
    cast = set_up(cast_file)
    found = {
        name: [
            _reading(plan) for sql, plan in explained(subject, Call("GET", path)) if sql.lstrip().startswith("SELECT")
        ]
        for name, subject, path in reads(cast)
    }
    PLANS.write_text(_page(found))
    print(PLANS.read_text())
    sys.exit(any(not _may_be(name, readings) for name, readings in found.items()))


def _may_be(name: str, readings: Sequence[Reading]) -> bool:
    most = MOST_IN_ONE_PASS if name in IN_ONE_PASS else MOST_READ
    return all(reading.is_good(most) for reading in readings)


def _reading(plan: Plan) -> Reading:
    scans = [node for node in nodes(plan) if "Relation Name" in node]
    counting = [part for node in nodes(plan) if node["Node Type"] == "Aggregate" for part in node["Plans"]]
    return Reading(
        answered=sum(map(_rows, counting)) + _rows(plan),
        read=sum(_rows(node) + _dropped(node) for node in scans),
        without_index=tuple(
            node["Relation Name"]
            for node in scans
            if node["Node Type"] == "Seq Scan" and _rows(node) + _dropped(node) > 1000
        ),
    )


def _rows(node: Plan) -> int:
    """Return the rows that a node returned, in all its loops."""
    rows: float = node["Actual Rows"] * node["Actual Loops"]
    return round(rows)


def _dropped(node: Plan) -> int:
    """Return the rows that it scanned and discarded."""
    each: float = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    loops: float = node["Actual Loops"]
    return round(each * loops)


_HEAD = f"""# Plans

Written by `make bench`; do not edit. The rows that PostgreSQL reads for each call, with a million items, cards and
attempts in the tables. Each statement, the credential's first, has the rows answered (for a count, the rows
counted) and the rows read by scans. A statement is good if it reads at most {MOST_READ} times the rows
answered plus {SLACK}, and never a whole table."""


def _page(found: dict[str, list[Reading]]) -> str:
    rows = []
    for name, readings in found.items():
        told = ", ".join(f"{one.answered:,} / {one.read:,}" for one in readings)
        bad = [one for one in readings if not one.is_good()]
        verdict = "**" + "; ".join(", ".join(one.without_index) or "too many" for one in bad) + "**" if bad else "good"
        if bad and _may_be(name, readings):
            verdict = IN_ONE_PASS[name]
        rows.append((name, told, verdict))
    return f"{_HEAD}\n\n{table(['', 'rows answered / read', ''], rows)}\n"


if __name__ == "__main__":
    main()
