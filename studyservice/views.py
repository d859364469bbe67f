"""The service's own addresses: health, the machine-readable description."""

import logging
from functools import cache
from http import HTTPStatus
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.generators import SchemaGenerator

from studyservice.codec import json_response
from studyservice.errors import MethodNotAllowed, error_response

logger = logging.getLogger(__name__)

_READ = ("GET", "HEAD")


@csrf_exempt
def health(request: HttpRequest) -> HttpResponse:
    """200 while the database answers, else 503."""
    if request.method not in _READ:
        return error_response(MethodNotAllowed(headers={"Allow": ", ".join(_READ)}))
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.exception("The database does not answer")
        return json_response({"status": "down"}, HTTPStatus.SERVICE_UNAVAILABLE)
    return json_response({"status": "ok"})


@csrf_exempt
def openapi(request: HttpRequest) -> HttpResponse:
    """`/openapi.json`."""
    if request.method not in _READ:
        return error_response(MethodNotAllowed(headers={"Allow": ", ".join(_READ)}))
    return json_response(document())


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, made once per process."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # drf-spectacular is untyped here
    schema: dict[str, Any] = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    return schema
