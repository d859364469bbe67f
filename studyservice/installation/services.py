"""Steps for the database, Redis and the language model. Those of the database depend on each other."""

from collections.abc import Iterator

from django.conf import settings
from django.db import Error, connection
from redis import RedisError

from studyservice.fetching.connecting import Deadline
from studyservice.fetching.model_api import ModelAPI, ModelError
from studyservice.installation.findings import Failed, Skipped, Step
from studyservice.language_model import LanguageModel
from studyservice.server.health import UnappliedMigrationsError, ping_redis, require_migrations

OLDEST_POSTGRESQL = 15

_MODEL_SECONDS = 10
_MOST_NAMED = 5


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
