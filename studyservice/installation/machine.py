"""Steps about this machine and what the service uses: settings, files, database, Redis, language model, clock."""

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core import checks
from django.db import Error, connection
from redis import RedisError

from studyservice.fetching.connecting import Deadline
from studyservice.fetching.model_api import ModelAPI, ModelError
from studyservice.installation.findings import Failed, Skipped, Step
from studyservice.language_model import LanguageModel
from studyservice.server.health import UnappliedMigrationsError, database_drift, ping_redis, require_migrations

LEAST_FREE_MIB = 1024
"""Importing an archive takes 700 MiB of temporary space."""

MOST_DRIFT_SECONDS = 2.0

OLDEST_POSTGRESQL = 15

_MODEL_SECONDS = 10
_MOST_NAMED = 5

_STEPS = {"studyservice.W003": "static files"}
"""System checks with their own step. All others belong to the step `settings`."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def settings_steps() -> Iterator[Step]:
    """Return a step for each group of `check --deploy`.

    Over plain http, which is for loopback only, Django's checks of https are left out.
    """
    secure = settings.BASE_URL.startswith("https://")
    found = checks.run_checks(include_deployment_checks=True)
    messages = [one for one in found if not one.is_silenced() and (secure or not str(one.id).startswith("security."))]
    for step in ("settings", *_STEPS.values()):
        yield (
            step,
            partial(_report, [message for message in messages if _STEPS.get(message.id or "", "settings") == step]),
        )


def _report(messages: list[checks.CheckMessage]) -> str:
    if not messages:
        return "no warnings."
    found = " ".join(f"{message.msg} ({message.id})" for message in messages)
    raise Failed(found, " ".join(message.hint for message in messages if message.hint))


def processes() -> str:
    """Check that several processes share their counters."""
    if settings.WEB_CONCURRENCY > 1 and settings.REDIS_URL is None:
        raise Failed(
            f"WEB_CONCURRENCY is {settings.WEB_CONCURRENCY}, and REDIS_URL is not set.",
            "Set REDIS_URL, or WEB_CONCURRENCY to 1: the server does not start with both as they are.",
        )
    return f"{settings.WEB_CONCURRENCY} with {settings.WEB_THREADS} threads each."


def data_dir() -> str:
    """Check that the service can write to `DATA_DIR`, and that nobody else can read it."""
    directory: Path = settings.DATA_DIR
    user = f"uid {os.geteuid()}"
    remedy = f"Make it a directory of the service's user: install -d -o study -g study -m 700 {directory}"
    try:
        found = directory.stat()
    except OSError as error:
        raise Failed(f"{directory}: {error.strerror}.", remedy) from None
    if found.st_uid != os.geteuid():
        raise Failed(
            f"{directory} belongs to uid {found.st_uid}, and this process runs as {user}.",
            "Run commands as the service's user, or give the directory to that user.",
        )
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise Failed(f"Cannot write to {directory}: {error.strerror}.", remedy) from None
    if found.st_mode & _OTHERS:
        raise Failed(f"Others can read {directory} (mode {found.st_mode & 0o777:o}).", f"chmod 700 {directory}")
    kept = (file for file in directory.iterdir() if not file.is_symlink())
    strange = next((file for file in kept if file.stat().st_uid != os.geteuid()), None)
    if strange is not None:
        raise Failed(
            f"{strange} belongs to uid {strange.stat().st_uid}, and this process runs as {user}.",
            f"chown -R study:study {directory}: a command was run as another user.",
        )
    return f"{directory}, {user}."


def free_space(least_mib: int) -> str:
    """Compare the free space for `DATA_DIR` and temporary files with `least_mib`."""
    told = []
    for name, directory in (("DATA_DIR", settings.DATA_DIR), ("TMPDIR", Path(tempfile.gettempdir()))):
        try:
            free = shutil.disk_usage(directory).free // 2**20
        except OSError as error:
            raise Skipped(f"{directory}: {error.strerror}.") from None
        if free < least_mib:
            raise Failed(
                f"{directory} ({name}) has {free} MiB free and needs {least_mib}.",
                "Free some space: docs/bad-days.md, The disk is full.",
            )
        told.append(f"{free} MiB in {directory}")
    return f"{', '.join(told)}."


def database_steps() -> Iterator[Step]:
    """Return the steps for the database."""
    yield "database", _connect
    yield "database version", _version
    yield "migrations", _migrations


def _connect() -> str:
    database = settings.DATABASES["default"]
    where = str(database["NAME"])
    if connection.vendor == "postgresql":
        where = f"{where} at {database['HOST'] or 'the local socket'}"
    try:
        connection.ensure_connection()
    except Error as error:
        raise Failed(
            f"{where} does not answer: {' '.join(str(error).split())}.",
            "Check that it runs, and that DATABASE_URL names its host, user, password and database.",
        ) from None
    return f"{where}."


def _version() -> str:
    if connection.vendor != "postgresql":
        return "SQLite, for one machine."
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version_num')::int, current_setting('server_version')")
        number, told = cursor.fetchone()
    if number // 10000 < OLDEST_POSTGRESQL:
        raise Failed(f"PostgreSQL {told} is too old.", f"Upgrade it to {OLDEST_POSTGRESQL} or newer.")
    return f"PostgreSQL {told}."


def _migrations() -> str:
    try:
        require_migrations(connection)
    except UnappliedMigrationsError as error:
        names = str(error).split(", ")
        raise Failed(
            f"{len(names)} migrations were not applied, such as {names[0]}.",
            "Run `migrate` of this version, then restart the server.",
        ) from None
    return "all applied."


def redis() -> str:
    """Check that Redis answers, if configured."""
    if settings.REDIS_URL is None:
        raise Skipped("REDIS_URL is not set; one process needs none.")
    try:
        ping_redis()
    except (RedisError, OSError) as error:
        raise Failed(
            f"It does not answer: {str(error).rstrip('.')}.",
            "Check that it runs, and that REDIS_URL has its host and password.",
        ) from None
    return "answers."


def syllabus_model(model: LanguageModel) -> str:
    """Check that the server of the language model answers and has the model."""
    try:
        names = ModelAPI(model, Deadline(_MODEL_SECONDS)).names()
    except ModelError as error:
        raise Failed(
            f"{model.url}/models: {error.reason}",
            "Check that it runs, that SYLLABUS_MODEL_URL is the root of its API, such as "
            "http://127.0.0.1:11434/v1, and SYLLABUS_MODEL_KEY.",
        ) from None
    if model.name not in names and f"{model.name}:latest" not in names:
        known = ", ".join(names[:_MOST_NAMED]) or "none"
        raise Failed(f"{model.url} has no model {model.name}.", f"Set SYLLABUS_MODEL to one that it has: {known}.")
    return f"{model.url} has {model.name}."


def clock() -> str:
    """Compare the clock with that of the database, and ask systemd whether it is synchronized."""
    remedy = "Turn on time synchronization: timedatectl set-ntp true. Then see docs/operating.md, Clocks."
    drift = database_drift()
    if drift is not None and drift > MOST_DRIFT_SECONDS:
        raise Failed(f"This machine's clock and PostgreSQL's differ by {drift:.0f} seconds.", remedy)
    synchronized = _synchronized()
    if synchronized == "no":
        raise Failed("The clock is not synchronized.", remedy)
    if synchronized is None and drift is None:
        raise Skipped("unknown without systemd, and there is no other clock to compare.")
    told = ["synchronized"] if synchronized else []
    return f"{', '.join(told if drift is None else [*told, 'the same as that of PostgreSQL'])}."


def _synchronized() -> str | None:
    """Return `yes` or `no`, or None where systemd does not run."""
    program = shutil.which("timedatectl")
    if program is None:
        return None
    show = [program, "show", "--property=NTPSynchronized", "--value"]
    try:
        asked = subprocess.run(show, capture_output=True, text=True, check=False, timeout=10)  # noqa: S603  # constant
    except subprocess.TimeoutExpired:
        return None
    answer = asked.stdout.strip()
    return answer if answer in {"yes", "no"} else None
