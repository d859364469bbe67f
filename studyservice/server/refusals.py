"""Answers to requests that the server itself refuses, before they reach the application.

A request that can be read stands in for each. It passes the same middleware as others, which adds the request id, the
log line and the common headers, and counts it against its address.
"""

import re
from urllib.parse import urlsplit

from django.conf import settings

from studyservice.http.requests import API_ROOTS
from studyservice.operations.errors import InvalidRequest

_REQUEST_LINE = re.compile(rb"(?:\r\n)?([A-Z]{1,20} /[!->@-~]{0,2000})")
_FORWARDED = re.compile(rb"\r\n((?:x-forwarded-for|origin):[ \t]*[ -~]+)", re.IGNORECASE)


class Unreadable(InvalidRequest):
    """The request is not HTTP."""

    default_message = "The request is not valid HTTP, lacks Host, or its line or a header is too long."


def head_in_place_of(head: bytes) -> bytes:
    """Return the head of the request that stands in for a refused one.

    Args:
        head: the received part of the refused request's head. Its method, path and origin are kept if they can be read.
    """
    line, base, api = _REQUEST_LINE.match(head), urlsplit(settings.BASE_URL), API_ROOTS[0]
    # Below the static files' path, a file would be served instead. Without the scheme, pages would redirect to https.
    first = line[1].replace(settings.STATIC_URL.encode(), f"{api}/".encode(), 1) if line else f"GET {api}".encode()
    own = f" HTTP/1.1\r\nHost: {base.netloc}\r\nX-Forwarded-Proto: {base.scheme}\r\nConnection: close".encode()
    return b"\r\n".join([first + own, *_FORWARDED.findall(head), b"", b""])
