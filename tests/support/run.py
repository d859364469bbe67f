"""The environment of a test run, inherited by its processes, and shortcuts that save time."""

import gc
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from studyservice.trial.alone import alone
from tests.support import citus, databases, migrated
from tests.support.postgres import start

DIRECTORY = "STUDYSERVICE_TEST_DIRECTORY"
"""The variable with the directory of the run."""

THOROUGH = "STUDYSERVICE_TEST_THOROUGH"
"""The variable set in a thorough run (`--thorough`)."""


def is_thorough() -> bool:
    """Return whether this run tests as much as possible, not only what takes a few minutes."""
    return bool(os.environ.get(THOROUGH))


BESIDE = "STUDYSERVICE_TEST_BESIDE"
"""The variable set in the smaller of two runs at once (`tests.support.both`)."""


def workers() -> int:
    """Return the number of workers for `-n auto`: one more than processors, because tests also wait.

    On PostgreSQL tests take a third as long as on SQLite, so beside that run fewer workers end at the same time.
    """
    processors = os.cpu_count() or 1
    return max(1, processors // 2) if os.environ.get(BESIDE) else processors + 1


OTHER_SERVER = "TEST_DATABASE_URL"
"""The variable with the URL of an existing PostgreSQL server, whose user can create databases."""


class Prepared(NamedTuple):
    """A prepared run.

    Attributes:
        directory: its directory, removed at the end.
        server: its PostgreSQL server, stopped at the end; None if the run starts none.
        migrate: migrates its database once Django is set up; does nothing if the database is a copy of a migrated one.
    """

    directory: Path
    server: Any
    migrate: Callable[[], None]

    def end(self) -> None:
        """Stop the server and remove the directory."""
        if self.server is not None:
            self.server.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


def prepare(database: str, *, thorough: bool = False) -> Prepared:
    """Set the environment for the settings, and start PostgreSQL if the run uses it.

    With `TEST_DATABASE_URL`, that server is used. It is neither started nor stopped here.
    """
    directory = Path(tempfile.mkdtemp(prefix="studyservice-test-"))
    for name in (
        "DATABASE_URL",
        "REDIS_URL",
        "TRUSTED_PROXIES",
        "CREDENTIAL_PREFIX",
        "METRICS_ADDRESS",
        "DATABASE_DISTRIBUTED",
    ):
        os.environ.pop(name, None)
    # Otherwise each process of the run, including this one and workers, compiles all modules.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    os.environ |= {
        DIRECTORY: str(directory),
        "DJANGO_SETTINGS_MODULE": "studyservice.settings",
        "DATA_DIR": str(directory / "data"),
        "SECRET_KEY": secrets.token_urlsafe(64),
        "BASE_URL": "http://127.0.0.1:8000",
        "EMAIL_URL": "consolemail://",
        "LOG_FORMAT": "json",
        "NODE_COMPILE_CACHE": str(directory / "node"),  # saves a tenth of a second in each of forty starts
        "ADMIN_SECOND_FACTOR": "proxy",  # tests of the second factor set it to required
        THOROUGH: str(thorough or ""),
    }
    if database == "citus":
        os.environ |= {"DATABASE_URL": os.environ[citus.URL], "DATABASE_DISTRIBUTED": "true"}
        return Prepared(directory, None, databases.migrate)
    if database == "sqlite":
        file = databases.file()
        file.parent.mkdir()
        is_there = migrated.restore("sqlite", file, databases.is_whole)
        return Prepared(directory, None, _nothing if is_there else _migrate_file)
    if other := os.environ.get(OTHER_SERVER):
        databases.create(other)
        return Prepared(directory, None, databases.migrate)
    if server := _start_copy(directory / "copy"):
        return Prepared(directory, server, _nothing)
    cluster = directory / "postgresql"
    server, url = start(cluster)
    databases.create(url)
    return Prepared(directory, server, partial(_migrate_cluster, server, cluster))


def _start_copy(cluster: Path) -> Any:
    """Start a copy of the migrated PostgreSQL in `cluster`. Return None if it is missing or damaged."""
    if not migrated.restore("postgresql", cluster, Path.is_dir):
        return None
    try:
        server, url = start(cluster)
    except subprocess.SubprocessError:
        return None
    try:
        databases.use(url)
        databases.look()
    except psycopg.Error:
        server.stop()
        return None
    return server


def _nothing() -> None:
    """Do nothing: the database is a copy of a migrated one."""


def _migrate_file() -> None:
    databases.migrate()
    migrated.keep("sqlite", databases.file())


def _migrate_cluster(server: Any, cluster: Path) -> None:
    databases.migrate()
    server.stop()  # so that its files are complete
    migrated.keep("postgresql", cluster)
    server.start()


def look_up_no_names() -> None:
    """Let this process resolve only this machine's name, so that no test contacts a foreign server."""
    look_up = socket.getaddrinfo

    def refuse(host: Any, *given: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host or ""
        if name not in {"", "localhost"} and not (":" in name or name.replace(".", "").isdigit()):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up(host, *given, **named)

    socket.getaddrinfo = refuse  # for all tests of the run


def hash_passwords_cheaply() -> None:
    """Use a cheap password hash: its cost only slows down attackers."""
    from studyservice.secrets.hashing import Argon2Hasher

    Argon2Hasher.time_cost, Argon2Hasher.memory_cost, Argon2Hasher.parallelism = 1, 8, 1


def collect_no_garbage() -> None:
    """Exempt everything loaded before the tests from garbage collection: it is never freed."""
    gc.disable()


def collect_new_garbage() -> None:
    """Collect garbage of the tests, but not of modules and collected tests."""
    gc.freeze()
    gc.enable()


def collect_static_files() -> None:
    """Collect static files again if they are newer: pages refer to scripts and styles by hash.

    Simultaneous runs do so in turn.
    """
    from django.conf import settings
    from django.core.management import call_command

    migrated.ENTRIES.mkdir(parents=True, exist_ok=True)
    with alone(migrated.ENTRIES / "building.lock"):
        made = Path(settings.STATIC_ROOT) / "staticfiles.json"
        ours = [path for path in Path(settings.BASE_DIR).glob("*/static/**/*") if path.is_file()]
        if not made.exists() or any(path.stat().st_mtime > made.stat().st_mtime for path in ours):
            call_command("collectstatic", interactive=False, verbosity=0)


def load_middleware_once() -> None:
    """Share the middleware among test clients until a setting changes. Each would load it for its first request."""
    from django.core.handlers.base import BaseHandler
    from django.test.client import ClientHandler
    from django.test.signals import setting_changed

    load = ClientHandler.load_middleware
    loaded: dict[str, Any] = {}

    def load_or_share(handler: BaseHandler, is_async: bool = False) -> None:
        if not loaded:
            load(handler, is_async)
            loaded.update({name: value for name, value in vars(handler).items() if "_middleware" in name})
        vars(handler).update(loaded)

    setattr(ClientHandler, load.__name__, load_or_share)
    setting_changed.connect(lambda **_: loaded.clear(), weak=False)


def flush_filled_tables() -> None:
    """Empty only tables with rows after a test that commits, and keep content types and permissions.

    Django empties every table, which writes three hundred files on PostgreSQL. Most tests fill only a few tables.
    """
    from django.contrib.contenttypes.management import create_contenttypes
    from django.db import connection
    from django.db.models.signals import post_migrate

    stay = {"django_content_type", "auth_permission"}

    def sql_flush(operations: Any, style: Any, tables: Iterable[str], **_: Any) -> list[str]:
        names = [operations.quote_name(table) for table in sorted(set(tables) - stay)]
        filled = (f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in names)  # noqa: S608  # of tables
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(filled))
            return [f"DELETE FROM {name}" for (name,) in cursor.fetchall()]  # noqa: S608  # of tables

    setattr(type(connection.ops), sql_flush.__name__, sql_flush)
    post_migrate.disconnect(create_contenttypes)
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
