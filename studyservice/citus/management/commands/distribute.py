"""Distribute members over the servers of Citus: move each table to its place, in one transaction."""

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction

from studyservice.citus.plan import has_citus, plan

SHARDS = 32
MOST_SHARDS = 64000
"""Citus's limit on the shards of a table."""


def _shards(text: str) -> int:
    """Parse a number of shards that Citus supports."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SHARDS:
        raise ArgumentTypeError(f"a number from 1 to {MOST_SHARDS}, not {text!r}")
    return int(text)


class Command(BaseCommand):
    """`distribute [--dry-run] [--shards N]`; run it again after `migrate`, to place new tables."""

    help = "Distribute members over the servers of Citus (docs/scaling.md). Nobody may write meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command's arguments."""
        parser.add_argument("--dry-run", action="store_true", help="print the statements; works without Citus")
        parser.add_argument("--shards", type=_shards, default=SHARDS, help="number of shards (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the statements, or execute and commit them.

        Raises:
            CommandError: the database is not a Citus coordinator.
        """
        if connection.vendor != "postgresql":
            raise CommandError("DATABASE_URL does not name a PostgreSQL.")
        with transaction.atomic(), connection.cursor() as cursor:
            statements = plan(cursor, options["shards"])
            if options["dry_run"]:
                self.stdout.write("".join(f"{statement};\n" for statement in statements), ending="")
                return
            if not has_citus(cursor):
                raise CommandError("This database has no Citus: CREATE EXTENSION citus, and add its servers first.")
            for statement in statements:
                cursor.execute(statement)
        self.stdout.write(f"Every table is in its place, after {len(statements)} statements.")
