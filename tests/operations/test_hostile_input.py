"""Any invalid input gets a 4xx in the error envelope and changes nothing (decisions 3 and 4)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from accounts.models import Member
from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, document, routes
from tests.support.properties import examples
from tests.support.samples import NOT_DATES, UNITS, text
from tests.support.world import (
    WITH_BODY,
    Call,
    World,
    bearer,
    body_schema,
    check_headers,
    encoded,
    error_of,
    fields_of,
    resolved,
    rows,
    unchanged,
)

pytestmark = pytest.mark.django_db

unread = pytest.mark.database("sqlite", "the body is checked before its fields are read")
unasked = pytest.mark.database("sqlite", "fields are rejected before any statement")
stricter = pytest.mark.database("postgresql", "PostgreSQL texts cannot contain NUL, and columns have lengths")

MIB = 1024 * 1024


@pytest.fixture
def world(owner_member: Member, make_key) -> World:
    """One of each of the owner's objects."""
    return World.filled(RestEntryPoint(make_key(owner_member)[0]))


@pytest.fixture
def sent(world: World):
    """Sends an invalid request, which may change nothing: the test looks with `unchanged`."""

    def send(operation_id: str, data: bytes, content_type: str | None = "application/json", **headers: str) -> Any:
        rates.clear()
        return world.call(operation_id).send_raw(data, content_type, **bearer(world.entry_point.secret), **headers)

    return send


@pytest.fixture
def refused(world: World, sent):
    """Sends bodies with one invalid field, and expects a 422 that names it, and no change."""

    def send_each(operation_id: str, name: str, values: list[Any]) -> None:
        with unchanged():
            for value in values:
                response = sent(operation_id, encoded(world.body(operation_id) | {name: value}))
                assert fields_of(response) == [name], value

    return send_each


def fields(operation_id: str) -> dict[str, Any]:
    """The properties of the operation's body."""
    return {name: resolved(schema) for name, schema in body_schema(operation_id)["properties"].items()}


def of_type(kind: str) -> list[tuple[str, str]]:
    """Every `(operation, field)` whose schema has this type."""
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
    "deep arrays": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "open arrays": b"[" * 500_000,
    "long number": b'{"score": ' + b"9" * 5_000 + b"}",
    "white space": b" ",
    "NUL": b"\0",
}


@unread
@each("operation_id", WITH_BODY)
def test_invalid_json_is_400(sent, operation_id: str) -> None:
    with unchanged():
        answered = {label: error_of(sent(operation_id, data))["type"] for label, data in NO_JSON.items()}
    assert answered == dict.fromkeys(NO_JSON, "invalid_request")


@unread
@each("operation_id", WITH_BODY)
def test_json_that_is_not_an_object_is_422(sent, operation_id: str) -> None:
    with unchanged():
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
"""Operations that accept a form with a file as well as JSON."""


@unread
@each("operation_id", WITH_BODY)
def test_another_content_type_is_400(world: World, sent, operation_id: str) -> None:
    body = encoded(world.body(operation_id))
    types = [sort for sort in OTHER_TYPES if operation_id not in TAKING_FORMS or "multipart" not in (sort or "")]
    with unchanged():
        answered = {sort: error_of(sent(operation_id, body, sort))["type"] for sort in types}
    assert answered == dict.fromkeys(types, "invalid_request")


@unread
@each("operation_id", WITH_BODY)
def test_the_content_type_is_accepted_in_every_spelling(world: World, operation_id: str) -> None:
    for content_type in ("application/json; charset=utf-8", "Application/JSON", "application/json;"):
        call = world.call(operation_id)
        response = call.send_raw(encoded(call.body), content_type, **bearer(world.entry_point.secret))
        assert response.status_code in routes()[operation_id].successes, content_type


def _padded(body: Any, size: int) -> bytes:
    raw = encoded(body)
    return raw[:-1] + b" " * (size - len(raw)) + raw[-1:]


LONG = {"add_vocab_cards", "create_course", "update_course", "create_syllabus", "create_vocab_deck"}
"""Operations whose body may contain a whole syllabus or 500 cards. Each character can be six bytes of JSON."""


def _most(operation_id: str) -> int:
    return 8 * MIB if operation_id in LONG else MIB


@unread
@each("operation_id", WITH_BODY)
def test_a_body_of_exactly_the_largest_size_is_accepted(world: World, operation_id: str) -> None:
    call = world.call(operation_id)
    response = call.send_raw(_padded(call.body, _most(operation_id)), **bearer(world.entry_point.secret))
    assert response.status_code == routes()[operation_id].success


@unread
@each("operation_id", WITH_BODY)
def test_a_larger_body_is_400(world: World, sent, operation_id: str) -> None:
    most = _most(operation_id)
    with unchanged():
        for size in (most + 1, 2 * most):
            error = error_of(sent(operation_id, _padded(world.body(operation_id), size)))
            assert (error["type"], str(most) in error["message"]) == ("invalid_request", True), size


@unread
@each("length", ["x", "-1", "1.5", "99999999999999999999"])
def test_a_wrong_content_length_is_400(world: World, length: str) -> None:
    call = world.call("create_course")
    with unchanged():
        response = replace(call, environ={"CONTENT_LENGTH": length}).send(**bearer(world.entry_point.secret))
        assert error_of(response)["type"] == "invalid_request"


def test_the_last_of_repeated_keys_counts(world: World) -> None:
    data = b'{"name": "First", "name": "Second"}'
    response = Call("POST", "/v1/courses").send_raw(data, **bearer(world.entry_point.secret))
    assert response.json()["name"] == "Second"


@stricter
@each(("operation_id", "name"), TEXTS)
def test_an_unstorable_text_is_422(refused, operation_id: str, name: str) -> None:
    """Decisions 4: NUL and lone surrogates fail, and the field is named."""
    refused(operation_id, name, ["nul\0", "\0", "\ud800", "high \ud83d low", "\udfff\ud800"])


@unasked
@each("operation_id", WITH_BODY)
def test_an_unknown_field_is_ignored_under_any_name(world: World, operation_id: str) -> None:
    for keys in (["\0"], ["\ud800"], ["__proto__", ""], ["a" * 100_000]):
        call = world.call(operation_id)
        response = replace(call, body=call.body | {key: key for key in keys}).send(**bearer(world.entry_point.secret))
        assert response.status_code == routes()[operation_id].success, keys[0][:100]


@unasked
@each(("operation_id", "name"), TEXTS)
def test_a_value_that_is_not_a_text_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, [1, 1.5, True, [], {}, ["text"], {"a": "b"}])


@unasked
@each(("operation_id", "name"), of_type("number") + of_type("integer"))
def test_an_invalid_number_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, ["80", "", True, False, [], {}, "NaN", 1e308, -1e308, 10**400])
    schema = fields(operation_id)[name]
    is_whole = "integer" in schema["type"]
    step = 1 if is_whole else 0.00001
    refused(operation_id, name, [schema["minimum"] - step, schema["maximum"] + step, *([1.5] if is_whole else [])])


@unasked
@each(("operation_id", "name"), of_type("boolean"))
def test_a_value_that_is_not_a_boolean_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, ["true", "", 1, 0, None, [], {}])


FORMATTED = [
    (operation_id, name)
    for operation_id in WITH_BODY
    for name, schema in fields(operation_id).items()
    if schema.get("format") in {"date", "uuid"} or "enum" in schema
]


MALFORMED: list[Any] = [
    *NOT_DATES,
    " ",
    "\0",
    "\ud800",
    "2026-W01-1",
    "٢٠٢٦-٠١-٠١",  # noqa: RUF001  # digits that are not ASCII
    20260101,
    1,
    1.5,
    True,
    [],
    {},
    ["exam"],
    "homework",
    "EXAM",
    "exam ",
    " exam",
    "exam\0",
    "3f9f5a9e6f5e4a589a430d4a0b6f2c01",
    "x" * 100_000,
]
"""Neither a date, nor a UUID, nor a choice."""


@unasked
@each(("operation_id", "name"), FORMATTED)
def test_a_value_in_the_wrong_format_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, MALFORMED)


LIMITED = [
    (operation_id, name)
    for operation_id, name in TEXTS
    if "maxLength" in fields(operation_id)[name] and name not in {"time_zone", "url"}  # not arbitrary letters
]


@stricter
@each(("operation_id", "name"), LIMITED)
def test_a_text_of_the_published_length_is_accepted(world: World, operation_id: str, name: str) -> None:
    """Measured in code points, after trimming."""
    longest = fields(operation_id)[name]["maxLength"]
    for unit in UNITS:
        call = world.call(operation_id)
        kept = text(unit, longest)
        response = replace(call, body=call.body | {name: f" {kept}\n"}).send(**bearer(world.entry_point.secret))
        assert response.status_code == routes()[operation_id].success, response.content
        assert response.json().get(name, kept) == kept


@unasked
@each(("operation_id", "name"), LIMITED)
def test_one_more_character_is_422(refused, operation_id: str, name: str) -> None:
    longest = fields(operation_id)[name]["maxLength"]
    refused(operation_id, name, ["x" * (longest + 1), "🎓" * (longest + 1), "x" * (100_000 + longest)])


REQUIRED_TEXTS = [(operation_id, name) for operation_id, name in TEXTS if fields(operation_id)[name].get("minLength")]


@unasked
@each(("operation_id", "name"), REQUIRED_TEXTS)
def test_an_empty_required_text_is_422(refused, operation_id: str, name: str) -> None:
    refused(operation_id, name, ["", " ", "\t\r\n", "\u2003", "\x1f", None])


OPTIONAL_TEXTS = [
    (operation_id, name)
    for operation_id, name in TEXTS
    if "null" in (schema := fields(operation_id)[name])["type"] and "pattern" not in schema
]
"""Texts without a form of their own: a blank time is 422."""


@each(("operation_id", "name"), OPTIONAL_TEXTS)
def test_a_blank_optional_text_is_null(world: World, operation_id: str, name: str) -> None:
    for blank in (None, "", " \t\n "):
        for sent, kept in (("Text", "Text"), (blank, None)):
            call = world.call(operation_id)
            response = replace(call, body=call.body | {name: sent}).send(**bearer(world.entry_point.secret))
            assert response.status_code == routes()[operation_id].success, response.content
            assert response.json().get(name, kept) == kept, blank


@unasked
@each("operation_id", WITH_BODY)
def test_unpublished_null_is_422(refused, operation_id: str) -> None:
    for name, schema in fields(operation_id).items():
        if "null" not in schema.get("type", []):
            refused(operation_id, name, [None])


@unasked
@each("operation_id", WITH_BODY)
def test_every_invalid_field_is_named_at_once(sent, operation_id: str) -> None:
    known = fields(operation_id).items()
    wrong: dict[str, Any] = {name: [] if schema.get("type") == "object" else {} for name, schema in known}
    with unchanged():
        assert sorted(fields_of(sent(operation_id, encoded(wrong)))) == sorted(wrong)


@unasked
@each("operation_id", [name for name in WITH_BODY if routes()[name].method != "PATCH"])
def test_an_empty_body_is_read_as_an_empty_object(sent, operation_id: str) -> None:
    """Decisions 12, Bodies."""
    with unchanged():
        missing = fields_of(sent(operation_id, b"", None))
        assert sorted(missing) == sorted(body_schema(operation_id)["required"])
        assert sorted(fields_of(sent(operation_id, b"{}"))) == sorted(missing)


@each("data", [b"", b"{}"])
@each("operation_id", [name for name in WITH_BODY if routes()[name].method == "PATCH"])
def test_an_empty_change_changes_nothing(world: World, operation_id: str, data: bytes) -> None:
    call = world.call(operation_id)
    before = _without_clock(rows())
    response = call.send_raw(data, "application/json" if data else None, **bearer(world.entry_point.secret))
    assert response.status_code == 200
    assert _without_clock(rows()) == before


def _without_clock(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Rows without the member's, whose clock advances with each write."""
    return {name: stored for name, stored in found.items() if name != "accounts.Member"}


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


@stricter
@examples(25, derandomize=True)
@example(body={"categories": [{"name": "\ud800", "weight": "1"}]})
@given(body=st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=6) | _VALUES)
@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_no_body_breaks_the_service(world: World, operation_id: str, body: Any) -> None:
    rates.clear()
    call = replace(world.call(operation_id), body=body)
    before = rows()
    response = call.send_raw(encoded(body), **bearer(world.entry_point.secret))
    if response.status_code == routes()[operation_id].success:
        check_headers(response)
    else:
        assert error_of(response)["type"] in {"invalid_request", "validation_failed", "conflict"}
        assert rows() == before


@unread
@examples(25, derandomize=True)
@given(data=st.binary(max_size=300))
@pytest.mark.parametrize("operation_id", WITH_BODY)
def test_no_bytes_break_the_service(world: World, operation_id: str, data: bytes) -> None:
    assume(data.strip() != b"}")  # an empty object, so a PATCH rightly changes nothing
    rates.clear()
    call = world.call(operation_id)
    response = call.send_raw(b"{" + data, **bearer(world.entry_point.secret))
    assert error_of(response)["type"] in {"invalid_request", "validation_failed"}
