"""Read environment variables. A missing or wrong value stops the start, with its name in the message.

A secret may also come from a file: NAME_FILE instead of NAME.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email
from platformdirs import user_data_path

from studyservice.database.waits import Waits

env = environ.FileAwareEnv()

BASE_DIR = Path(__file__).resolve().parent.parent
CHECKOUT = (BASE_DIR / "manage.py").exists()
"""True in a checkout. An installed package keeps no data next to its code."""

_DAY = 24 * 3600
LOOPBACK = {"localhost", "127.0.0.1", "::1"}


_known = {"BACKUPS", "BACKUPS_KEPT", "BACKUPS_VERIFY"}
"""The names of all variables: those of `deploy/backup.sh`, and each that the settings have read."""

_LIKENESS = 0.85
"""How alike a misspelled name is, as `difflib` measures it: SIGNUP and SIGN_UP are 0.92, HOSTNAME and HOST 0.67."""


def misspelled() -> dict[str, str]:
    """Return the environment's unknown variables that resemble a known one, with that. Call after loading settings."""
    found = {}
    for name in sorted(os.environ):
        bare = name.removesuffix("_FILE")
        if bare not in _known and (near := get_close_matches(bare.upper(), sorted(_known), n=1, cutoff=_LIKENESS)):
            found[name] = near[0] + name[len(bare) :]
    return found


def text(name: str, default: str = "") -> str:
    """Return the variable `name`, or the contents of the file in `name`_FILE; the default if empty."""
    _known.add(name)
    try:
        value: str = env.ENVIRON.get(name, "")
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE cannot be read: {error}") from error
    return value.strip() or default


def count(name: str, default: int, least: int, most: int = 65535) -> int:
    """Return a whole number from the environment, `least` to `most`."""
    value = text(name, str(default))
    if not (value.isascii() and value.isdecimal() and len(value) <= 10 and least <= int(value) <= most):
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, not {value!r}.")
    return int(value)


def seconds(name: str, default: int, least: int = 1) -> int:
    """Return a whole number of seconds, at most a day."""
    return count(name, default, least, _DAY)


def flag(name: str, *, default: bool) -> bool:
    """Return `true` or `false` from the environment."""
    value = text(name, str(default)).lower()
    if value not in {"true", "false"}:
        raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")
    return value == "true"


def data_dir() -> Path:
    """Return DATA_DIR, the directory of files and SQLite's database: by default `var` in a checkout, else the user's
    data directory.
    """
    return Path(text("DATA_DIR") or (BASE_DIR / "var" if CHECKOUT else user_data_path("study-data-service"))).resolve()


def secret_key(trial: Path | None) -> str:
    """Return SECRET_KEY, or the contents of a trial's file. Refuses a guessable key."""
    key = trial.read_text().strip() if trial else text("SECRET_KEY")
    if not key:
        raise ImproperlyConfigured("SECRET_KEY is not set. Set it to 50 or more random characters.")
    if _is_weak(key):
        raise ImproperlyConfigured("SECRET_KEY is weak. Set it to 50 or more random characters.")
    return key


def secret_key_fallbacks() -> list[str]:
    """Return SECRET_KEY_FALLBACKS: earlier keys, separated by white space, whose signatures are still valid."""
    keys = text("SECRET_KEY_FALLBACKS").split()
    if any(_is_weak(key) for key in keys):
        raise ImproperlyConfigured("SECRET_KEY_FALLBACKS has a weak key: each has 50 or more random characters.")
    return keys


def _is_weak(key: str) -> bool:
    return len(key) < 50 or len(set(key)) < 5 or key.startswith("django-insecure-")


def base_url(default: str, *, trial: bool) -> str:
    """Return BASE_URL, the public origin: https, or http on loopback and, in a trial, in a private network."""
    url = text("BASE_URL", default)
    if not url:
        raise ImproperlyConfigured("BASE_URL is not set. Set it to the public origin, such as https://example.org.")
    parts = split_url(url)
    if parts is None:
        raise ImproperlyConfigured(f"BASE_URL is not an origin such as https://example.org: {url}")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ImproperlyConfigured(f"BASE_URL must be an origin without a path: {url}")
    host = parts.hostname or ""
    if parts.scheme == "http" and not (host in LOOPBACK or (trial and is_private(host))):
        where = "on loopback or, in a trial, in a private network" if trial else "on loopback"
        raise ImproperlyConfigured(f"BASE_URL must be https, except {where}: {url}")
    return f"{parts.scheme}://{parts.netloc}"


def split_url(url: str) -> SplitResult | None:
    """Return the parts of an http or https URL; None if it is not one, or has a user."""
    try:
        parts = urlsplit(url)
        usable = parts.hostname and parts.port != 0 and parts.scheme in {"http", "https"} and "@" not in parts.netloc
    except ValueError:
        return None
    return parts if usable else None


def is_private(host: str) -> bool:
    """Return whether the host is private (RFC 1918 and 4193, 6762 for `.local`, 8375 for `.home.arpa`)."""
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".home.arpa"))
    return address.is_private and not address.is_unspecified


def choice(name: str, default: str, choices: Sequence[str]) -> str:
    """Return one of a few words from the environment."""
    value = text(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be {', '.join(choices[:-1])} or {choices[-1]}, not {value!r}.")
    return value


def web_address(name: str) -> str:
    """Return an http or https URL from the environment; empty if it is not set."""
    url = text(name)
    if url and not (split_url(url) and url.isprintable() and " " not in url):
        raise ImproperlyConfigured(f"{name} must be an address such as https://example.org/page, not {url!r}.")
    return url


def contact_url() -> str:
    """Return CONTACT_URL, to contact the operators: a web address, or `mailto:` with an e-mail address."""
    url = text("CONTACT_URL")
    scheme, _, address = url.partition(":")
    if scheme != "mailto":
        return web_address("CONTACT_URL")
    try:
        validate_email(address)
    except ValidationError as error:
        raise ImproperlyConfigured(f"CONTACT_URL must be such as mailto:help@example.org, not {url!r}.") from error
    return url


def file_storage() -> dict[str, Any]:
    """Return the storage of uploaded files: the S3 bucket S3_BUCKET, or else DATA_DIR.

    Without S3_ENDPOINT it is AWS. Without S3_ACCESS_KEY, boto3 searches for credentials itself.
    """
    bucket, endpoint = text("S3_BUCKET"), web_address("S3_ENDPOINT")
    access, secret, region = text("S3_ACCESS_KEY"), text("S3_SECRET_KEY"), text("S3_REGION")
    if not bucket:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    if bool(access) != bool(secret):
        raise ImproperlyConfigured("S3_ACCESS_KEY and S3_SECRET_KEY go together: set both or none.")
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ImproperlyConfigured("S3_BUCKET needs more packages: install those of requirements/s3.txt as well.")
    from botocore.config import Config  # noqa: PLC0415  # installed only with a bucket

    options = {
        "bucket_name": bucket,
        "endpoint_url": endpoint or None,
        "region_name": region or None,
        "access_key": access or None,
        "secret_key": secret or None,
        "client_config": Config(
            signature_version="s3v4",
            s3={"addressing_style": "path" if endpoint else "auto"},
            connect_timeout=5,
            read_timeout=15,
            retries={"total_max_attempts": 2, "mode": "standard"},
        ),
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def credential_prefix() -> str:
    """Return CREDENTIAL_PREFIX: a few lower-case letters or digits."""
    prefix = text("CREDENTIAL_PREFIX", "svc")
    if not _is_prefix(prefix):
        raise ImproperlyConfigured("CREDENTIAL_PREFIX must be 1 to 12 lower-case letters and digits.")
    return prefix


def credential_prefix_fallbacks() -> list[str]:
    """Return CREDENTIAL_PREFIX_FALLBACKS: earlier and future valid prefixes, separated by white space."""
    prefixes = text("CREDENTIAL_PREFIX_FALLBACKS").split()
    if not all(map(_is_prefix, prefixes)):
        raise ImproperlyConfigured("CREDENTIAL_PREFIX_FALLBACKS: each has 1 to 12 lower-case letters and digits.")
    return prefixes


def _is_prefix(text: str) -> bool:
    return text.isascii() and text.isalnum() and text.islower() and len(text) <= 12


def databases(data_dir: Path, waits: Waits, backend: str) -> dict[str, dict[str, Any]]:
    """Return settings for PostgreSQL from DATABASE_URL, or SQLite in `data_dir`. Options in the URL take precedence.

    Args:
        data_dir: the directory of the SQLite file.
        waits: timeouts of either database.
        backend: the module of the backend for PostgreSQL.
    """
    url = text("DATABASE_URL", f"sqlite:///{data_dir / 'studyservice.sqlite3'}")
    database: dict[str, Any] = {}
    if url.startswith(("postgres://", "postgresql://", "sqlite:///")):
        with suppress(ValueError):
            database = env.db_url_config(url)
    if not database.get("NAME") or database["NAME"] == ":memory:":
        # The URL may contain a password, so the message omits it.
        raise ImproperlyConfigured(
            "DATABASE_URL is not a database URL: use postgres://user:password@host:5432/name or sqlite:////path/to/file."
        )
    database["CONN_MAX_AGE"] = None
    database.setdefault("OPTIONS", {})
    if database["ENGINE"] == "django.db.backends.postgresql":
        database["ENGINE"] = backend
        _set_up_postgresql(database, waits)
    else:
        database["OPTIONS"] |= {
            "transaction_mode": "IMMEDIATE",
            "timeout": waits.lock,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON;",
        }
    return {"default": database}


def _set_up_postgresql(database: dict[str, Any], waits: Waits) -> None:
    """Add our defaults for PostgreSQL and its driver. The URL takes precedence."""
    database["CONN_HEALTH_CHECKS"] = True
    options = database["OPTIONS"]
    # Values are sent separately from statements, and the server prepares statements after a few uses. Then it plans
    # each only once per connection.
    options.setdefault("server_side_binding", True)
    if flag("DATABASE_POOLED", default=False):
        # Prepared statements and cursors do not survive a transaction, because the next one may use another connection.
        options["prepare_threshold"] = None
        database["DISABLE_SERVER_SIDE_CURSORS"] = True
        # A pooler refuses start-up options. The role sets the same values (`manage.py databasetimeouts`).
    else:
        options["options"] = waits.startup_options(options.get("options", ""))
    options.setdefault("prepare_threshold", 3)
    options["deadline"] = waits.deadline
    for name, value in _transport().items():
        options.setdefault(name, value)


def _transport() -> dict[str, int]:
    """Return connection options that detect a lost PostgreSQL server (libpq 34.1.2, Parameter Key Words)."""
    return {
        "connect_timeout": seconds("DATABASE_CONNECT_TIMEOUT", default=5, least=2),
        "tcp_user_timeout": 1000 * seconds("DATABASE_TCP_USER_TIMEOUT", default=10),
        "keepalives_idle": seconds("DATABASE_KEEPALIVES_IDLE", default=30),
        "keepalives_interval": seconds("DATABASE_KEEPALIVES_INTERVAL", default=5),
        "keepalives_count": count("DATABASE_KEEPALIVES_COUNT", default=3, least=1, most=100),
    }


def redis_url() -> str | None:
    """Return REDIS_URL, or None for counters in the memory of one process."""
    url = text("REDIS_URL")
    if url and not url.startswith(("redis://", "rediss://", "redis+unix://")):
        raise ImproperlyConfigured("REDIS_URL is not a Redis URL such as redis://host:6379/0.")
    return url or None


def metrics_address(service: tuple[str, int]) -> tuple[str, int] | None:
    """Return METRICS_ADDRESS as host and port, or None for no metrics. `service` is the service's own address."""
    address = text("METRICS_ADDRESS")
    if not address:
        return None
    parts = split_url(f"http://{address}")
    if parts is None or not (parts.hostname and parts.port) or parts.netloc != address:
        raise ImproperlyConfigured(f"METRICS_ADDRESS must be host:port, such as 127.0.0.1:9100, not {address!r}.")
    if (parts.hostname, parts.port) == service:
        raise ImproperlyConfigured("METRICS_ADDRESS must not be the address of the service itself.")
    return parts.hostname, parts.port


def email(default: str) -> dict[str, Any]:
    """Return Django's e-mail settings from EMAIL_URL."""
    url = text("EMAIL_URL", default)
    if not url:
        raise ImproperlyConfigured(
            "EMAIL_URL is not set. Set it to smtp+tls://user:password@host:587, or consolemail:// to print messages."
        )
    try:
        config: dict[str, Any] = env.email_url_config(url)
    except (ValueError, ImproperlyConfigured):
        raise ImproperlyConfigured(
            "EMAIL_URL is not an e-mail URL such as smtp+tls://user:password@host:587."
        ) from None
    return config
