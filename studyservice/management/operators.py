"""Base of the operators' commands."""

from django.core.management.base import BaseCommand

from studyservice.server.checks import ENVIRONMENT


class OperatorCommand(BaseCommand):
    """A command that operators and their timers run next to a server.

    Before it runs, it checks the environment, which may differ from the server's. The other system checks (models,
    URLs, tools) depend only on the code and take a second. The server runs them at its start, as do `check` and
    `migrate`.
    """

    requires_system_checks = (ENVIRONMENT,)
