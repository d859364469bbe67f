"""The OpenAPI document of the service."""

from functools import cache
from threading import Lock
from typing import Any

from drf_spectacular.generators import SchemaGenerator

_one_at_a_time = Lock()


def document(*, only_tools: bool = False) -> dict[str, Any]:
    """Return the OpenAPI document, of all operations or only of those that are tools. Cached.

    drf-spectacular loads its extensions on first use, which fails in two threads at once.
    """
    with _one_at_a_time:
        return _document(only_tools)


@cache
def _document(only_tools: bool) -> dict[str, Any]:
    generator = _Generator(only_tools)
    schema: dict[str, Any] = generator.get_schema(public=True)  # type: ignore[no-untyped-call]  # as below
    return schema


class _Generator(SchemaGenerator):
    """Tells each view which operations are described (`OperationSchema.is_excluded`)."""

    def __init__(self, only_tools: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # drf-spectacular is partly untyped
        self.only_tools = only_tools

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        """Return the view of a route."""
        view: Any = super().create_view(callback, method, request)  # type: ignore[no-untyped-call]  # as above
        view.only_tools = self.only_tools
        return view
