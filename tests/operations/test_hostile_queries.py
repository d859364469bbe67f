"""Hostile queries and headers: an invalid parameter is named, and an unknown one is ignored."""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from accounts.models import Member
from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.run import is_thorough
from tests.support.samples import NOT_DATES
from tests.support.world import (
    OPERATIONS,
    USED_UP,
    WITH_BODY,
    WITH_UPLOAD,
    Call,
    World,
    bearer,
    check_headers,
    declared,
    error_of,
    fields_of,
)

pytestmark = [
    pytest.mark.database("sqlite", "queries are parsed before any statement"),
    pytest.mark.django_db,
]

MIB = 1024 * 1024
WITH_QUERY = [name for name in OPERATIONS if routes()[name].query]
WITH_CURSOR = [name for name in WITH_QUERY if "cursor" in routes()[name].query]


@pytest.fixture
def world(owner_member: Member, make_key) -> World:
    """One of each of the owner's objects."""
    return World.filled(RestEntryPoint(make_key(owner_member)[0]))


PARAMETERS = [
    (operation_id, parameter["name"], parameter["schema"])
    for operation_id in WITH_QUERY
    for parameter in declared(operation_id)["parameters"]
    if parameter["in"] == "query"
]


def _wrong(schema: Any) -> list[str]:
    """Raw values that violate a parameter's schema."""
    wrong = ["", "%00", "%ED%A0%80", "%FF", "%ZZ", "%", "x" * 4000, "null", "[]", "%20", "1%0A"]
    match schema["type"]:
        case "integer":
            wrong += [str(schema["minimum"] - 1), "-1", "1.0", "1e1", "+1", "0x1", "1_0", "%D9%A1", "9" * 5000, "NaN"]
            wrong += [str(schema["maximum"] + 1)] if "maximum" in schema else []
            wrong += ["true", "%201", "--1"]
        case "boolean":
            wrong += ["1", "0", "yes", "True", "TRUE", "t", "on", "false%20"]
        case _ if schema.get("format") == "date":
            wrong += [quote(value) for value in NOT_DATES]
        case _ if schema.get("format") == "date-time":
            wrong += ["2026-01-01", "2026-01-01T00:00:00", "2026-01-01T25:00:00Z", "2026-02-30T00:00:00Z", "0"]
            wrong += ["2026-01-01T00:00:00%2B99:99", "2026-01-01T00:00:00.Z", "0000-01-01T00:00:00Z"]
            wrong += ["20260101", "2026-01-01T12:00:00%2B2500", "2026-01-01T12:00:00%2B25:00"]
            wrong += ["2026-01-01T12:00:00Z%00", "1789000000", "yesterday"]
        case _ if schema.get("format") == "uuid":
            wrong += ["17", "3f9f5a9e6f5e4a589a430d4a0b6f2c01", "%7B3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01%7D"]
            wrong += ["3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01%00"]
        case _ if "enum" in schema:
            wrong += [f"{schema['enum'][0]}%00", f"%20{schema['enum'][0]}", schema["enum"][0].upper()]
    return wrong


def _is_free_text(schema: Any) -> bool:
    return schema["type"] == "string" and not {"format", "enum"} & schema.keys()


@each(("operation_id", "name", "schema"), [p for p in PARAMETERS if not _is_free_text(p[2])])
def test_an_invalid_parameter_is_named(world: World, operation_id: str, name: str, schema: Any) -> None:
    for value in _wrong(schema):
        rates.clear()
        call = replace(world.call(operation_id), query=f"{name}={value}")
        assert [field.partition("[")[0] for field in fields_of(call.send(**bearer(world.entry_point.secret)))] == [
            name
        ], value


NO_CURSORS = [
    *("", "%20", "x", "0", "None", "nope", "%00", "%FF", "%ED%A0%80", "%ZZ", "=", "====", "é"),
    *("A" * length for length in (72, 95, 96, 97, 200)),
    *("=" * 96, "%00" * 96, "-" * 200, quote("🎓" * 200)),
]


@each("operation_id", WITH_CURSOR)
def test_an_unreadable_cursor_is_400(world: World, operation_id: str) -> None:
    """Spec, list_items: a bad cursor is 400."""
    for cursor in NO_CURSORS:
        response = replace(world.call(operation_id), query=f"cursor={cursor}").send(**bearer(world.entry_point.secret))
        assert error_of(response)["type"] == "invalid_request", cursor


@each("operation_id", WITH_CURSOR)
def test_a_cursor_over_200_characters_is_422(world: World, operation_id: str) -> None:
    response = replace(world.call(operation_id), query="cursor=" + "A" * 201).send(**bearer(world.entry_point.secret))
    assert fields_of(response) == ["cursor"]


ODD_QUERIES = (
    "=",
    "&&&&",
    "%",
    "%00=%00",
    "%FF=%FF",
    "a=b;c=d",
    "?" * 1000,
    "[]=1&a[b]=c&a.b=c",
    "unknown=" + "x" * 4000,
    "page=2&offset=-1&fmt=html&_method=DELETE",
    "&".join(f"a{number}={number}" for number in range(2000)),
    "a&" * 2000,
)


@each("operation_id", OPERATIONS)
def test_unknown_parameters_are_ignored_whatever_their_names(world: World, operation_id: str) -> None:
    # Send all at once in a quick run, and where a child process reads a file, which costs more than everything else.
    for query in ODD_QUERIES if is_thorough() and operation_id not in WITH_UPLOAD else ["&".join(ODD_QUERIES)]:
        rates.clear()
        response = replace(world.call(operation_id), query=query).send(**bearer(world.entry_point.secret))
        check_headers(response)
        assert response.status_code == routes()[operation_id].success, query[:100]
        if operation_id in USED_UP:
            world.forget()


def _defaults(operation_id: str) -> dict[str, str]:
    """A valid value for each parameter with a default."""
    schemas = {name: schema for operation, name, schema in PARAMETERS if operation == operation_id}
    defaults = {name: schema["default"] for name, schema in schemas.items() if "default" in schema}
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in defaults.items()}


@each("operation_id", [name for name in WITH_QUERY if _defaults(name)])
def test_the_last_of_a_repeated_parameter_counts(world: World, operation_id: str) -> None:
    call = world.call(operation_id)
    for name, good in _defaults(operation_id).items():
        last_good = replace(call, query=f"{name}=wrong&{name}={good}").send(**bearer(world.entry_point.secret))
        last_wrong = replace(call, query=f"{name}={good}&{name}=wrong").send(**bearer(world.entry_point.secret))
        assert last_good.status_code in routes()[operation_id].successes
        assert fields_of(last_wrong) == [name]


@each("operation_id", [name for name in OPERATIONS if name not in {*WITH_BODY, *WITH_UPLOAD}])
def test_an_unexpected_body_is_ignored(world: World, operation_id: str) -> None:
    longest = MIB if routes()[operation_id].method == "POST" else 2 * MIB  # a POST reads it for an Idempotency-Key
    for data in (b"{broken", b"\0" * 100, b"x" * longest):
        call = world.call(operation_id)
        response = call.send_raw(data, "text/html", **bearer(world.entry_point.secret))
        assert response.status_code == routes()[operation_id].success, data[:10]
        if operation_id in USED_UP:
            world.forget()


@each("accept", ["text/html", "application/xml", "*/*;q=0", "garbage", ""])
@each("path", ["/v1/me", "/v1/nothing", "/v1/courses/17"])
def test_the_answer_is_json_whatever_is_accepted(world: World, path: str, accept: str) -> None:
    response = Call("GET", path).send(**bearer(world.entry_point.secret), Accept=accept)
    check_headers(response)
    response.json()


@each("host", ["evil.example", "", "a b", "[::", "127.0.0.1:99999", "\xff"])
@each("path", ["/v1/me", "/v1/nothing", "/health", "/health/ready", "/openapi.json"])
def test_a_foreign_host_gets_no_html(world: World, path: str, host: str) -> None:
    response = Call("GET", path).send(**bearer(world.entry_point.secret), Host=host)
    assert response.status_code < 500
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("headers", [{}, {"Origin": "https://app.example"}])
def test_only_the_health_probe_works_by_address(world: World, settings: Any, headers: dict[str, str]) -> None:
    """A load balancer uses an instance's address, also over http."""
    settings.SECURE_SSL_REDIRECT = True
    asked = {path: Call("GET", path).send(Host="10.0.0.5", **headers) for path in ("/health", "/", "/sign-in", "/docs")}
    assert {path: response.status_code for path, response in asked.items()} == {
        "/health": 200,
        "/": 400,
        "/sign-in": 400,
        "/docs": 400,
    }
