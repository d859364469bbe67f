"""One HTTP request and its answer, within a deadline and a maximum size. Proxies in the environment are ignored."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Final
from urllib.parse import SplitResult, quote

from studyservice.fetching.connecting import Deadline, Fault, FetchError, connect

PORTS: Final = {"http": 80, "https": 443}
"""The usual port of each scheme."""

_UNESCAPED: Final = "%/:=&?~#+!$,;'@()*[]"
"""Characters of a path and a query that are not escaped, besides letters and digits (RFC 3986)."""


@contextmanager
def answered(
    parts: SplitResult,
    deadline: Deadline,
    headers: Mapping[str, str],
    *,
    method: str = "GET",
    body: bytes | None = None,
    is_trusted: bool = False,
) -> Iterator[HTTPResponse]:
    """Send the request, and close the connection afterwards, or at the deadline. Redirects are not followed.

    Args:
        parts: the address: https, or http without encryption.
        is_trusted: whether the operator chose the server, which may then have any address.

    Raises:
        FetchError: an address of the host is not public.
        OSError: the server does not answer in time.
        HTTPException: its answer is not HTTP.
    """
    host, usual = parts.hostname or "", PORTS[parts.scheme]
    port = parts.port or usual
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = {"Accept": "*/*", "Connection": "close", "User-Agent": "study-data-service", **headers}
    connection = HTTPConnection(host, port)
    connection.default_port = usual
    is_encrypted = parts.scheme == "https"
    with connect(host, port, deadline, is_trusted=is_trusted, is_encrypted=is_encrypted) as connection.sock:
        connection.sock.settimeout(deadline.left())
        connection.request(method, quote(target, safe=_UNESCAPED), body, sent)
        with connection.getresponse() as response:
            yield response


def body_of(response: HTTPResponse, size: int) -> bytes:
    """Return the body, which has at most `size` bytes.

    Raises:
        FetchError: it is longer, or the connection ended within it.
    """
    body = response.read(size + 1)
    if len(body) > size:
        raise FetchError(Fault.TOO_LARGE, f"the answer has more than {size} bytes")
    if response.length:
        raise FetchError(Fault.UNREACHABLE, "the connection ended within the answer")
    return body
