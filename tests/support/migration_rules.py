"""What a migration may do while the code of before goes on reading and writing.

`django-migration-linter` looks at the SQL; the checks here see what it does not: constraints that look at every row,
each added column by itself, and what cannot be done again after an ended attempt.
"""

import re
from io import StringIO

from django.core.management import call_command
from django_migration_linter.sql_analyser.analyser import analyse_sql_statements
from django_migration_linter.sql_analyser.base import Check, CheckMode, CheckType
from django_migration_linter.sql_analyser.postgresql import PostgresqlAnalyser

INSTEAD = {
    "RENAME_TABLE": "add a table, and drop the old one in the release after next",
    "RENAME_COLUMN": "add a column, and drop the old one in the release after next",
    "DROP_TABLE": "leave it for a release whose code does not use it",
    "DROP_COLUMN": "leave it for a release whose code does not use it; make it nullable or give it a default first",
    "ALTER_COLUMN": "add a column; a longer varchar alone is safe, and may be excused",
    "NOT_NULL": "give the added column a db_default: the code of before writes rows without it",
    "ADD_UNIQUE": "build the unique index aside first, or begin with a table that has it",
    "CREATE_INDEX": "use AddIndexAside in a migration that is not atomic",
    "CREATE_INDEX_EXCLUSIVE": "use AddIndexAside in a migration that is not atomic",
    "DROP_INDEX": "drop it concurrently, in a migration that is not atomic",
    "REINDEX": "reindex concurrently, by hand",
    "LOOKS_AT_ROWS": "use AddCheck or AddMemberForeignKey, and ValidateChecks in the next migration",
    "NOT_AGAIN": "a migration that is not atomic has indexes made aside and nothing else, as it may run again",
}
"""What to do instead, for each code."""

_ADDED = re.compile(r'ALTER TABLE "?(\w+)"? ADD CONSTRAINT .*(FOREIGN KEY|CHECK)')
_COLUMN = re.compile(r"ADD COLUMN .*NOT NULL")


def _looks_at_rows(statements: list[str], **_: object) -> bool:
    new = {found[1] for one in statements if (found := re.match(r'CREATE TABLE "?(\w+)"?', one))}
    added = ((found[1], one) for one in statements if (found := _ADDED.match(one)))
    return any(table not in new and "NOT VALID" not in one for table, one in added)


def _wants_a_value(statements: list[str], **_: object) -> bool:
    return any(
        (_COLUMN.search(one) and " DEFAULT " not in one) or "DROP DEFAULT" in one or "SET NOT NULL" in one
        for one in statements
    )


def _not_again(statements: list[str], **_: object) -> bool:
    is_atomic = bool(statements) and statements[0].startswith("BEGIN")
    return not is_atomic and not all("INDEX CONCURRENTLY" in one for one in statements)


class Analyser(PostgresqlAnalyser):
    """The library's, with more checks."""

    migration_checks = [  # noqa: RUF012  # as the library has it
        *PostgresqlAnalyser.migration_checks,
        Check("NOT_NULL", _wants_a_value, INSTEAD["NOT_NULL"], CheckMode.TRANSACTION, CheckType.ERROR),
        Check("LOOKS_AT_ROWS", _looks_at_rows, INSTEAD["LOOKS_AT_ROWS"], CheckMode.TRANSACTION, CheckType.ERROR),
        Check("NOT_AGAIN", _not_again, INSTEAD["NOT_AGAIN"], CheckMode.TRANSACTION, CheckType.ERROR),
    ]


def broken_rules(app: str, name: str) -> set[str]:
    """Codes of the rules that a migration breaks, by the SQL that PostgreSQL would get."""
    sql = call_command("sqlmigrate", app, name, no_color=True, stdout=StringIO())
    statements = [line for line in sql.splitlines() if line and not line.startswith("--")]
    errors, _, warnings = analyse_sql_statements(Analyser, statements, [])
    return {issue.code for issue in (*errors, *warnings)}
