"""JSON in and out, for every operation.

Written with orjson, read with orjson; only a document that orjson refuses is read a second time with the standard
library, so that a lone surrogate (which RFC 8259 section 8.2 lets through) is reported with its field as 422 while
everything that is not JSON stays a 400.
"""

import json
from typing import IO, Any, NoReturn

import orjson
from django.conf import settings
from django.http import HttpRequest, UnreadablePostError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from studyservice.errors import InvalidRequest

JSON_TYPE = "application/json"


def encode(value: object) -> bytes:
    """`value` as UTF-8 JSON. UUIDs, dates and datetimes are written in their standard text forms."""
    return orjson.dumps(value)


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
    if _content_length(request) > settings.MAX_BODY_BYTES:
        raise InvalidRequest(f"The body is larger than {settings.MAX_BODY_BYTES} bytes.")
    try:
        raw = request.body
    except UnreadablePostError:
        raise InvalidRequest("The body did not arrive as a whole.") from None
    if not raw:
        return {}
    if request.content_type != JSON_TYPE:
        raise InvalidRequest(f"Send the body as JSON, with the header Content-Type: {JSON_TYPE}.")
    return decode(raw)


def _content_length(request: HttpRequest) -> int:
    length: str = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdecimal()):
        raise InvalidRequest("The Content-Length header is not a number.")
    return int(length)


class JSONRenderer(BaseRenderer):
    """DRF renderer on `encode`."""

    media_type = JSON_TYPE
    format = "json"
    charset = None
    render_style = "binary"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """`data` as JSON."""
        return encode(data)


class JSONParser(BaseParser):
    """DRF parser on `decode`; it names the media type of request bodies in `/openapi.json`."""

    media_type = JSON_TYPE

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        """The JSON value in `stream`."""
        return decode(stream.read())


class JSONOnly(BaseContentNegotiation):
    """Every answer is JSON, whatever `Accept` says."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """The JSON parser."""
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        """The JSON renderer."""
        return renderers[0], renderers[0].media_type
