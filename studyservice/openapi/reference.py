"""The operations for the reference pages: fields from `/openapi.json`, and the texts for people.

The first page describes what all have in common: headers, errors, pages, idempotency keys.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver

from studyservice.openapi.answers import ERRORS, HEADERS, IDEMPOTENCY_KEY
from studyservice.openapi.document import Field, Fields, Schema, document
from studyservice.operations.declaration import Operation

COMMON = frozenset({"401", "403", "429", "500"})
"""Errors of every operation."""

_JSON, _FORM = "application/json", "multipart/form-data"


class Body(NamedTuple):
    """The input of a request.

    Attributes:
        fields: of its JSON.
        example: the JSON as text.
        parts: of its form, if it accepts a file.
        media_types: of files accepted as the whole body.
    """

    fields: tuple[Field, ...]
    example: str
    parts: tuple[Field, ...]
    media_types: tuple[str, ...]


class DescribedAnswer(NamedTuple):
    """The answer of a success.

    Attributes:
        statuses: like `200 or 201`.
        kind: a description in words.
        media_types: of a file; then there are no fields.
    """

    statuses: str
    kind: str
    fields: tuple[Field, ...]
    example: str
    media_types: tuple[str, ...]


class Entry(NamedTuple):
    """One operation.

    Attributes:
        about: paragraphs for people.
        path_parameters: the parameters in braces in the path.
        query: its parameters, without `Idempotency-Key`, which every POST may have.
        errors: statuses other than `COMMON`.
    """

    id: str
    title: str
    about: tuple[str, ...]
    method: str
    path: str
    scope: str
    path_parameters: tuple[Field, ...]
    query: tuple[Field, ...]
    body: Body | None
    answer: DescribedAnswer
    errors: tuple[str, ...]

    def form_parts(self) -> list[Field]:
        """Return the form fields that are not also query parameters."""
        queried = {field.name for field in self.query}
        return [part for part in self.body.parts if part.name not in queried] if self.body else []

    def curl(self) -> str:
        """Return a curl command for the call, with the variables of the quick start."""
        method = "" if self.method == "GET" else f"-X {self.method} "
        arguments = [f'curl -sS {method}"$STUDY_URL{self.path}"', '-H "Authorization: Bearer $STUDY_API_KEY"']
        if self.body and self.body.parts:
            arguments.append("-F file=@FILE")
        elif self.body and self.body.example:
            quoted = self.body.example.replace("'", "'\\''")
            arguments += ['-H "Content-Type: application/json"', f"-d '{quoted}'"]
        return " \\\n  ".join(arguments)


class Group(NamedTuple):
    """Operations under one heading, on their own page.

    Attributes:
        slug: for the page's address.
    """

    slug: str
    name: str
    description: str
    entries: tuple[Entry, ...]


class CommonError(NamedTuple):
    """An error and all operations that return it."""

    status: int
    types: tuple[str, ...]
    text: str


@cache
def groups() -> tuple[Group, ...]:
    """Return every operation under its heading, in the order of the description."""
    described = document()
    fields = Fields(described["components"]["schemas"])
    about = {operation.id: operation.about for operation in _routed(get_resolver())}
    entries = [
        (operation["tags"][0], _entry(path, method, operation, fields, about[operation["operationId"]]))
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    return tuple(
        Group(
            tag["name"].lower(),
            tag["name"],
            tag["description"],
            tuple(entry for name, entry in entries if name == tag["name"]),
        )
        for tag in described["tags"]
    )


def common_headers() -> list[tuple[str, str]]:
    """Return name and meaning of the headers of every answer."""
    return [(name, header["description"]) for name, header in HEADERS.items()]


def common_errors() -> list[CommonError]:
    """Return every error that an operation may return."""
    return [
        CommonError(int(status), tuple(one.type for one in error.errors), error.text)
        for status, error in ERRORS.items()
    ]


def _routed(resolver: URLResolver) -> Iterator[Operation]:
    """Yield every operation with a route."""
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from _routed(entry)
        elif isinstance(entry, URLPattern):
            viewset, actions = getattr(entry.callback, "cls", None), getattr(entry.callback, "actions", None) or {}
            yield from (found for name in actions.values() if isinstance(found := getattr(viewset, name), Operation))


def _entry(path: str, method: str, operation: Schema, fields: Fields, about: tuple[str, ...]) -> Entry:
    def parameters(place: str) -> tuple[Field, ...]:
        return tuple(
            fields.field(
                one["name"],
                {"description": one.get("description", "")} | one["schema"],
                required=one.get("required", False),
            )
            for one in operation.get("parameters", ())
            if one["in"] == place and one["name"] != IDEMPOTENCY_KEY["name"]
        )

    [scope] = [scopes for way in operation["security"] for scopes in way.get("oauth2", ())]
    return Entry(
        id=operation["operationId"],
        title=operation["summary"],
        about=about,
        method=method.upper(),
        path=path,
        scope=scope,
        path_parameters=parameters("path"),
        query=parameters("query"),
        body=_body(operation["requestBody"]["content"], fields) if "requestBody" in operation else None,
        answer=_answer(operation["responses"], fields),
        errors=tuple(status for status in operation["responses"] if status >= "400" and status not in COMMON),
    )


def _body(content: Schema, fields: Fields) -> Body:
    told = content.get(_JSON, {}).get("schema", {})
    form = content.get(_FORM, {}).get("schema", {})
    others = tuple(name for name in content if name not in {_JSON, _FORM})
    return Body(fields.of(told), _text(fields.example(told)), fields.of(form), others)


def _answer(responses: Schema, fields: Fields) -> DescribedAnswer:
    successes = {status: answer for status, answer in responses.items() if status < "300"}
    statuses = " or ".join(successes)
    content = next(iter(successes.values()))["content"]
    if _JSON not in content:
        return DescribedAnswer(statuses, "a file", (), "", tuple(content))
    schema = content[_JSON]["schema"]
    found = fields.of(schema)
    example = _text(fields.example(schema))
    name = schema["$ref"].rsplit("/", 1)[1]
    if name.endswith("Page"):
        [data] = [field for field in found if field.name == "data"]
        return DescribedAnswer(statuses, f"a page of {name.removesuffix('Page')}", data.fields, example, ())
    return DescribedAnswer(statuses, name, found, example, ())


def _text(example: Any) -> str:
    return "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)
