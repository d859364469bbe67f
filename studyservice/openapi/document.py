"""The OpenAPI document of the service."""

from functools import cache
from threading import Lock
from typing import Any

from drf_spectacular.generators import SchemaGenerator

_one_at_a_time = Lock()


def document() -> dict[str, Any]:
    """Return the OpenAPI document. Cached.

    drf-spectacular loads its extensions on first use, which fails in two threads at once.
    """
    with _one_at_a_time:
        return _document()


@cache
def _document() -> dict[str, Any]:
    schema: dict[str, Any] = SchemaGenerator().get_schema(public=True)
    return schema
