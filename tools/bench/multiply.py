"""Copy the benchmark's data within PostgreSQL: a million rows in a minute."""

import psycopg

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
