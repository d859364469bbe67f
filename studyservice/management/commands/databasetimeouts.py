"""Set the database timeouts on the role, because a pooler refuses them from a connection."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import connection
from psycopg import sql

from studyservice.management.operators import OperatorCommand


class Command(OperatorCommand):
    """`databasetimeouts [--apply]`. Applies only to this database, not to others of the role."""

    help = "Print the statements that set the service's timeouts for its role in PostgreSQL, or execute them."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command's arguments."""
        parser.add_argument("--apply", action="store_true", help="execute them; they hold for new connections")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print or execute the statements."""
        if connection.vendor != "postgresql":
            raise CommandError("DATABASE_URL does not name a PostgreSQL.")
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user, current_database()")
            role, database = map(sql.Identifier, cursor.fetchone() or ())
            for name, value in settings.DATABASE_WAITS.parameters():
                setting = (sql.Identifier(name), sql.Literal(value))
                statement = sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} = {}").format(role, database, *setting)
                if options["apply"]:
                    cursor.execute(statement)
                self.stdout.write(statement.as_string(connection.connection) + ";")
