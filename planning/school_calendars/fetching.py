"""Fetching a calendar from a school and reading it, without holding a database connection."""

import hashlib
import re
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.db import connection

from planning.calendar.files import MAX_BYTES, CalendarFile, NotACalendar, read_school_calendar
from planning.school_calendars.addresses import unsealed
from studyservice.fetching.connecting import Fault, FetchError
from studyservice.fetching.guarded import FetchBounds, Validators, fetch
from studyservice.operations.errors import RateLimited
from studyservice.rows.access import Access

LIMITS = FetchBounds(seconds=10, size=MAX_BYTES, redirects=3)
ACCEPT = "text/calendar, */*;q=0.1"
MOST_AT_ONCE = 2
"""Maximum number of concurrent fetches per server process. The other threads answer other calls."""

_STAMPS = re.compile(rb"(?m)^DTSTAMP[:;][^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n?")
"""Lines with only the time of writing, which many servers update for each answer."""

_WITH_TIMES = "t"
"""The first letter of a fingerprint since readings have times. Before, it was a hexadecimal digit."""

_FINGERPRINT = 64
"""Characters of one (`SchoolCalendar.fingerprint`)."""

_RECURS = re.compile(rb"(?m)^(?:RRULE|RDATE)[:;]")
_LASTING = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)

_WORDS = {
    Fault.ADDRESS_INVALID: "The school's server redirects to an address that is not read.",
    Fault.ADDRESS_NOT_PUBLIC: "The address, or one that it redirects to, is not on the public internet.",
    Fault.UNREACHABLE: "The school's server could not be reached, or its certificate is not valid.",
    Fault.TIMED_OUT: f"The school's server did not answer within {LIMITS.seconds:g} seconds.",
    Fault.REDIRECTED: f"The school's server redirects more than {LIMITS.redirects} times.",
    Fault.ENCODED: "The school's server sent a compressed answer, which was not asked for.",
    Fault.TOO_LARGE: "The calendar is larger than 2 MiB.",
}
_NO_SUCH_HOST = "There is no host of this name. Check the address for a typing error."
_LOST = "The address can no longer be read here. Delete the calendar and add it anew."
NOTHING_KNOWN = Validators()
NOT_A_CALENDAR = "not_a_calendar"
ADDRESS_LOST = "address_lost"


@dataclass(frozen=True, slots=True)
class Asked:
    """The data for a request, without the database.

    Attributes:
        sealed_address: decrypted only for the request.
        fingerprint: of the stored reading; empty without one.
        validators: of the stored reading.
    """

    sealed_address: str
    fingerprint: str = ""
    validators: Validators = NOTHING_KNOWN


@dataclass(frozen=True, slots=True)
class Read:
    """A calendar was read.

    Attributes:
        reading: None if it equals the stored one.
    """

    reading: CalendarFile | None
    fingerprint: str
    validators: Validators


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing was read.

    Attributes:
        type: a machine-readable error type.
        lasts: whether the error stops the calendar at once.
    """

    type: str
    message: str
    lasts: bool = False


_free = BoundedSemaphore(max(1, min(MOST_AT_ONCE, settings.WEB_THREADS - 1)))


@contextmanager
def slot() -> Iterator[None]:
    """Occupy a place among the fetches of this server process.

    Raises:
        RateLimited: all places are occupied.
    """
    if not _free.acquire(blocking=False):
        raise RateLimited(round(LIMITS.seconds))
    try:
        yield
    finally:
        _free.release()


def ask(access: Access, asked: Asked, *, turn: AbstractContextManager[Any] | None = None) -> Read | Failed:
    """Fetch and read. Must not be called inside a transaction.

    Args:
        turn: held while the file is read, as a process reads one file at a time; None does not wait for other readings.

    Raises:
        RateLimited: files are being read.
        ReadingStarved: the machine is too busy to read the file.
    """
    url = unsealed(asked.sealed_address)
    validators = asked.validators if asked.fingerprint.startswith(_WITH_TIMES) else NOTHING_KNOWN
    if url is None:
        return Failed(ADDRESS_LOST, _LOST, lasts=True)
    _let_go_of_database()
    try:
        answer = fetch(url, LIMITS, accept=ACCEPT, validators=validators)
    except FetchError as error:
        return _failed(error)
    if answer.unchanged:
        return Read(None, asked.fingerprint, asked.validators)
    fingerprint = fingerprint_of(access, answer.body)
    if fingerprint == asked.fingerprint:
        return Read(None, fingerprint, answer.validators)
    with turn or nullcontext(), tempfile.TemporaryFile() as file:
        file.write(answer.body)
        file.flush()
        try:
            reading = read_school_calendar(access, file)
        except NotACalendar as error:
            return Failed(NOT_A_CALENDAR, _not_a_calendar(error))
    return Read(reading, fingerprint, answer.validators)


def _not_a_calendar(error: NotACalendar) -> str:
    if error.too_much:
        return "There is too much in the calendar to be read."
    return "The school's server sent no calendar, perhaps a page to sign in. Check the address in your school's system."


def _failed(error: FetchError) -> Failed:
    if error.unknown_host:
        return Failed(error.fault.value, _NO_SUCH_HOST)
    if error.fault is not Fault.STATUS:
        return Failed(error.fault.value, _WORDS[error.fault])
    return Failed(
        error.fault.value,
        f"The school's server answered with the status {error.status}.",
        lasts=error.status in _LASTING,
    )


def fingerprint_of(access: Access, body: bytes) -> str:
    """The fingerprint of a reading, including the member's day, from which recurring events are expanded.

    A reading from before times has another one, so that the same file is read again.
    """
    digest = hashlib.sha256(_STAMPS.sub(b"", body))
    digest.update(access.member.time_zone.encode())
    if _RECURS.search(body):
        digest.update(access.today().isoformat().encode())
    return f"{_WITH_TIMES}{digest.hexdigest()[:-1]}"


def is_same_file(fingerprint: str, other: str) -> bool:
    """Return whether two fingerprints are of the same file, one perhaps from before times."""
    one, two = (text.removeprefix(_WITH_TIMES)[: _FINGERPRINT - 1] for text in (fingerprint, other))
    return one == two


def _let_go_of_database() -> None:
    """Close the thread's database connection. An open transaction is the caller's error and is not ended."""
    if not connection.in_atomic_block:
        connection.close()
