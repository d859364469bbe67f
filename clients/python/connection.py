"""The transport of every call: retries, idempotency keys, pages, and errors as exceptions.

The operations are in `api`, generated from the service's description.
"""

import json
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from datetime import date
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass
from uuid import UUID, uuid4

import httpx
from httpx_retries import Retry, RetryTransport

from .types import File, Unset

RETRIES = 3
PATIENCE_SECONDS = 90
"""The longest wait before a retry: rate windows last a minute. The caller must handle limits of an hour."""

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_FAULTS = (500, 502, 503, 504)
_BUSY = frozenset({409, 429})

Entry = TypeVar("Entry")
Cursor = TypeVar("Cursor")


class Refused(Exception):
    """The service answered with an error, also after the retries.

    Attributes:
        status: the HTTP status.
        type: the error type of the service's documentation, like `not_found`; empty if the answer is not the service's.
        request_id: identifies the request in the logs of the service.
        details: the wrong fields, each a `field` and a `message`.
        retry_after: seconds to wait before sending the call again, if the service says so.
    """

    def __init__(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        told = _error(content)
        self.status = status
        self.type: str = told.get("type", "")
        self.request_id: str | None = told.get("request_id")
        self.details: list[dict[str, str]] = told.get("details", [])
        self.retry_after = _seconds(headers)
        message = told.get("message") or content[:200].decode(errors="replace")
        fields = "".join(f" {detail['field']}: {detail['message']}" for detail in self.details[1:])  # message has one
        super().__init__(f"{status} {self.type}: {message}{fields} ({self.request_id})")


def _error(content: bytes) -> dict[str, Any]:
    """The `error` of the service's envelope; empty for an answer of a proxy."""
    try:
        error = json.loads(content)["error"]
    except (ValueError, LookupError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}


def _seconds(headers: Mapping[str, str]) -> int | None:
    """`Retry-After`, which the service sends as whole seconds."""
    told = headers.get("Retry-After", "")
    return int(told) if told.isdecimal() else None


class _Busy(httpx.NetworkError):
    """The service is busy. The retries treat it as a network error, and wait."""


def _raise_if_busy(response: httpx.Response) -> None:
    """Raise for a 429, or a 409 during the first try of a call. Both have `Retry-After`; other 409s do not."""
    seconds = _seconds(response.headers)
    if response.status_code in _BUSY and seconds is not None and seconds <= PATIENCE_SECONDS:
        raise _Busy(f"Come back in {seconds} seconds")


class _Whole(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Reads an answer to its end, so that an interrupted one counts as a broken connection."""

    def __init__(self, proxy: str | None) -> None:
        self.blocking = httpx.HTTPTransport(proxy=proxy)
        self.asynchronous = httpx.AsyncHTTPTransport(proxy=proxy)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self.blocking.handle_request(request)
        response.read()
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self.asynchronous.handle_async_request(request)
        await response.aread()
        return response

    def close(self) -> None:
        self.blocking.close()

    async def aclose(self) -> None:
        await self.asynchronous.aclose()


class SafeTransport(RetryTransport):
    """Retries a call up to three times, after 1, 2 and 4 seconds or after `Retry-After`.

    A POST gets an `Idempotency-Key`, unless the caller set one. All of its tries share it, so the service executes it
    once.
    """

    def __init__(self, url: str) -> None:
        """Set up for the service at `url`. The proxy is read from the environment, as in httpx."""
        retry = Retry(
            total=RETRIES,
            allowed_methods=_METHODS,
            status_forcelist=_FAULTS,
            backoff_factor=0.5,
            backoff_jitter=0,
            max_backoff_wait=PATIENCE_SECONDS,
            validate_response=_raise_if_busy,
        )
        super().__init__(_Whole(_proxy(url)), retry)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        _give_key(request)
        request.read()  # a file can be read only once
        return super().handle_request(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        _give_key(request)
        await request.aread()  # as above
        return await super().handle_async_request(request)


def _proxy(url: str) -> str | None:
    parts = urlsplit(url)
    known = getproxies()
    proxy = known.get(parts.scheme) or known.get("all")
    if proxy is None or proxy_bypass(parts.hostname or ""):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _give_key(request: httpx.Request) -> None:
    if request.method == "POST":
        request.headers.setdefault("Idempotency-Key", str(uuid4()))


class Reply(Protocol):
    """A response of the generated code."""

    status_code: HTTPStatus
    content: bytes
    headers: MutableMapping[str, str]
    parsed: Any


def answered(reply: Reply) -> Any:
    """Return the record of an answer.

    Raises:
        Refused: it is an error, or is not in the description.
    """
    if reply.status_code >= 300 or reply.parsed is None:
        raise Refused(reply.status_code, reply.content, reply.headers)
    return reply.parsed


Upload: TypeAlias = File | BinaryIO | Path | bytes
"""A file to send: a path, an open file, or its bytes. `File` also names it and its type."""


def uploaded(file: Upload) -> File:
    """Return `file` in the form that generated code sends, with its name if it has one."""
    if isinstance(file, bytes):
        return File(BytesIO(file), "upload")
    if isinstance(file, Path):
        return File(BytesIO(file.read_bytes()), file.name)
    if isinstance(file, File):
        return file
    return File(file, Path(str(getattr(file, "name", "upload"))).name)


def plain(value: Any) -> Any:
    """Return `value` in its JSON form, without unset fields."""
    match value:
        case Mapping():
            return {name: plain(entry) for name, entry in value.items() if not isinstance(entry, Unset)}
        case list() | tuple():
            return [plain(entry) for entry in value]
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
    return value.to_dict() if hasattr(value, "to_dict") else value


class Page(Protocol[Entry]):
    """A page of a list."""

    data: list[Entry]
    next_cursor: str | None


def every(page: Callable[[Cursor | str], Page[Entry]], first: Cursor) -> Iterator[Entry]:
    """Iterate over the entries of all pages. Each page is fetched when the one before is used up.

    Args:
        page: returns the page of a cursor.
        first: the cursor value of the first page.
    """
    cursor: Cursor | str | None = first
    while cursor is not None:
        found = page(cursor)
        yield from found.data
        cursor = found.next_cursor
