"""JSON answers, written with orjson."""

from http import HTTPStatus

import orjson
from django.http import HttpResponse

JSON_TYPE = "application/json"


def encode(value: object) -> bytes:
    """`value` as UTF-8 JSON. UUIDs, dates and datetimes are written in their standard text forms."""
    return orjson.dumps(value)


def json_response(value: object, status: int = HTTPStatus.OK) -> HttpResponse:
    """`value` as an HTTP answer."""
    content = encode(value)
    return HttpResponse(content, status=status, content_type=JSON_TYPE, headers={"Content-Length": str(len(content))})
