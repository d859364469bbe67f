"""The tools: one for each operation under `/v1`, derived from the operation's declaration."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver, get_resolver
from mcp.types import Tool, ToolAnnotations

from mcpbridge.schemas import Schema, input_schema, output_schema, sources_of
from studyservice.openapi.document import document
from studyservice.operations.declaration import Operation, Scope
from studyservice.operations.errors import Detail, ValidationFailed
from studyservice.operations.serializers import Query
from studyservice.viewsets import MemberViewSet, routed

_READ_ONLY = "get"
_NOT_IDEMPOTENT = "post"

NARROWER = {
    "days": "fewer days",
    "limit": "a smaller limit",
    "due_only": "due_only, for only the due cards",
    "syllabus_limit": "a part of the syllabus, by syllabus_from and a smaller syllabus_limit",
    "include_syllabus": "the course without include_syllabus",
}
"""Argument of a reading tool to the advice to use it when an answer is too long."""

SECURITY_SCHEMES = "securitySchemes"
"""The keys under which a tool declares its scopes (OpenAI Apps SDK, Authentication)."""


@dataclass(frozen=True, slots=True)
class ToolArguments:
    """The arguments of a tool call: path, query and body parameters in one object.

    Each part takes the names it declares. Undeclared names are ignored, unless they are misspelled.

    Attributes:
        misnamed: the misspelled names.
    """

    given: dict[str, Any]
    misnamed: Sequence[Detail] = ()

    @property
    def path_ids(self) -> Mapping[str, Any]:
        return self.given

    def query(self, declared: type[Query]) -> dict[str, Any]:
        """Return the query parameters, which only reading tools have. Many clients send null for those not given."""
        return declared.parse({name: value for name, value in self.given.items() if value is not None})

    def body(self, operation: Operation) -> Any:
        """Return the arguments that were sent.

        Raises:
            ValidationFailed: some names are misspelled.
        """
        if self.misnamed:
            raise ValidationFailed(self.misnamed)
        return self.given


@dataclass(frozen=True, slots=True)
class OperationTool:
    """An operation as a tool.

    Attributes:
        operation: its declaration.
        viewset: the class with its action.
        definition: for `tools/list`.
        narrower: how to ask for less if an answer is too long; empty if that is impossible.
    """

    operation: Operation
    viewset: type[MemberViewSet]
    definition: Tool
    narrower: tuple[str, ...]

    @property
    def may_leave_out(self) -> bool:
        """Return whether a long answer omits its longest lists instead of being refused."""
        return self.operation.scope is not Scope.READ or not self.narrower


@cache
def tools() -> Mapping[str, OperationTool]:
    """Return every tool by name, in the order of the routes. Cached.

    Raises:
        ImproperlyConfigured: a tool violates a limit of the specification.
    """
    return tools_of(get_resolver().url_patterns, document())


def tools_of(patterns: list[URLPattern | URLResolver], openapi: Schema) -> dict[str, OperationTool]:
    """Return the tools of the operations that `patterns` route and `openapi` describes."""
    entries = {entry["operationId"]: entry for path in openapi["paths"].values() for entry in path.values()}
    components = openapi["components"]["schemas"]
    found: dict[str, OperationTool] = {}
    actions = list(_actions(patterns))
    sources = sources_of(operation.id for _, _, operation in actions)
    for viewset, method, operation in actions:
        name = operation.id
        if name in found:
            raise ImproperlyConfigured(f"Tool {name}: two operations have this name.")
        if not operation.title:
            raise ImproperlyConfigured(f"Tool {name}: there is no title.")
        try:
            takes = input_schema(entries[name], components, sources)
        except ImproperlyConfigured as error:
            raise ImproperlyConfigured(f"Tool {name}: {error}.") from None
        narrower = tuple(less for argument, less in NARROWER.items() if argument in takes["properties"])
        definition = _definition(operation, method, takes, output_schema(entries[name], components))
        found[name] = OperationTool(operation, viewset, definition, narrower)
    return found


def _actions(patterns: list[URLPattern | URLResolver]) -> Iterator[tuple[type[MemberViewSet], str, Operation]]:
    """Yield the viewset and the method of each operation that is a tool."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _actions(pattern.url_patterns)
            continue
        for method, operation in routed(pattern.callback).items():
            if operation.tool:
                yield vars(pattern.callback)["cls"], method, operation


def _definition(declared: Operation, method: str, takes: Schema, gives: Schema) -> Tool:
    return Tool(
        name=declared.id,
        title=declared.title,
        description=declared.description,
        input_schema=takes,
        output_schema=gives,
        annotations=ToolAnnotations(
            read_only_hint=method == _READ_ONLY,
            destructive_hint=declared.consequential,
            idempotent_hint=method != _NOT_IDEMPOTENT,
            open_world_hint=False,
        ),
        _meta={SECURITY_SCHEMES: [{"type": "oauth2", "scopes": [declared.scope.value]}]},
    )
