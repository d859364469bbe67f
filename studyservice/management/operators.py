"""Base of operators' commands."""

from django.core.management.base import BaseCommand

from studyservice.server.checks import ENVIRONMENT


class OperatorCommand(BaseCommand):
    """A command that operators and their timers run next to a server.

    Before it runs, it checks what the environment says, which may be another than the server's. What else the system
    checks look at (models, addresses, tools) is the code's, and takes a second to load: the server looks at it when it
    starts, and `check` and `migrate` do.
    """

    requires_system_checks = (ENVIRONMENT,)
