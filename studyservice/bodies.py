"""Request bodies: JSON, read with orjson.

A document that orjson refuses is read a second time with the standard library, so that a lone surrogate (which RFC 8259
section 8.2 lets through) is reported with its field as 422 while everything that is not JSON stays a 400.
"""

import json
from typing import Any, NoReturn

import orjson
from django.conf import settings
from django.http import HttpRequest, UnreadablePostError

from studyservice.codec import JSON_TYPE
from studyservice.errors import InvalidRequest


def decode(raw: bytes) -> Any:
    """The JSON value in `raw`.

    Raises:
        InvalidRequest: `raw` is not JSON: broken, infinite, nested too deeply, not UTF-8, with a byte-order mark.
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


def read_json(request: HttpRequest) -> Any:
    """The JSON body of `request`; an empty body reads as `{}`.

    Raises:
        InvalidRequest: the body is too large, incomplete, lacks the JSON content type, or is not JSON.
    """
    if content_length(request) > settings.MAX_BODY_BYTES:
        raise InvalidRequest(f"The body is larger than {settings.MAX_BODY_BYTES} bytes.")
    raw = raw_body(request)
    if not raw:
        return {}
    if request.content_type != JSON_TYPE:
        raise InvalidRequest(f"Send the body as JSON, with the header Content-Type: {JSON_TYPE}.")
    return decode(raw)


def content_length(request: HttpRequest) -> int:
    """The declared length of the body.

    Raises:
        InvalidRequest: it is not a number.
    """
    length: str = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdecimal()):
        raise InvalidRequest("The Content-Length header is not a number.")
    return int(length)


def raw_body(request: HttpRequest) -> bytes:
    """The bytes of the body.

    Raises:
        InvalidRequest: the client went away before all of them had arrived.
    """
    try:
        return request.body
    except UnreadablePostError:
        raise InvalidRequest("The body did not arrive as a whole.") from None
