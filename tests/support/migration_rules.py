"""Rules for migrations that run while the previous code reads and writes.

`django-migration-linter` checks the SQL. These checks add what it does not see: constraints that scan every row, each
added column separately, and migrations that cannot run again after an interruption.
"""

import re
from io import StringIO

from django.core.management import call_command
from django_migration_linter.sql_analyser.analyser import analyse_sql_statements
from django_migration_linter.sql_analyser.base import Check, CheckMode, CheckType, has_add_unique
from django_migration_linter.sql_analyser.postgresql import PostgresqlAnalyser

INSTEAD = {
    "RENAME_TABLE": "add a table, and drop the old one in the release after next",
    "RENAME_COLUMN": "add a column, and drop the old one in the release after next",
    "DROP_TABLE": "leave it for a release whose code does not use it",
    "DROP_COLUMN": "leave it for a release whose code does not use it; make it nullable or give it a default first",
    "ALTER_COLUMN": "add a column; a longer varchar alone is safe, and may be excused",
    "NOT_NULL": "give the added column a db_default: the code of before writes rows without it",
    "ADD_UNIQUE": "use AddUniqueConcurrently in a migration that is not atomic, or begin with a table that has it",
    "CREATE_INDEX": "use AddIndexConcurrently in a migration that is not atomic",
    "CREATE_INDEX_EXCLUSIVE": "use AddIndexConcurrently in a migration that is not atomic",
    "DROP_INDEX": "drop it concurrently, in a migration that is not atomic",
    "REINDEX": "reindex concurrently, by hand",
    "LOOKS_AT_ROWS": "use AddConstraintNotValid, and ValidateConstraint in the next migration",
    "NOT_AGAIN": "a migration that is not atomic has only what can be repeated and blocks nobody, see online.py",
    "SEVERAL_TABLES": "one migration for each table, or one that is not atomic: a call may have the other already",
}
"""The advice for each code."""

_ADDED = re.compile(r'ALTER TABLE "?(\w+)"? ADD CONSTRAINT .*(FOREIGN KEY|CHECK)')
_ALTERED = re.compile(r'ALTER TABLE "?(\w+)"?')
_CREATED = re.compile(r'CREATE TABLE "?(\w+)"?')
_AGAIN = re.compile("INDEX CONCURRENTLY|STATISTICS IF NOT EXISTS|VALIDATE CONSTRAINT")
_COLUMN = re.compile(r"ADD COLUMN .*NOT NULL")


def _looks_at_rows(statements: list[str], **_: object) -> bool:
    new = _made(statements)
    added = ((found[1], one) for one in statements if (found := _ADDED.match(one)))
    return any(table not in new and "NOT VALID" not in one for table, one in added)


def _wants_a_value(statements: list[str], **_: object) -> bool:
    return any(
        (_COLUMN.search(one) and " DEFAULT " not in one) or "DROP DEFAULT" in one or "SET NOT NULL" in one
        for one in statements
    )


def _not_again(statements: list[str], **_: object) -> bool:
    is_atomic = bool(statements) and statements[0].startswith("BEGIN")
    return not is_atomic and not all(_AGAIN.search(one) for one in statements)


def _several_tables(statements: list[str], **_: object) -> bool:
    """VALIDATE locks out nobody."""
    if not statements or not statements[0].startswith("BEGIN"):
        return False
    altered = {found[1] for one in statements if "VALIDATE" not in one and (found := _ALTERED.match(one))}
    return len(altered - _made(statements)) > 1


def _made(statements: list[str]) -> set[str]:
    return {found[1] for one in statements if (found := _CREATED.match(one))}


def _adds_unique(statements: list[str], **_: object) -> bool:
    """A concurrently built unique index is safe: old code never writes equal values to a new column."""
    return has_add_unique([one for one in statements if "UNIQUE INDEX CONCURRENTLY" not in one])


class Analyser(PostgresqlAnalyser):
    """The linter's analyzer with more checks."""

    migration_checks = [  # noqa: RUF012  # as the library has it
        *PostgresqlAnalyser.migration_checks,
        Check("ADD_UNIQUE", _adds_unique, INSTEAD["ADD_UNIQUE"], CheckMode.TRANSACTION, CheckType.ERROR),
        Check("NOT_NULL", _wants_a_value, INSTEAD["NOT_NULL"], CheckMode.TRANSACTION, CheckType.ERROR),
        Check("LOOKS_AT_ROWS", _looks_at_rows, INSTEAD["LOOKS_AT_ROWS"], CheckMode.TRANSACTION, CheckType.ERROR),
        Check("SEVERAL_TABLES", _several_tables, INSTEAD["SEVERAL_TABLES"], CheckMode.TRANSACTION, CheckType.ERROR),
        Check("NOT_AGAIN", _not_again, INSTEAD["NOT_AGAIN"], CheckMode.TRANSACTION, CheckType.ERROR),
    ]


def broken_rules(app: str, name: str) -> set[str]:
    """Codes of the rules that a migration breaks, judged by its SQL on PostgreSQL."""
    return broken_by(call_command("sqlmigrate", app, name, no_color=True, stdout=StringIO()).splitlines())


def broken_by(sql: list[str]) -> set[str]:
    """Codes of the rules that these lines of `sqlmigrate` break."""
    statements = [line for line in sql if line and not line.startswith("--")]
    errors, _, warnings = analyse_sql_statements(Analyser, statements, [])
    return {issue.code for issue in (*errors, *warnings)}
