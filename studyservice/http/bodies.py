"""Request bodies: JSON, read with orjson.

A document that orjson refuses is read again with the standard library. So a lone surrogate (which RFC 8259 section 8.2
permits) is reported with its field as 422, and everything that is not JSON as 400.
"""

import json
from typing import Any, NoReturn

import orjson
from django.conf import settings
from django.http import HttpRequest

from studyservice.http.responses import JSON_TYPE
from studyservice.operations.errors import InvalidRequest


class BodyTooLarge(InvalidRequest):
    """The body exceeds the limit for API requests, `most` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"The body is larger than {most} bytes.")


def decode(raw: bytes) -> Any:
    """Return the JSON value in `raw`.

    Raises:
        InvalidRequest: `raw` is not JSON: malformed, infinite, nested too deeply, not UTF-8, or with a byte-order mark.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        reason = str(error)
    try:
        return json.loads(raw.decode(), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InvalidRequest(f"The body is not valid JSON: {reason}.") from None


def _refuse(_constant: str) -> NoReturn:
    raise ValueError


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError
    return number


def read_json(request: HttpRequest, *, long: bool = False) -> Any:
    """Return the JSON body of `request`. An empty body is read as `{}`.

    Args:
        long: whether the limit is `MAX_LONG_BODY_BYTES` instead of `MAX_BODY_BYTES`.

    Raises:
        InvalidRequest: the body is too large, lacks the JSON content type, or is not JSON.
    """
    raw = read_raw(request, long=long)
    if not raw:
        return {}
    if request.content_type != JSON_TYPE:
        raise InvalidRequest(f"Send the body as JSON, with the header Content-Type: {JSON_TYPE}.")
    return decode(raw)


def read_raw(request: HttpRequest, *, long: bool = False) -> bytes:
    """Return the body of `request`.

    Args:
        long: whether the limit is `MAX_LONG_BODY_BYTES` instead of `MAX_BODY_BYTES`.

    Raises:
        BodyTooLarge: it exceeds the limit.
        InvalidRequest: it is encoded.
    """
    require_plain(request)
    most = settings.MAX_LONG_BODY_BYTES if long else settings.MAX_BODY_BYTES
    if content_length(request) > most:
        raise BodyTooLarge(most)
    return request.body


def require_plain(request: HttpRequest) -> None:
    """Refuse an encoded body.

    Raises:
        InvalidRequest: it is encoded.
    """
    if request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() not in {"", "identity"}:
        raise InvalidRequest("Send the body as it is, without Content-Encoding.")


def content_length(request: HttpRequest) -> int:
    """Return the declared length of the body in bytes; 0 if there is none.

    Raises:
        InvalidRequest: it is not a number.
    """
    length: str = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdecimal()):
        raise InvalidRequest("The Content-Length header is not a number.")
    return int(length)
