"""The transport of every call: retries, idempotency keys, pages, and errors as exceptions.

It is independent of the operations, which are in `api`, generated from the service's description.
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
"""The longest wait before a retry. A rate limit's window is a minute; limits per hour are left to the caller."""

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_FAULTS = (500, 502, 503, 504)
_BUSY = frozenset({409, 429})

Entry = TypeVar("Entry")
Cursor = TypeVar("Cursor")


class Refused(Exception):
    """The service answered with an error, even after any retries.

    Attributes:
        status: HTTP status.
        type: the error type from the service's error guide, like `not_found`; empty if another server answered.
        request_id: identifies the request in the service's logs.
        details: the wrong fields, each with `field` and `message`.
        retry_after: seconds after which the call may be sent again, if the service said so.
    """

    def __init__(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        told = _error(content)
        self.status = status
        self.type: str = told.get("type", "")
        self.request_id: str | None = told.get("request_id")
        self.details: list[dict[str, str]] = told.get("details", [])
        self.retry_after = _seconds(headers)
        message = told.get("message") or content[:200].decode(errors="replace")
        # the message contains the first one
        fields = "".join(f" {detail['field']}: {detail['message']}" for detail in self.details[1:])
        super().__init__(f"{status} {self.type}: {message}{fields} ({self.request_id})")


def _error(content: bytes) -> dict[str, Any]:
    """Return the `error` of the service's envelope; empty if a proxy answered instead."""
    try:
        error = json.loads(content)["error"]
    except (ValueError, LookupError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}


def _seconds(headers: Mapping[str, str]) -> int | None:
    """Return `Retry-After`, which the service sends as whole seconds."""
    told = headers.get("Retry-After", "")
    return int(told) if told.isdecimal() else None


class _Busy(httpx.NetworkError):
    """The service asks to retry soon. A network error, so that the retries handle it and wait."""


def _raise_if_busy(response: httpx.Response) -> None:
    """Raise for 429, and for 409 while the first attempt still runs: both have `Retry-After`. Other 409s do not."""
    seconds = _seconds(response.headers)
    if response.status_code in _BUSY and seconds is not None and seconds <= PATIENCE_SECONDS:
        raise _Busy(f"Retry in {seconds} seconds")


class _CompleteAnswers(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Reads an answer to its end, so that a truncated one counts as a broken connection."""

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
    """Sends a call up to three more times, after 1, 2 and 4 seconds or after the time in `Retry-After`.

    A POST without an `Idempotency-Key` gets one. All attempts share it, so the service performs the call once.
    """

    def __init__(self, url: str) -> None:
        """Connect to the service at `url`. The environment configures the proxy, as for httpx itself."""
        retry = Retry(
            total=RETRIES,
            allowed_methods=_METHODS,
            status_forcelist=_FAULTS,
            backoff_factor=0.5,
            backoff_jitter=0,
            max_backoff_wait=PATIENCE_SECONDS,
            validate_response=_raise_if_busy,
        )
        super().__init__(_CompleteAnswers(_proxy(url)), retry)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        _add_key(request)
        request.read()  # a file could be read only for the first attempt
        return super().handle_request(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        _add_key(request)
        await request.aread()  # for the same reason
        return await super().handle_async_request(request)


def _proxy(url: str) -> str | None:
    parts = urlsplit(url)
    known = getproxies()
    proxy = known.get(parts.scheme) or known.get("all")
    if proxy is None or proxy_bypass(parts.hostname or ""):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _add_key(request: httpx.Request) -> None:
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
        Refused: it is an error, or not in the description.
    """
    if reply.status_code >= 300 or reply.parsed is None:
        raise Refused(reply.status_code, reply.content, reply.headers)
    return reply.parsed


Upload: TypeAlias = File | BinaryIO | Path | bytes
"""A file to send: a path, an open file, or its bytes. `File` also names it and its type."""


def uploaded(file: Upload) -> File:
    """Return `file` in the form of the generated code, with its name if it has one."""
    if isinstance(file, bytes):
        return File(BytesIO(file), "upload")
    if isinstance(file, Path):
        return File(BytesIO(file.read_bytes()), file.name)
    if isinstance(file, File):
        return file
    return File(file, Path(str(getattr(file, "name", "upload"))).name)


def plain(value: Any) -> Any:
    """Return `value` as JSON data. Unset fields are left out."""
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
        page: returns the page for a cursor.
        first: the cursor of the first page.
    """
    cursor: Cursor | str | None = first
    while cursor is not None:
        found = page(cursor)
        yield from found.data
        cursor = found.next_cursor
