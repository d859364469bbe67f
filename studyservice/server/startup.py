"""What the command line and the server do first."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


def load_settings() -> None:
    """Load the settings; a wrong one ends the process with its message instead of a traceback."""
    try:
        settings.BASE_URL  # noqa: B018  # the first access loads them
    except ImproperlyConfigured as error:
        raise SystemExit(f"Not started: {error}") from None


def load_command_settings() -> None:
    """The same for a management command, which waits longer for the database."""
    load_settings()
    settings.DATABASES = settings.COMMAND_DATABASES
