"""The environment of a run of the tests, which its processes inherit, and what makes the run cheap."""

import gc
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from tests.support import citus, databases, migrated
from tests.support.postgres import start

DIRECTORY = "STUDYSERVICE_TEST_DIRECTORY"
"""The variable that names the directory of the run."""

THOROUGH = "STUDYSERVICE_TEST_THOROUGH"
"""The variable that is set in a thorough run (`--thorough`)."""


def is_thorough() -> bool:
    """Whether this run is to show all that it can, or as much as fits into minutes."""
    return bool(os.environ.get(THOROUGH))


OTHER_SERVER = "TEST_DATABASE_URL"
"""The variable with the address of a PostgreSQL that is there; the user may make databases in it."""


class Prepared(NamedTuple):
    """A run about to begin.

    Attributes:
        directory: of the run, to be removed at its end.
        server: its PostgreSQL, to be stopped; None where the run starts none.
        migrate: migrates its database, once Django is set up; does nothing where a copy of a migrated one lies there.
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
    """Set the environment for the settings, and start the PostgreSQL of a run that is on one.

    With `TEST_DATABASE_URL` that PostgreSQL is used, which is neither started nor stopped here.
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
    # Each process of the run, its workers too, would compile all modules anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ |= {
        DIRECTORY: str(directory),
        "DJANGO_SETTINGS_MODULE": "studyservice.settings",
        "DATA_DIR": str(directory / "data"),
        "SECRET_KEY": secrets.token_urlsafe(64),
        "BASE_URL": "http://127.0.0.1:8000",
        "EMAIL_URL": "consolemail://",
        "LOG_FORMAT": "json",
        "NODE_COMPILE_CACHE": str(directory / "node"),  # a tenth of a second of each of forty starts
        "ADMIN_SECOND_FACTOR": "proxy",  # tests of the second factor itself set it to required
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
    """Start a copy of the migrated PostgreSQL in `cluster`. Return None if there is none or it is damaged."""
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
    """A copy of a migrated database needs no migration."""


def _migrate_file() -> None:
    databases.migrate()
    migrated.keep("sqlite", databases.file())


def _migrate_cluster(server: Any, cluster: Path) -> None:
    databases.migrate()
    server.stop()  # so that its files are whole
    migrated.keep("postgresql", cluster)
    server.start()


def look_up_no_names() -> None:
    """Let this process know no host but this machine, so that no test asks somebody else's server."""
    look_up = socket.getaddrinfo

    def refuse(host: Any, *given: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host or ""
        if name not in {"", "localhost"} and not (":" in name or name.replace(".", "").isdigit()):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up(host, *given, **named)

    socket.getaddrinfo = refuse  # for all tests of the run


def hash_passwords_cheaply() -> None:
    """The cost of a password hash is there to slow down who guesses; what is tested is that it is made."""
    from studyservice.secrets.hashing import Argon2Hasher

    Argon2Hasher.time_cost, Argon2Hasher.memory_cost, Argon2Hasher.parallelism = 1, 8, 1


def collect_no_garbage() -> None:
    """What is loaded until the tests begin stays: looking through it for garbage again and again finds none."""
    gc.disable()


def collect_new_garbage() -> None:
    """Of what the tests make, and not of the modules and the tests themselves."""
    gc.freeze()
    gc.enable()


def build_guides() -> None:
    """Build the guides again if their sources are newer."""
    from studyservice.guides.building import build
    from studyservice.guides.catalog import BUILT

    sources = ("docs/*.md", "docs/openapi.json", "*.md", "studyservice/guides/*.py", "requirements.txt")
    if _older(BUILT / "search.json", [path for pattern in sources for path in migrated.ROOT.glob(pattern)]):
        build()


def collect_static_files() -> None:
    """Collect static files again if they are newer: pages name scripts and styles by their hashes."""
    from django.conf import settings
    from django.core.management import call_command

    ours = [path for path in Path(settings.BASE_DIR).glob("*/static/**/*") if path.is_file()]
    if _older(Path(settings.STATIC_ROOT) / "staticfiles.json", ours):
        call_command("collectstatic", interactive=False, verbosity=0)


def _older(made: Path, sources: Iterable[Path]) -> bool:
    """Whether `made` is missing, or older than one of its sources."""
    return not made.exists() or any(path.stat().st_mtime > made.stat().st_mtime for path in sources)


def load_middleware_once() -> None:
    """Each test client would load all middleware anew for its first request; they share it until a setting changes."""
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


def flush_what_has_rows() -> None:
    """After a test that commits, Django empties every table, and makes content types and permissions anew.

    On PostgreSQL that writes three hundred files. Most tests fill a few tables, and none changes those two.
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
