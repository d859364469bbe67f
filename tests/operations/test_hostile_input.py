"""Whatever is sent, the answer is a 4xx in the error envelope, and nothing has changed (decisions 3 and 4)."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from accounts.models import Member
from studyservice.rates import limiter as rates
from tests.support.doors import RestDoor, document, routes
from tests.support.world import (
    OPERATIONS,
    WITH_BODY,
    WITH_UPLOAD,
    Call,
    World,
    bearer,
    body_schema,
    check_headers,
    declared,
    encoded,
    error_of,
    fields_of,
    resolved,
    rows,
)

pytestmark = pytest.mark.django_db

MIB = 1024 * 1024
WITH_QUERY = [name for name in OPERATIONS if routes()[name].query]


@pytest.fixture
def world(owner_member: Member, make_key) -> World:
    """The owner's objects."""
    return World(RestDoor(make_key(owner_member)[0]))


@pytest.fixture
def sent(world: World):
    """Sends something wrong; gives the answer after seeing that nothing has changed."""

    def send(operation_id: str, data: bytes, content_type: str | None = "application/json", **headers: str) -> Any:
        rates.clear()
        call = world.call(operation_id)
        before = rows()
        response = call.send_raw(data, content_type, **bearer(world.door.secret), **headers)
        assert rows() == before
        return response

    return send


@pytest.fixture
def refused(world: World, sent):
    """Sends bodies that are valid but for one field, and expects 422 that names it."""

    def send_each(operation_id: str, name: str, values: list[Any]) -> None:
        for value in values:
            response = sent(operation_id, encoded(world.body(operation_id) | {name: value}))
            assert fields_of(response) == [name], value

    return send_each


def fields(operation_id: str) -> dict[str, Any]:
    """The properties of the operation's body."""
    return {name: resolved(schema) for name, schema in body_schema(operation_id)["properties"].items()}


def of_type(kind: str) -> list[tuple[str, str]]:
    """Every `(operation, field)` of a body whose schema has this type."""
    return [
        (operation_id, name)
        for operation_id in WITH_BODY
        for name, schema in fields(operation_id).items()
        if kind in schema.get("type", []) and "enum" not in schema and schema.get("format") in {None, "double"}
    ]


TEXTS = of_type("string")

NO_JSON = {
    "broken": b'{"name": ',
    "two values": b"{} {}",
    "trailing comma": b'{"name": "x",}',
    "single quotes": b"{'name': 'x'}",
    "comment": b"{} // none",
    "bare word": b"nothing",
    "NaN": b'{"weight": NaN, "score": NaN}',
    "infinity": b'{"score": -Infinity}',
    "1e400": b'{"score": 1e400}',
    "leading zero": b'{"score": 01}',
    "raw control character": b'{"name": "a\nb"}',
    "byte-order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "invalid UTF-8": b'{"name": "\xff\xfe"}',
    "overlong UTF-8": b'{"name": "\xc0\xaf"}',
    "UTF-8 surrogate": b'{"name": "\xed\xa0\x80"}',
    "cut escape": b'{"name": "\\u12"}',
    "deep arrays": b"[" * 10_000 + b"]" * 10_000,
    "deep objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "open arrays": b"[" * 500_000,
    "long number": b'{"score": ' + b"9" * 5_000 + b"}",
    "white space": b" ",
    "NUL": b"\0",
}


@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_what_is_no_json_is_400(sent, operation_id: str) -> None:
    answered = {label: error_of(sent(operation_id, data))["type"] for label, data in NO_JSON.items()}
    assert answered == dict.fromkeys(NO_JSON, "invalid_request")


@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_what_is_no_object_is_422(sent, operation_id: str) -> None:
    for data in (b"[]", b'"text"', b"1", b"null", b"true", b"[{}]"):
        assert fields_of(sent(operation_id, data)) == ["body"], data


OTHER_TYPES = (
    None,
    "text/plain",
    "text/html",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/xml",
    "json",
    "application/json, text/plain",
    "\xff",
)

TAKING_FORMS = {"create_syllabus"}
"""Operations that take a form with a file beside JSON."""


@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_another_content_type_is_400(world: World, sent, operation_id: str) -> None:
    body = encoded(world.body(operation_id))
    types = [sort for sort in OTHER_TYPES if operation_id not in TAKING_FORMS or "multipart" not in (sort or "")]
    answered = {sort: error_of(sent(operation_id, body, sort))["type"] for sort in types}
    assert answered == dict.fromkeys(types, "invalid_request")


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON", "application/json;"])
@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_the_content_type_may_be_written_in_every_way(world: World, operation_id: str, content_type: str) -> None:
    call = world.call(operation_id)
    response = call.send_raw(encoded(call.body), content_type, **bearer(world.door.secret))
    assert response.status_code == routes()[operation_id].success


def _padded(body: Any, size: int) -> bytes:
    raw = encoded(body)
    return raw[:-1] + b" " * (size - len(raw)) + raw[-1:]


LONG = {"create_course", "update_course", "create_syllabus", "create_vocab_deck"}
"""Operations whose body may carry a whole syllabus, or 500 cards; each character can be six bytes of JSON."""


def _most(operation_id: str) -> int:
    return 8 * MIB if operation_id in LONG else MIB


@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_exactly_the_largest_body_is_accepted(world: World, operation_id: str) -> None:
    call = world.call(operation_id)
    response = call.send_raw(_padded(call.body, _most(operation_id)), **bearer(world.door.secret))
    assert response.status_code == routes()[operation_id].success


@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_a_larger_body_is_400(world: World, sent, operation_id: str) -> None:
    most = _most(operation_id)
    for size in (most + 1, 2 * most, 5 * most):
        response = sent(operation_id, _padded(world.body(operation_id), size))
        error = error_of(response)
        assert (error["type"], str(most) in error["message"]) == ("invalid_request", True), size


@pytest.mark.parametrize("length", ["x", "-1", "1.5", "99999999999999999999"])
def test_a_content_length_that_lies_is_400(world: World, length: str) -> None:
    call = world.call("create_course")
    before = rows()
    response = replace(call, environ={"CONTENT_LENGTH": length}).send(**bearer(world.door.secret))
    assert error_of(response)["type"] == "invalid_request"
    assert rows() == before


def test_of_repeated_keys_the_last_counts(world: World) -> None:
    data = b'{"name": "First", "name": "Second"}'
    response = Call("POST", "/v1/courses").send_raw(data, **bearer(world.door.secret))
    assert response.json()["name"] == "Second"


@pytest.mark.parametrize(("operation_id", "name"), TEXTS)
def test_a_text_that_cannot_be_stored_is_422(refused, operation_id: str, name: str) -> None:
    """Decisions 4: NUL and lone surrogates fail, and the field is named."""
    refused(operation_id, name, ["nul\0", "\0", "\ud800", "high \ud83d low", "\udfff\ud800"])


@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_an_unknown_field_is_ignored_whatever_its_name(world: World, operation_id: str) -> None:
    for key in ("\0", "\ud800", "__proto__", "", "a" * 100_000):
        call = world.call(operation_id)
        response = replace(call, body=call.body | {key: key}).send(**bearer(world.door.secret))
        assert response.status_code == routes()[operation_id].success, key


@pytest.mark.parametrize(("operation_id", "name"), TEXTS)
def test_what_is_no_text_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, [1, 1.5, True, [], {}, ["text"], {"a": "b"}])


@pytest.mark.parametrize(("operation_id", "name"), of_type("number") + of_type("integer"))
def test_what_is_no_such_number_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, ["80", "", True, False, [], {}, "NaN", 1e308, -1e308, 10**400])


@pytest.mark.parametrize(("operation_id", "name"), of_type("boolean"))
def test_what_is_no_boolean_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, ["true", "", 1, 0, None, [], {}])


FORMATTED = [
    (operation_id, name)
    for operation_id in WITH_BODY
    for name, schema in fields(operation_id).items()
    if schema.get("format") in {"date", "uuid"} or "enum" in schema
]


MALFORMED: list[Any] = [
    "",
    " ",
    "\0",
    "\ud800",
    "2026-02-30",
    "2026-1-1",
    "20260101",
    "2026-01-01T00:00:00Z",
    "0000-01-01",
    "10000-01-01",
    "2026-W01-1",
    "٢٠٢٦-٠١-٠١",  # noqa: RUF001  # digits that are not ASCII
    20260101,
    True,
    [],
    {},
    "EXAM",
    "exam ",
    "3f9f5a9e6f5e4a589a430d4a0b6f2c01",
    "x" * 100_000,
]
"""No date, no UUID and no choice."""


@pytest.mark.parametrize(("operation_id", "name"), FORMATTED)
def test_what_has_not_its_form_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, MALFORMED)


LIMITED = [
    (operation_id, name)
    for operation_id, name in TEXTS
    if "maxLength" in fields(operation_id)[name] and name != "time_zone"  # a name of a list, none of which is as long
]


@pytest.mark.parametrize(("operation_id", "name"), LIMITED)
def test_a_text_may_be_as_long_as_published(world: World, operation_id: str, name: str) -> None:
    """Measured in code points, after trimming."""
    longest = fields(operation_id)[name]["maxLength"]
    for letter in "xé🎓":
        call = world.call(operation_id)
        longer = call.body | {name: f" {letter * longest}\n"}
        response = replace(call, body=longer).send(**bearer(world.door.secret))
        assert response.status_code == routes()[operation_id].success, response.content
        assert response.json().get(name, letter * longest) == letter * longest


@pytest.mark.parametrize(("operation_id", "name"), LIMITED)
def test_one_character_more_is_422(refused, operation_id: str, name: str) -> None:
    longest = fields(operation_id)[name]["maxLength"]
    refused(operation_id, name, ["x" * (longest + 1), "🎓" * (longest + 1), "x" * (100_000 + longest)])


REQUIRED_TEXTS = [(operation_id, name) for operation_id, name in TEXTS if fields(operation_id)[name].get("minLength")]


@pytest.mark.parametrize(("operation_id", "name"), REQUIRED_TEXTS)
def test_a_text_that_must_not_be_empty_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, ["", " ", "\t\r\n", "\u2003", "\x1f", None])


@pytest.mark.parametrize("operation_id", [name for name in WITH_BODY if routes()[name].method != "PATCH"])
def test_an_empty_body_reads_as_an_empty_object(sent, operation_id: str) -> None:
    """Decisions 12, Bodies."""
    missing = fields_of(sent(operation_id, b"", None))
    assert sorted(missing) == sorted(body_schema(operation_id)["required"])
    assert sorted(fields_of(sent(operation_id, b"{}"))) == sorted(missing)


@pytest.mark.parametrize("data", [b"", b"{}"])
@pytest.mark.parametrize("operation_id", [name for name in WITH_BODY if routes()[name].method == "PATCH"])
def test_an_empty_change_changes_nothing(world: World, operation_id: str, data: bytes) -> None:
    call = world.call(operation_id)
    before = _without_clock(rows())
    response = call.send_raw(data, "application/json" if data else None, **bearer(world.door.secret))
    assert response.status_code == 200
    assert _without_clock(rows()) == before


def _without_clock(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Rows without the member's, whose clock each write moves on."""
    return {name: stored for name, stored in found.items() if name != "accounts.Member"}


PARAMETERS = [
    (operation_id, parameter["name"], parameter["schema"])
    for operation_id in WITH_QUERY
    for parameter in declared(operation_id)["parameters"]
    if parameter["in"] == "query"
]


def _wrong(schema: Any) -> list[str]:
    """Raw values that do not fit a parameter's schema."""
    wrong = ["", "%00", "%ED%A0%80", "%FF", "%ZZ", "%", "x" * 4000, "null", "[]", "%20", "1%0A"]
    match schema["type"]:
        case "integer":
            low, high = schema["minimum"], schema["maximum"]
            wrong += [str(low - 1), str(high + 1), "-1", "1.0", "1e1", "+1", "0x1", "1_0", "%D9%A1", "9" * 5000, "NaN"]
            wrong += ["true", "%201", "--1"]
        case "boolean":
            wrong += ["1", "0", "yes", "True", "TRUE", "t", "on", "false%20"]
        case _ if schema.get("format") == "date":
            wrong += ["2026-02-30", "2026-1-1", "20260101", "0000-01-01", "2026-01-01T00:00:00Z", "today", "-1"]
        case _ if schema.get("format") == "date-time":
            wrong += ["2026-01-01", "2026-01-01T00:00:00", "2026-01-01T25:00:00Z", "2026-02-30T00:00:00Z", "0"]
            wrong += ["2026-01-01T00:00:00%2B99:99", "2026-01-01T00:00:00.Z", "0000-01-01T00:00:00Z"]
        case _ if schema.get("format") == "uuid":
            wrong += ["17", "3f9f5a9e6f5e4a589a430d4a0b6f2c01", "%7B3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01%7D"]
    return wrong


def _is_free_text(schema: Any) -> bool:
    return schema["type"] == "string" and not {"format", "enum"} & schema.keys()


@pytest.mark.parametrize(("operation_id", "name", "schema"), [p for p in PARAMETERS if not _is_free_text(p[2])])
def test_a_wrong_parameter_is_named(world: World, operation_id: str, name: str, schema: Any) -> None:
    for value in _wrong(schema):
        rates.clear()
        call = replace(world.call(operation_id), query=f"{name}={value}")
        assert [field.partition("[")[0] for field in fields_of(call.send(**bearer(world.door.secret)))] == [name], value


@pytest.mark.parametrize("cursor", ["", "x", "%00", "%FF", "%ED%A0%80", "%ZZ", "A" * 72, "A" * 200, "=", "====", "é"])
def test_a_cursor_that_cannot_be_read_is_400(world: World, cursor: str) -> None:
    """Spec, list_items: a bad cursor gives 400."""
    response = Call("GET", "/v1/items", query=f"cursor={cursor}").send(**bearer(world.door.secret))
    assert error_of(response)["type"] == "invalid_request"


def test_a_cursor_over_200_characters_is_422(world: World) -> None:
    response = Call("GET", "/v1/items", query="cursor=" + "A" * 201).send(**bearer(world.door.secret))
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


@pytest.mark.parametrize("operation_id", OPERATIONS)
def test_unknown_parameters_are_ignored_however_odd(world: World, operation_id: str) -> None:
    for query in ODD_QUERIES:
        response = replace(world.call(operation_id), query=query).send(**bearer(world.door.secret))
        check_headers(response)
        assert response.status_code == routes()[operation_id].success, query[:100]
        if routes()[operation_id].method == "DELETE" or operation_id == "undo_change":
            world.forget()


def _defaults(operation_id: str) -> dict[str, str]:
    """A good value for each parameter that has a default."""
    schemas = {name: schema for operation, name, schema in PARAMETERS if operation == operation_id}
    defaults = {name: schema["default"] for name, schema in schemas.items() if "default" in schema}
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in defaults.items()}


@pytest.mark.parametrize("operation_id", [name for name in WITH_QUERY if _defaults(name)])
def test_of_a_repeated_parameter_the_last_counts(world: World, operation_id: str) -> None:
    call = world.call(operation_id)
    for name, good in _defaults(operation_id).items():
        last_good = replace(call, query=f"{name}=wrong&{name}={good}").send(**bearer(world.door.secret))
        last_wrong = replace(call, query=f"{name}={good}&{name}=wrong").send(**bearer(world.door.secret))
        assert last_good.status_code in routes()[operation_id].successes
        assert fields_of(last_wrong) == [name]


@pytest.mark.parametrize("operation_id", [name for name in OPERATIONS if name not in {*WITH_BODY, *WITH_UPLOAD}])
@pytest.mark.parametrize("data", [b"{broken", b"\0" * 100, b"x" * 2 * MIB])
def test_a_body_where_none_is_read_is_ignored(world: World, operation_id: str, data: bytes) -> None:
    call = world.call(operation_id)
    response = call.send_raw(data, "text/html", **bearer(world.door.secret))
    assert response.status_code == routes()[operation_id].success


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "*/*;q=0", "garbage", ""])
@pytest.mark.parametrize("path", ["/v1/me", "/v1/nothing", "/v1/courses/17"])
def test_the_answer_is_json_whatever_is_asked_for(world: World, path: str, accept: str) -> None:
    response = Call("GET", path).send(**bearer(world.door.secret), Accept=accept)
    check_headers(response)
    response.json()


@pytest.mark.parametrize("host", ["evil.example", "", "a b", "[::", "127.0.0.1:99999", "\xff"])
@pytest.mark.parametrize("path", ["/v1/me", "/v1/nothing", "/health", "/health/ready", "/openapi.json"])
def test_a_foreign_host_gets_no_html(world: World, path: str, host: str) -> None:
    response = Call("GET", path).send(**bearer(world.door.secret), Host=host)
    assert response.status_code < 500
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("headers", [{}, {"Origin": "https://app.example"}])
def test_a_probe_by_address_is_answered_and_nothing_else(world: World, settings: Any, headers: dict[str, str]) -> None:
    """A load balancer knows an instance by its address, over http too."""
    settings.SECURE_SSL_REDIRECT = True
    asked = {path: Call("GET", path).send(Host="10.0.0.5", **headers) for path in ("/health", "/", "/sign-in", "/docs")}
    assert {path: response.status_code for path, response in asked.items()} == {
        "/health": 200,
        "/": 400,
        "/sign-in": 400,
        "/docs": 400,
    }


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None), max_size=200)
    | st.sampled_from(["2026-01-31", "exam", "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01", 1, 80.5, "x" * 161])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=14) | st.dictionaries(st.text(max_size=20), inner, max_size=5),
    max_leaves=25,
)
_NAMES = sorted(
    {name for schema in document()["components"]["schemas"].values() for name in schema.get("properties", {})}
)


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(body={"categories": [{"name": "\ud800", "weight": "1"}]})
@given(body=st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=6) | _VALUES)
@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_no_body_breaks_the_service(world: World, operation_id: str, body: Any) -> None:
    rates.clear()
    call = replace(world.call(operation_id), body=body)
    before = rows()
    response = call.send_raw(encoded(body), **bearer(world.door.secret))
    if response.status_code == routes()[operation_id].success:
        check_headers(response)
    else:
        assert error_of(response)["type"] in {"invalid_request", "validation_failed", "conflict"}
        assert rows() == before


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300))
@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_no_bytes_break_the_service(world: World, operation_id: str, data: bytes) -> None:
    assume(data.strip() != b"}")  # an empty object, with which a PATCH rightly changes nothing
    rates.clear()
    call = world.call(operation_id)
    response = call.send_raw(b"{" + data, **bearer(world.door.secret))
    assert error_of(response)["type"] in {"invalid_request", "validation_failed"}
