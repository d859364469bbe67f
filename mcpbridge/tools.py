"""The tools: one for each operation under `/v1`, derived from the operation's declaration."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver, get_resolver
from mcp.types import Tool, ToolAnnotations

from mcpbridge.schemas import Schema, input_schema, output_schema, sources_of
from studyservice.openapi.document import document
from studyservice.operations.declaration import MAX_DESCRIPTION, MAX_NAME, Operation, Scope
from studyservice.operations.errors import Detail, ValidationFailed
from studyservice.operations.serializers import Query
from studyservice.viewsets import MemberViewSet, routed

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME}}}")
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


@dataclass(frozen=True, slots=True)
class _Action:
    viewset: type[MemberViewSet]
    method: str
    operation: Operation


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
    sources = sources_of(action.operation.id for action in actions)
    for action in actions:
        name = action.operation.id
        if name in found:
            raise ImproperlyConfigured(f"Tool {name}: two operations have this name.")
        try:
            takes = input_schema(entries[name], components, sources)
        except ImproperlyConfigured as error:
            raise ImproperlyConfigured(f"Tool {name}: {error}.") from None
        narrower = tuple(less for argument, less in NARROWER.items() if argument in takes["properties"])
        definition = _definition(action, takes, output_schema(entries[name], components))
        _check_limits(definition)
        found[name] = OperationTool(action.operation, action.viewset, definition, narrower)
    return found


def _actions(patterns: list[URLPattern | URLResolver]) -> Iterator[_Action]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _actions(pattern.url_patterns)
            continue
        for method, operation in routed(pattern.callback).items():
            if operation.tool:
                yield _Action(vars(pattern.callback)["cls"], method, operation)


def _definition(action: _Action, takes: Schema, gives: Schema) -> Tool:
    declared = action.operation
    return Tool(
        name=declared.id,
        title=declared.title,
        description=declared.description,
        input_schema=takes,
        output_schema=gives,
        annotations=ToolAnnotations(
            read_only_hint=action.method == _READ_ONLY,
            destructive_hint=declared.consequential,
            idempotent_hint=action.method != _NOT_IDEMPOTENT,
            open_world_hint=False,
        ),
        _meta={SECURITY_SCHEMES: [{"type": "oauth2", "scopes": [declared.scope.value]}]},
    )


def _check_limits(tool: Tool) -> None:
    """Check the specification's rule 2 and its limits for tools.

    Raises:
        ImproperlyConfigured: the tool violates one.
    """
    broken = None
    if not _NAME.fullmatch(tool.name):
        broken = f"the name must be 1 to {MAX_NAME} letters, digits, _ and -"
    elif not tool.title:
        broken = "there is no title"
    elif not 0 < len(tool.description or "") <= MAX_DESCRIPTION:
        broken = f"the description must have 1 to {MAX_DESCRIPTION} characters"
    elif "$ref" in str((tool.input_schema, tool.output_schema)):
        broken = "a schema contains $ref"
    if broken:
        raise ImproperlyConfigured(f"Tool {tool.name}: {broken}.")
