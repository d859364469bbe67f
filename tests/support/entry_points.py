"""Entry points to the operations. A test names an operation and its arguments, without a transport."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jsonschema
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse
from django.test import Client
from django.test.client import MULTIPART_CONTENT

from tests.support.uploads import multipart

STATUS = {
    "invalid_request": 400,
    "unauthorized": 401,
    "insufficient_scope": 403,
    "membership_required": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "validation_failed": 422,
    "rate_limited": 429,
    "internal_error": 500,
}
"""The specification's catalogue of errors."""


@dataclass(frozen=True)
class Route:
    """The REST route of an operation.

    Attributes:
        success: status of a success; where there are two, that of a creation.
        is_upload: whether it accepts a file, and no JSON.
        successes: every success status.
    """

    method: str
    path: str
    path_ids: frozenset[str]
    query: frozenset[str]
    takes_body: bool
    success: int
    is_upload: bool
    successes: frozenset[int]


@cache
def document() -> Any:
    """The served OpenAPI document. Tests request it during collection, before the test server has a host name."""
    return Client(SERVER_NAME="127.0.0.1").get("/openapi.json").json()


@cache
def routes() -> dict[str, Route]:
    """Every operation of the OpenAPI document."""
    found = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            parameters = operation.get("parameters", [])
            content = operation.get("requestBody", {}).get("content", {})
            successes = frozenset(int(code) for code in operation["responses"] if code < "300")
            found[operation["operationId"]] = Route(
                method=method.upper(),
                path=path,
                path_ids=frozenset(p["name"] for p in parameters if p["in"] == "path"),
                query=frozenset(p["name"] for p in parameters if p["in"] == "query"),
                success=max(successes),
                successes=successes,
                is_upload=bool(content) and "application/json" not in content,
                takes_body="requestBody" in operation,
            )
    return found


@dataclass(frozen=True)
class Answer:
    """The answer of an operation.

    Attributes:
        body: the record or the error object.
        error: the type of the error, or None.
        fields: the names in `details`, in order.
        status: the REST status of a success; None for tools.
    """

    body: Any
    error: str | None = None
    fields: list[str] = field(default_factory=list)
    status: int | None = None


class RestEntryPoint:
    """The REST API with one credential."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {secret}"})

    def call(self, operation_id: str, /, **arguments: Any) -> Answer:
        """Call an operation. Write `**{"from": …}` for an argument whose name is a Python keyword."""
        route = routes()[operation_id]
        given = dict(arguments)
        path = route.path.format(**{name: given.pop(name) for name in route.path_ids})
        query = {name: _text(given.pop(name)) for name in sorted(route.query & given.keys())}
        if "file" in given:
            form = multipart(**given)
            response = self.request(route.method, path, query=query, data=form, content_type=MULTIPART_CONTENT)
            return self._answer(response, route)
        body = given if route.takes_body else None
        response = self.request(route.method, path, query=query, json=body)
        return self._answer(response, route)

    def _answer(self, response: Any, route: Route) -> Answer:
        if "Content-Disposition" in response.headers:
            return Answer(response.getvalue(), status=response.status_code)
        content = response.json()  # added by the test client
        if response.status_code in route.successes:
            return Answer(content, status=response.status_code)
        assert response.status_code == STATUS[content["error"]["type"]], content
        return _failed(content["error"], response)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str] | None = None,
        json: Any = None,
        **extra: Any,
    ) -> Any:
        """Send one raw HTTP request."""
        if json is not None:
            extra |= {"data": json, "content_type": "application/json"}
        return whole(self.client.generic(method, path, query_params=query, **_encoded(extra)))

    def made(self, operation_id: str, /, **arguments: Any) -> Any:
        """The record of a call that must succeed."""
        answer = self.call(operation_id, **arguments)
        assert answer.error is None, answer.body
        return answer.body


class McpEntryPoint(RestEntryPoint):
    """The tools with one credential. `request` remains raw HTTP."""

    def call(self, operation_id: str, /, **arguments: Any) -> Answer:
        """Call a tool."""
        params = {"name": operation_id, "arguments": arguments}
        response = self.rpc("tools/call", params)
        content = response.json()
        if response.status_code != 200:
            assert response.status_code == STATUS[content["error"]["type"]], content
            return _failed(content["error"], response)
        result = content["result"]
        first, *notes = [block["text"] for block in result["content"]]
        if result["isError"]:
            assert ("structuredContent" in result, notes) == (False, [])
            return _failed(read_failure(first), response)
        record = result["structuredContent"]
        assert json.loads(first) == record
        _output_of(operation_id).validate(record)
        assert record.pop("notes", []) == notes
        return Answer(record)

    def rpc(self, method: str, params: Mapping[str, Any] | None = None, **extra: Any) -> Any:
        """Send one JSON-RPC request over raw HTTP."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
        return self.request("POST", "/mcp", json=message, **extra)


def whole(response: Any) -> Any:
    """Return `response` after reading and closing its file, if any. `getvalue` returns the file."""
    if response.streaming:
        response.streaming_content = [response.getvalue()]
    return response


@cache
def _output_of(operation_id: str) -> Any:
    """Return a validator for a tool's structured content against its declared schema."""
    from mcpbridge.tools import tools

    schema = tools()[operation_id].definition.output_schema
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())


def read_failure(text: str) -> dict[str, Any]:
    """Return the error object in the text of a failed tool call."""
    first, *lines = text.split("\n")
    type_, _, message = first.partition(": ")
    error: dict[str, Any] = {"type": type_, "message": message, "request_id": lines[-1].removeprefix("Request id: ")}
    details = [line[2:].partition(": ") for line in lines if line.startswith("- ")]
    if details:
        error["details"] = [{"field": name, "message": wrong} for name, _, wrong in details]
    return error


def _failed(error: dict[str, Any], response: HttpResponse) -> Answer:
    assert error["request_id"] == response.headers["X-Request-Id"]
    fields = [detail["field"] for detail in error.get("details", [])]
    return Answer(error, error["type"], fields)


def _text(value: Any) -> str:
    """Format a value for a query string. Lists are joined by commas."""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _encoded(extra: dict[str, Any]) -> dict[str, Any]:
    if "data" in extra and not isinstance(extra["data"], bytes | str):
        extra["data"] = json.dumps(extra["data"], cls=DjangoJSONEncoder, separators=(",", ":"))
    return extra
