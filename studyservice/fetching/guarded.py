"""Fetch addresses that others supply, safely. All such fetches use this module.

Only https, only public addresses (`connecting`), one deadline for everything, and a maximum size. No cookies are kept,
and proxies in the environment are ignored. No setting makes an address trusted.
"""

import re
import socket
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from urllib.parse import SplitResult, urljoin, urlsplit

from studyservice.fetching.connecting import Deadline, Fault, FetchError
from studyservice.fetching.exchanging import PORTS, answered, body_of

_HTTPS_PORT = PORTS["https"]
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REPEATABLE = re.compile(r"[ -~]{1,500}")


@dataclass(frozen=True, slots=True)
class FetchBounds:
    """Limits of a fetch.

    Attributes:
        seconds: for everything, including look-ups and redirects.
        size: of the body, in bytes.
        redirects: to follow at most.
        any_port: whether ports other than 443 are allowed.
    """

    seconds: float
    size: int
    redirects: int = 0
    any_port: bool = False


@dataclass(frozen=True, slots=True)
class Validators:
    """The validators of an earlier version; empty if its answer had none."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer with status 200, or 304 if it is `unchanged` since the given version.

    Attributes:
        media_type: in lower case and without parameters.
        cache_control: as received, or empty.
        validators: of this version.
    """

    unchanged: bool
    body: bytes
    media_type: str
    cache_control: str
    validators: Validators


_NONE = Validators()


def fetch(url: str, limits: FetchBounds, *, accept: str = "*/*", validators: Validators = _NONE) -> Fetched:
    """Fetch `url`, unless it is unchanged since `validators`.

    Raises:
        FetchError: it does not exist, is not public, or is too slow or too large.
    """
    deadline = Deadline(limits.seconds)
    headers = {"Accept": accept}
    if validators.etag:
        headers["If-None-Match"] = validators.etag
    if validators.last_modified:
        headers["If-Modified-Since"] = validators.last_modified
    parts = _checked_url("", url, limits)
    try:
        for _ in range(limits.redirects + 1):
            with answered(parts, deadline, headers) as response:
                answer = _read(response, limits, validators)
            if isinstance(answer, Fetched):
                return answer
            parts = _checked_url(parts.geturl(), answer, limits)
    except TimeoutError as error:
        raise FetchError(Fault.TIMED_OUT, f"no whole answer within {limits.seconds:g} seconds") from error
    except (OSError, HTTPException) as error:
        unknown = isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME
        raise FetchError(Fault.UNREACHABLE, f"{type(error).__name__}: {error}", unknown_host=unknown) from error
    raise FetchError(Fault.REDIRECTED, f"more than {limits.redirects} redirects")


def _checked_url(base: str, reference: str, limits: FetchBounds) -> SplitResult:
    """Resolve `reference` against `base` and split it, if it may be fetched."""
    try:
        parts = urlsplit(urljoin(base, reference))
        host = (parts.hostname or "").encode("idna").decode()
        port = _HTTPS_PORT if parts.port is None else parts.port
    except ValueError as error:
        raise FetchError(Fault.ADDRESS_INVALID, f"not an address: {error}") from error
    if parts.scheme != "https" or not host or "@" in parts.netloc:
        raise FetchError(Fault.ADDRESS_INVALID, "only https addresses without a user name are fetched")
    if port != _HTTPS_PORT and not (limits.any_port and port):
        raise FetchError(Fault.ADDRESS_INVALID, f"only port {_HTTPS_PORT} is asked")
    return parts._replace(netloc=f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


def _read(response: HTTPResponse, limits: FetchBounds, validators: Validators) -> Fetched | str:
    """Return the answer, or the URL of a redirect."""
    location = response.headers.get("Location")
    if response.status in _REDIRECTS and location:
        return location
    unchanged = response.status == HTTPStatus.NOT_MODIFIED and validators != _NONE
    if response.status != HTTPStatus.OK and not unchanged:
        raise FetchError(Fault.STATUS, f"the answer has the status {response.status}", response.status)
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise FetchError(Fault.ENCODED, "the answer is compressed, which was not asked for")
    return Fetched(
        unchanged=unchanged,
        body=b"" if unchanged else body_of(response, limits.size),
        media_type=response.headers.get_content_type(),
        cache_control=response.headers.get("Cache-Control", ""),
        validators=validators if unchanged else _version(response),
    )


def _version(response: HTTPResponse) -> Validators:
    """Return the answer's validators, if they can be sent back."""
    etag, last_modified = (response.headers.get(name, "") for name in ("ETag", "Last-Modified"))
    return Validators(*(text if _REPEATABLE.fullmatch(text) else "" for text in (etag, last_modified)))
