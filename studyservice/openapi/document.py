"""The OpenAPI document of the service."""

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document. Cached."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(public=True)
    return schema
