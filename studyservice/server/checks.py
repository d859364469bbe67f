"""System checks for settings that are valid but probably wrong. The server and the commands run them at their start."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks
from django.core.checks import Tags, register
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections

from studyservice.environment import misspelled

ENVIRONMENT = "environment"
"""Tag of the checks of environment variables. Each command runs them (`studyservice.management.operators`)."""


@register(ENVIRONMENT)
def check_trusted_proxies(**_: Any) -> list[checks.CheckMessage]:
    """Check that something terminates TLS for an https `BASE_URL`, since the server itself does not."""
    if settings.TRUSTED_PROXIES or not settings.BASE_URL.startswith("https://"):
        return []
    return [
        checks.Warning(
            "BASE_URL is https, but TRUSTED_PROXIES is 0.",
            hint=(
                "Set TRUSTED_PROXIES to the number of proxies that a request passes: 1 for a single proxy, also if it "
                "runs on this machine. With 0 all clients share the rates of the proxy's address, and behind a proxy "
                "on another machine every page redirects to https endlessly."
            ),
            id="studyservice.W001",
        )
    ]


@register(ENVIRONMENT)
def check_variables(**_: Any) -> list[checks.CheckMessage]:
    """Check for variables whose names are probably misspelled. They have no effect."""
    return [
        checks.Warning(
            f"{name} is not a variable of the service.", hint=f"Did you mean {meant}?", id="studyservice.W005"
        )
        for name, meant in misspelled().items()
    ]


_CONNECTIONS = """
    SELECT least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
        nullif(datconnlimit, -1), nullif(rolconnlimit, -1)
    ) FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user
"""
"""The most connections that PostgreSQL allows the service; `least` ignores null, which means no limit."""


@register(Tags.database)
def check_connections(*, databases: Sequence[str] | None = None, **_: Any) -> list[checks.CheckMessage]:
    """Check that PostgreSQL allows as many connections as the processes may open. Costs a connection and a query.

    Like Django's database checks, it runs only if the database is named: at the start, in `migrate`, and in `check
    --database default`. It is skipped behind a pooler, which has its own connections.
    """
    wanted = settings.WEB_CONCURRENCY * (settings.WEB_THREADS + 1)
    found: list[checks.CheckMessage] = []
    for alias in databases or ():
        database = connections[alias]
        if database.vendor != "postgresql" or database.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
            continue
        allowed = _allowed_connections(alias)
        if allowed is not None and wanted > allowed:
            found.append(
                checks.Warning(
                    f"The processes may open {wanted} connections to PostgreSQL, which allows {allowed}.",
                    hint=(
                        "They are WEB_CONCURRENCY x (WEB_THREADS + 1). Raise max_connections, or the limit of the role "
                        "or of the database, or lower WEB_THREADS. Each further instance of the service holds as many."
                    ),
                    id="studyservice.W004",
                )
            )
    return found


@register(deploy=True)
def check_connections_in_deployment(*, databases: Sequence[str] | None = None, **_: Any) -> list[checks.CheckMessage]:
    """Check the connections in `check --deploy` and `checkinstall` too, which name no database."""
    return [] if databases else check_connections(databases=[DEFAULT_DB_ALIAS])


def _allowed_connections(alias: str) -> int | None:
    """Return the most connections that PostgreSQL allows; None if it is unreachable, which health reports."""
    try:
        # closed at once, not kept for this thread
        with closing(connections[alias].copy()) as own, own.cursor() as cursor:
            cursor.execute(_CONNECTIONS)
            [allowed] = cursor.fetchone()
    except OperationalError:
        return None
    return int(allowed)


class MissingStaticFilesError(Exception):
    """Static files of this version were not collected."""


def require_static_files() -> None:
    """Compare the files of the installed apps with the collected ones, by name.

    Raises:
        MissingStaticFilesError: some are missing.
    """
    names = {name for finder in get_finders() for name, _ in finder.list(StaticFilesConfig.ignore_patterns)}
    missing = sorted(name for name in names if not _is_collected(name))
    if missing:
        raise MissingStaticFilesError(f"{len(missing)} of {len(names)}, such as {missing[0]}")


def _is_collected(name: str) -> bool:
    hashed: dict[str, str] | None = getattr(staticfiles_storage, "hashed_files", None)  # a process reads it once
    stored = name if hashed is None else hashed.get(name, "")
    return bool(stored) and staticfiles_storage.exists(stored)


@register(deploy=True)
def check_static_files(**_: Any) -> list[checks.CheckMessage]:
    """Check that every page finds its scripts and styles."""
    try:
        require_static_files()
    except MissingStaticFilesError as error:
        hint = "Run: manage.py collectstatic --no-input. An installed package carries them: install it again."
        return [checks.Warning(f"Static files are not collected: {error}.", hint=hint, id="studyservice.W003")]
    return []
