"""Databases of the run: one is migrated at the start, and all others are copies of it."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg

from tests.support import citus

_MIGRATED = "migrated"
_MAINTENANCE = "postgres"


def file() -> Path:
    """The migrated SQLite database of a run, at the path that the service uses."""
    return Path(os.environ["DATA_DIR"]) / "studyservice.sqlite3"


def create(url: str) -> None:
    """Create the database to migrate in the server at `url`, and set it in the environment."""
    _execute(
        url, f"DROP DATABASE IF EXISTS {_MIGRATED} WITH (FORCE)"
    )  # left by an earlier run in a server that keeps running
    _execute(url, f"CREATE DATABASE {_MIGRATED}")
    use(url)


def use(url: str) -> None:
    """Set the migrated database of the server at `url` in the environment."""
    os.environ["DATABASE_URL"] = _at(url, _MIGRATED)


def migrate() -> None:
    """Migrate that database with Django set up for it."""
    from django.core.management import call_command
    from django.db import connections

    call_command("migrate", verbosity=0)
    connections.close_all()  # a database in use cannot be copied


def url_of(name: str) -> str:
    """The URL of the database `name`, which on SQLite is a path."""
    url = os.environ.get("DATABASE_URL")
    return f"sqlite:///{name}" if url is None else _at(url, name)


def is_whole(file: Path) -> bool:
    """Return whether `file` is an undamaged SQLite database that was migrated."""
    try:
        with closing(sqlite3.connect(file)) as connection:
            [migrations] = connection.execute("SELECT count(*) FROM django_migrations").fetchone()
            [damage] = connection.execute("PRAGMA quick_check").fetchone()
    except sqlite3.DatabaseError:
        return False
    return bool(migrations) and damage == "ok"


def look() -> None:
    """Read the migrated database of a PostgreSQL server.

    Raises:
        psycopg.Error: it is missing or damaged.
    """
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        connection.execute("SELECT count(*) FROM django_migrations")


@contextmanager
def copied(name: str, directory: Path) -> Iterator[str]:
    """The URL of a copy of the migrated database: `name` on PostgreSQL, or a file of that name in `directory`."""
    url = os.environ.get("DATABASE_URL")
    if citus.URL in os.environ:
        yield os.environ[citus.URL]  # which cannot be copied
        return
    if url is None:
        path = directory / f"{name}.sqlite3"
        shutil.copy(file(), path)
        yield url_of(str(path))
        return
    _execute(url, f'CREATE DATABASE "{name}" TEMPLATE {_MIGRATED}')
    yield url_of(name)
    _execute(url, f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def connected(url: str) -> Iterator[None]:
    """Use the copy at `url` for Django's queries in this thread.

    The connection is opened here because pytest-django only allows connections to the tests' own database.
    """
    from django.db import connections

    connection: Any = connections.create_connection("default")
    path = unquote(urlsplit(url).path)
    name = path if connection.vendor == "sqlite" else path.removeprefix("/")
    connection.settings_dict = connection.settings_dict | {"NAME": name}
    connection.ensure_connection = _nothing_to_do  # connect now, while pytest-django allows it
    connection.connect()
    connections["default"] = connection
    try:
        yield
    finally:
        connection.close()
        del connections["default"]


def _nothing_to_do() -> None:
    return None


def _execute(url: str, statement: str) -> None:
    with psycopg.connect(_at(url, _MAINTENANCE), autocommit=True) as connection:
        connection.execute(statement.encode())


def _at(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{name}").geturl()
