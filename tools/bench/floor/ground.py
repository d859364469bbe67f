"""Shared by the floor's operations: a connection for each thread, the caller, errors."""

import hashlib
import os
import threading
import zoneinfo
from datetime import UTC, date, datetime
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

DATABASE_URL = os.environ["DATABASE_URL"]

_CREDENTIAL = """
    SELECT k.may_write, k.expires_at, m.id, m.time_zone, m.membership_active, m.membership_until,
        m.desired_retention
    FROM accounts_apikey k JOIN accounts_member m ON m.id = k.member_id
    WHERE k.secret_hash = %s AND k.revoked_at IS NULL AND m.is_active
"""

_local = threading.local()
_zones: dict[str, zoneinfo.ZoneInfo] = {}


class Refused(Exception):
    """An answer other than a success."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class Caller(NamedTuple):
    """The member who sends a request."""

    member: UUID
    today: date
    may_write: bool
    zone: zoneinfo.ZoneInfo
    desired_retention: float


def query(sql: str, parameters: Any) -> list[tuple[Any, ...]]:
    """Run one statement, prepared by psycopg, on this thread's connection."""
    connection: psycopg.Connection | None = getattr(_local, "connection", None)
    if connection is None:
        connection = _local.connection = psycopg.connect(DATABASE_URL, autocommit=True, options="-c timezone=UTC")
    return connection.execute(sql, parameters).fetchall()


def caller_of(environ: dict[str, Any]) -> Caller:
    """Return the caller, from one query."""
    scheme, _, secret = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    found = query(_CREDENTIAL, (hashlib.sha256(secret.encode()).hexdigest(),)) if scheme == "Bearer" else []
    if not found:
        raise Refused("401 Unauthorized")
    [(may_write, expires_at, member, time_zone, active, until, desired_retention)] = found
    now = datetime.now(UTC)
    if expires_at is not None and expires_at <= now:
        raise Refused("401 Unauthorized")
    zone = _zones.get(time_zone)
    if zone is None:
        zone = _zones[time_zone] = zoneinfo.ZoneInfo(time_zone)
    today = now.astimezone(zone).date()
    if not active or (until is not None and until < today):
        raise Refused("403 Forbidden")
    return Caller(member, today, may_write, zone, desired_retention)


def timestamp(value: datetime) -> str:
    """Return the time in the format of answers."""
    return value.isoformat(timespec="microseconds")[:26] + "Z"
