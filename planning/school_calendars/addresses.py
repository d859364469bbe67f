"""Addresses of school calendars: validation, encryption, and short display.

An address is a secret, because anybody who has it can read the calendar. This module and its callers never put it into
a log, a message or an exception.
"""

import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from planning.models import SchoolCalendar
from studyservice.operations.errors import ValidationFailed
from studyservice.secrets.sealing import Seal, Sealed

MAX_ADDRESS = 2000
_SHOWN = 4
_HTTPS_PORT = 443
_BEGINNING = re.compile("(?:https|webcal)://", re.IGNORECASE)
_UNUSABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\\]")
_SEAL = Seal("planning.school_calendars")
SCHOOL_CALENDARS = Sealed(_SEAL, SchoolCalendar, "sealed_address")


class Address(NamedTuple):
    """A valid address.

    Attributes:
        url: with `https`, the host as below, no port, and at least `/` as path. Equal for equal addresses.
        host: in lower case, IDNA-encoded.
        end: its last characters, including the query.
    """

    url: str
    host: str
    end: str


def parse_address(text: str) -> Address:
    """Parse a member's input.

    Raises:
        ValidationFailed: it is not a valid `https` or `webcal` address with a host name.
    """
    if not _BEGINNING.match(text):
        raise _refusal("Must begin with https:// or webcal://.")
    if _UNUSABLE.search(text):
        raise _refusal("Must not contain white space, control characters or backslashes.")
    if "#" in text:
        raise _refusal("Must not have a fragment (#).")
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").encode("idna").decode().lower(), parts.port
    except ValueError:
        raise _refusal("Must be a valid address, like https://school.example/calendar.ics.") from None
    if not host:
        raise _refusal("Must name a host after https:// or webcal://.")
    if "@" in parts.netloc:
        raise _refusal("Must not have a user name or password.")
    if port not in {None, _HTTPS_PORT}:
        raise _refusal(f"Must not name another port than {_HTTPS_PORT}.")
    if _is_literal(host):
        raise _refusal("Must name a host, not an IP address.")
    return Address(parts._replace(scheme="https", netloc=host, path=parts.path or "/").geturl(), host, text[-_SHOWN:])


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return host.rpartition(".")[2].isdigit()  # like 127.1, which resolvers accept as an address
    return True


def _refusal(message: str) -> ValidationFailed:
    return ValidationFailed.of("url", message)


def sealed(url: str) -> str:
    """The address encrypted with the current key."""
    return _SEAL.seal(url)


def unsealed(stored: str) -> str | None:
    """The decrypted address; None if its key was removed."""
    return _SEAL.unseal(stored)


def require_new(url: str, stored: Iterable[str]) -> None:
    """Raise ValidationFailed if one of the encrypted addresses is `url`. Those whose key was removed are skipped."""
    opened = (unsealed(one) for one in stored)
    if any(one and parse_address(one).url == url for one in opened):
        raise _refusal("You already have this calendar.")


def resealed(stored: str) -> str:
    """The address encrypted with the current key; unchanged if its key was removed."""
    url = unsealed(stored)
    return stored if url is None else sealed(url)
