"""System checks: what is possible, but hardly meant. The server and the commands print them when they start."""

from typing import Any

from django.conf import settings
from django.core import checks

from studyservice.guides.served import is_built
from studyservice.server.static_files import MissingStaticFilesError, require_static_files

ENVIRONMENT = "environment"
"""Tag of the checks of environment variables. Each command runs them (`studyservice.management.operators`)."""


def check_trusted_proxies(**_: Any) -> list[checks.CheckMessage]:
    """Return whether somebody ends TLS for an https `BASE_URL`; the server itself does not."""
    if settings.TRUSTED_PROXIES or not settings.BASE_URL.startswith("https://"):
        return []
    return [
        checks.Warning(
            "BASE_URL is https, but TRUSTED_PROXIES is 0.",
            hint=(
                "Set TRUSTED_PROXIES to the number of proxies that a request passes. Without it every page redirects "
                "to https for ever, and all clients share the rates of the proxy's address."
            ),
            id="studyservice.W001",
        )
    ]


def check_guides(**_: Any) -> list[checks.CheckMessage]:
    """Return whether there is something to serve under /docs."""
    if is_built():
        return []
    return [checks.Warning("The guides are not built.", hint="Run: manage.py buildguides", id="studyservice.W002")]


def check_static_files(**_: Any) -> list[checks.CheckMessage]:
    """Return whether every page finds its scripts and styles."""
    try:
        require_static_files()
    except MissingStaticFilesError as error:
        hint = "Run: manage.py collectstatic --no-input. An installed package carries them: install it again."
        return [checks.Warning(f"Static files are not collected: {error}.", hint=hint, id="studyservice.W003")]
    return []
