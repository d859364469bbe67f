"""Setup shared by the command line and the server."""

import gc

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

COMMAND_COLLECTS_AT = 50_000
"""Number of new objects before garbage collection of a command. Loading creates some 200,000."""


def load_settings() -> None:
    """Load the settings. A wrong one ends the process with its message instead of a traceback."""
    try:
        settings.BASE_URL  # noqa: B018  # the first access loads them
    except ImproperlyConfigured as error:
        raise SystemExit(f"Not started: {error}") from None


def load_command_settings() -> None:
    """Likewise for a management command, which waits longer for the database.

    Loaded objects stay, so garbage collection runs less often. Otherwise it would take a fifth of the start.
    """
    gc.set_threshold(COMMAND_COLLECTS_AT)
    load_settings()
    settings.DATABASES = settings.COMMAND_DATABASES
