"""The OpenAPI document of the service."""

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, made once per process."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # drf-spectacular is untyped here
    schema: dict[str, Any] = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    return schema
