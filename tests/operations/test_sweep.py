"""Rules for all operations. The tests walk /openapi.json, so a new operation is covered immediately."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import jsonschema
import pytest
from django.test import Client

from accounts.credentials.keys import create_api_key, revoke_api_key
from accounts.models import ApiKey, Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, document, routes
from tests.support.run import is_thorough
from tests.support.world import (
    DOWNLOADS,
    INTO_NOTHING,
    OPERATIONS,
    PATHS,
    USED_UP,
    WITH_BODY,
    WITH_PATH_ID,
    WRITES,
    Call,
    World,
    bearer,
    check_headers,
    declared,
    error_of,
    fields_of,
    rows,
)

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

unasked = pytest.mark.database("sqlite", "checks before any statement")

FREE_TEXTS = {"cursor", "name"}
"""Parameters that may be empty and are too long at 201 characters."""

NEEDS_MEMBERSHIP = [name for name in OPERATIONS if name != "get_me"]


@pytest.fixture
def rest(owner_member: Member, make_key) -> RestEntryPoint:
    """The owner's REST entry point."""
    return RestEntryPoint(make_key(owner_member)[0])


@pytest.fixture
def world(rest: RestEntryPoint) -> World:
    """One of each of the owner's objects."""
    return World.filled(rest)


@pytest.fixture
def stranger(make_member, make_key) -> World:
    """One of each of a stranger's objects."""
    return World.filled(RestEntryPoint(make_key(make_member())[0]))


DEAD: dict[str, Callable[[str], dict[str, str]]] = {
    "missing": lambda _: {},
    "empty": lambda _: {"Authorization": ""},
    "no secret": lambda _: {"Authorization": "Bearer"},
    "other scheme": lambda secret: {"Authorization": f"Basic {secret}"},
    "no scheme": lambda secret: {"Authorization": secret},
    "unknown": lambda secret: bearer(secret[:-1] + ("A" if secret[-1] != "A" else "B")),
    "cut": lambda secret: bearer(secret[:-1]),
    "foreign prefix": lambda secret: bearer("svc_xx_" + secret[7:]),
    "not ascii": lambda _: bearer("svc_sk_\xe9\xff"),
    "long": lambda _: bearer("svc_sk_" + "x" * 7000),
    "X-API-Key unknown": lambda secret: {"X_API_Key": secret + "x"},
    "X-API-Key beside Basic": lambda secret: {"X_API_Key": secret, "Authorization": "Basic abc"},
    "X-API-Key beside a dead one": lambda secret: {"X_API_Key": secret} | bearer("svc_sk_dead"),
}
"""Headers without a valid credential, derived from a valid key."""

UNSENT = {"missing", "empty", "no secret", "other scheme", "no scheme", "X-API-Key beside Basic"}
"""Headers without any credential, whose 401 has no error code (RFC 6750 section 3.1)."""

ENDED: dict[str, Callable[[ApiKey], object]] = {
    "revoked": revoke_api_key,
    "expired": lambda key: ApiKey.objects.filter(id=key.id).update(expires_at=datetime.now(UTC)),
    "deactivated": lambda key: Member.objects.filter(id=key.member_id).update(is_active=False),
}
"""Ways to end a key."""


@each("operation_id", OPERATIONS)
def test_its_published_example_works(world: World, operation_id: str) -> None:
    response = world.call(operation_id).send(**bearer(world.entry_point.secret))
    assert response.status_code == routes()[operation_id].success, response.content
    check_headers(response)
    content = declared(operation_id)["responses"][str(response.status_code)]["content"]
    if operation_id in DOWNLOADS:
        assert response.headers["Content-Type"] in content
        return
    schema = content["application/json"]["schema"] | {"components": _without_extra_fields()}
    jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(response.json())


def _without_extra_fields() -> Any:
    components = {
        name: schema | {"additionalProperties": False} for name, schema in document()["components"]["schemas"].items()
    }
    return {"schemas": components}


def _is_unauthorized(response: Any, *, dead: bool = True) -> bool:
    error = f'error="invalid_token", error_description="{error_of(response)["message"]}", ' if dead else ""
    challenge = f'Bearer {error}resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource"'
    assert response.headers["WWW-Authenticate"] == challenge
    return bool(error_of(response)["type"] == "unauthorized")


@each("operation_id", OPERATIONS)
def test_a_call_without_a_valid_credential_is_401(world: World, operation_id: str) -> None:
    call = world.call(operation_id)
    before = rows()
    for sort, headers in DEAD.items():
        assert _is_unauthorized(call.send(**headers(world.entry_point.secret)), dead=sort not in UNSENT), sort
    assert rows() == before


@pytest.mark.database("both")
@each("operation_id", OPERATIONS)
def test_a_call_with_an_ended_key_is_401(world: World, owner_member: Member, make_key, operation_id: str) -> None:
    call = world.call(operation_id)
    for sort, end in ENDED.items():
        secret, key = make_key(owner_member)
        end(key)
        before = rows()
        assert _is_unauthorized(call.send(**bearer(secret))), sort
        assert rows() == before, sort


@each("operation_id", WRITES)
def test_a_read_only_key_cannot_write(world: World, owner_member: Member, make_key, operation_id: str) -> None:
    call = world.call(operation_id)
    secret, _ = make_key(owner_member, may_write=False)
    before = rows()
    assert error_of(call.send(**bearer(secret)))["type"] == "insufficient_scope"
    assert rows() == before


@each("operation_id", sorted(set(OPERATIONS) - set(WRITES)))
def test_a_read_only_key_can_read(world: World, owner_member: Member, make_key, operation_id: str) -> None:
    call = world.call(operation_id)
    secret, _ = make_key(owner_member, may_write=False)
    assert call.send(**bearer(secret)).status_code == 200


@each("operation_id", sorted(set(OPERATIONS) - set(WRITES)))
def test_reading_changes_nothing(world: World, operation_id: str) -> None:
    call = world.call(operation_id)
    before = rows()
    call.send(**bearer(world.entry_point.secret))
    assert rows() == before


@each("operation_id", NEEDS_MEMBERSHIP)
def test_a_lapsed_member_is_rejected(world: World, owner_member: Member, operation_id: str) -> None:
    """Spec, Membership: in every call except get_me."""
    call, ended = world.call(operation_id), datetime.now(UTC).date() - timedelta(days=2)
    for active, until in ((False, None), (True, ended)):
        Member.objects.filter(id=owner_member.id).update(membership_active=active, membership_until=until)
        before = rows()
        error = error_of(call.send(**bearer(world.entry_point.secret)))
        assert error["type"] == "membership_required"
        assert "Subscribe or renew" in error["message"]
        assert rows() == before


def test_get_me_works_for_a_lapsed_member(world: World, owner_member: Member) -> None:
    Member.objects.filter(id=owner_member.id).update(membership_active=False)
    response = world.call("get_me").send(**bearer(world.entry_point.secret))
    assert response.json()["membership"] == {"active": False, "until": None, "renew_url": None}


@each("operation_id", WITH_PATH_ID)
def test_a_strangers_object_is_not_found(world: World, stranger: World, operation_id: str) -> None:
    """Spec, rule 1: the answer is the same as for an object that does not exist."""
    [name] = routes()[operation_id].path_ids
    other_kind = stranger.id("item_id" if name == "course_id" else "course_id")
    ids = (world.id(name), str(uuid4()), other_kind)
    calls = [stranger.call(operation_id, **{name: id_}) for id_ in ids]
    before = rows()
    theirs, *absent = [
        error_of(call.send(**bearer(stranger.entry_point.secret))) | {"request_id": ""} for call in calls
    ]
    assert theirs["type"] == "not_found"
    assert absent == [theirs] * 2
    assert rows() == before


@each("operation_id", [name for name in OPERATIONS if routes()[name].method == "DELETE"])
def test_a_deleted_object_is_not_found(world: World, operation_id: str) -> None:
    [name] = routes()[operation_id].path_ids
    calls = {other: world.call(other) for other in WITH_PATH_ID if routes()[other].path_ids == {name}}
    deleted = calls[operation_id].send(**bearer(world.entry_point.secret))
    assert (deleted.status_code, deleted.json()) == (200, {"id": world.id(name), "deleted": True})
    for other, call in calls.items():
        assert error_of(call.send(**bearer(world.entry_point.secret)))["type"] == "not_found", other


_MALFORMED = [
    "17",
    "3f9f5a9e6f5e4a589a430d4a0b6f2c01",
    "%7B3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01%7D",
    "urn:uuid:3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c0g",
    "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c0",
    "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c011",
    "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01%0A",
    "%203f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    "%00",
    "%FF%FE",
    "%ZZ",
    "%D9%A1f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    "x" * 4000,
]


@each("operation_id", WITH_PATH_ID)
def test_a_malformed_id_is_named(world: World, operation_id: str) -> None:
    [name] = routes()[operation_id].path_ids
    world.call(operation_id)
    before = rows()
    for malformed in _MALFORMED:
        call = world.call(operation_id, **{name: malformed})
        assert fields_of(call.send(**bearer(world.entry_point.secret))) == [name], malformed
    assert rows() == before


@each("operation_id", WITH_PATH_ID)
def test_an_id_is_accepted_in_any_case(world: World, operation_id: str) -> None:
    [name] = routes()[operation_id].path_ids
    call = world.call(operation_id, **{name: world.id(name).upper()})
    assert call.send(**bearer(world.entry_point.secret)).status_code == routes()[operation_id].success


def _methods_of(path: str) -> set[str]:
    methods = {route.method for route in routes().values() if route.path == path}
    return methods | ({"HEAD"} if "GET" in methods else set())


_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "BREW")


def _wrong_methods(path: str) -> list[str]:
    return [method for method in _METHODS if method not in _methods_of(path)]


@unasked
@each("path", PATHS)
def test_a_wrong_method_is_405(rest: RestEntryPoint, path: str) -> None:
    for method in _wrong_methods(path):
        response = Call(method, path).send(**bearer(rest.secret))
        check_headers(response)
        assert response.status_code == 405, method
        assert set(response.headers["Allow"].split(", ")) == _methods_of(path), method
        if method != "HEAD":
            assert error_of(response)["type"] == "method_not_allowed", method


@each("path", [path for path in PATHS if "HEAD" in _methods_of(path)])
def test_head_answers_like_get_without_a_body(world: World, path: str) -> None:
    [operation_id] = [name for name, route in routes().items() if (route.path, route.method) == (path, "GET")]
    get = world.call(operation_id)
    head = Call("HEAD", get.path).send(**bearer(world.entry_point.secret))
    check_headers(head)
    assert (head.status_code, head.getvalue()) == (200, b"")


def test_a_wrong_method_on_me_is_405_for_a_lapsed_member_too(lapsed_rest: RestEntryPoint) -> None:
    """Decisions 12, Methods."""
    response = Call("POST", "/v1/me", {}).send(**bearer(lapsed_rest.secret))
    assert error_of(response)["type"] == "method_not_allowed"
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "PATCH"}


@pytest.fixture
def lapsed_rest(make_member, make_key) -> RestEntryPoint:
    """The REST entry point of a lapsed member."""
    return RestEntryPoint(make_key(make_member(membership_active=False))[0])


@unasked
@each("operation_id", OPERATIONS if is_thorough() else OPERATIONS[::5])  # one middleware reads the key for all
def test_every_way_to_send_a_key_works(world: World, operation_id: str) -> None:
    """In addition to the published example."""
    secret = world.entry_point.secret
    for headers in (
        {"X_API_Key": secret},
        {"Authorization": f"bearer {secret}"},
        {"Authorization": f"Bearer   {secret} "},
    ):
        response = world.call(operation_id).send(**headers)
        assert response.status_code in routes()[operation_id].successes, headers
        if operation_id in USED_UP:
            world.forget()
        if operation_id in INTO_NOTHING:
            world.empty()


def test_authorization_takes_precedence_if_both_are_sent(rest: RestEntryPoint, make_member, make_key) -> None:
    """Decisions 3."""
    other, _ = make_key(make_member("other@example.org"))
    response = Call("GET", "/v1/me").send(**bearer(rest.secret), X_API_Key=other)
    assert response.json()["email"] == "owner@example.org"


@unasked
@each("operation_id", OPERATIONS)
def test_a_session_is_not_a_credential(world: World, owner_member: Member, operation_id: str) -> None:
    """Spec, rule 4: cookies are never used for the API."""
    call = world.call(operation_id)
    browser = Client(raise_request_exception=False)
    browser.force_login(owner_member)
    response = browser.generic(call.method, call.path, "{}", "application/json")
    assert error_of(response)["type"] == "unauthorized"


def test_a_session_does_not_change_the_member(rest: RestEntryPoint, make_member) -> None:
    browser = Client()
    browser.force_login(make_member("other@example.org"))
    response = browser.get("/v1/me", headers=bearer(rest.secret))
    assert response.json()["email"] == "owner@example.org"
    check_headers(response)


@each("path", ["/v1", "/v1/", "/v1/nothing", "/v1/courses/", "/v1/me/", "/v1//me", "/v1/me%00"])
@each("authorized", [True, False])
def test_an_unknown_route_is_404(rest: RestEntryPoint, path: str, authorized: bool) -> None:
    """Decisions 12, Routes: an unknown route is 404 before the credential is checked."""
    response = Call("GET", path).send(**(bearer(rest.secret) if authorized else {}))
    assert error_of(response)["type"] == "not_found"


def _exhaust(secret: str) -> None:
    for _ in range(120):
        Call("GET", "/v1/nothing").send(**bearer(secret))


def test_the_rate_limit_is_checked_before_membership(lapsed_rest: RestEntryPoint) -> None:
    _exhaust(lapsed_rest.secret)
    assert error_of(Call("GET", "/v1/courses").send(**bearer(lapsed_rest.secret)))["type"] == "rate_limited"


def test_the_route_is_checked_before_membership(lapsed_rest: RestEntryPoint) -> None:
    response = Call("GET", "/v1/nothing").send(**bearer(lapsed_rest.secret))
    assert error_of(response)["type"] == "not_found"


def test_the_route_is_checked_before_the_rate_limit(rest: RestEntryPoint) -> None:
    _exhaust(rest.secret)
    assert error_of(Call("GET", "/v1/nothing").send(**bearer(rest.secret)))["type"] == "not_found"


@unasked
@each("path", [path for path in PATHS if path != "/v1/me"])
def test_membership_is_checked_before_the_method(lapsed_rest: RestEntryPoint, path: str) -> None:
    for method in [method for method in _wrong_methods(path) if method != "HEAD"]:
        response = Call(method, path).send(**bearer(lapsed_rest.secret))
        assert error_of(response)["type"] == "membership_required", method


@pytest.fixture
def read_only(owner_member: Member) -> str:
    """A read-only key of the owner."""
    return create_api_key(owner_member, "reader", may_write=False)[0]


@unasked
@each("path", PATHS)
def test_the_method_is_checked_before_the_scope(read_only: str, path: str) -> None:
    [method, *_] = [method for method in ("DELETE", "PUT", "PATCH", "POST") if method not in _methods_of(path)]
    assert error_of(Call(method, path).send(**bearer(read_only)))["type"] == "method_not_allowed"


@each("operation_id", WITH_BODY)
def test_the_scope_is_checked_before_the_json(world: World, read_only: str, operation_id: str) -> None:
    response = world.call(operation_id).send_raw(b"{broken", **bearer(read_only))
    assert error_of(response)["type"] == "insufficient_scope"


@each("operation_id", sorted({*WITH_BODY} & {*WITH_PATH_ID}))
def test_the_json_is_checked_before_the_path_id(world: World, operation_id: str) -> None:
    [name] = routes()[operation_id].path_ids
    response = world.call(operation_id, **{name: "17"}).send_raw(b"{broken", **bearer(world.entry_point.secret))
    assert error_of(response)["type"] == "invalid_request"


@each("operation_id", sorted({*WITH_BODY} & {*WITH_PATH_ID}))
def test_the_path_id_is_checked_before_the_body(world: World, operation_id: str) -> None:
    [name] = routes()[operation_id].path_ids
    response = world.call(operation_id, **{name: "17"}).send_raw(b"[]", **bearer(world.entry_point.secret))
    assert fields_of(response) == [name]


@each("operation_id", sorted({*WITH_BODY} & {*WITH_PATH_ID}))
def test_the_object_is_checked_before_the_body(world: World, operation_id: str) -> None:
    [name] = routes()[operation_id].path_ids
    call = world.call(operation_id, **{name: str(uuid4())})
    for data in (b"[]", b"{}"):
        assert error_of(call.send_raw(data, **bearer(world.entry_point.secret)))["type"] == "not_found", data


@each("operation_id", [name for name in OPERATIONS if routes()[name].path_ids | routes()[name].query])
def test_every_invalid_parameter_is_named_at_once(world: World, operation_id: str) -> None:
    route = routes()[operation_id]
    call = world.call(operation_id, **dict.fromkeys(route.path_ids, "17"))
    long = "x" * 201
    query = "&".join(f"{name}={long if name in FREE_TEXTS else ''}" for name in sorted(route.query))
    response = Call(call.method, call.path, call.body, query).send(**bearer(world.entry_point.secret))
    assert sorted(fields_of(response)) == sorted(route.path_ids | route.query)


def test_the_body_is_checked_before_the_count_limit(rest: RestEntryPoint) -> None:
    for number in range(30):
        rest.made("create_course", name=f"Course {number}")
    courses = Call("POST", "/v1/courses", {"name": ""})
    assert fields_of(courses.send(**bearer(rest.secret))) == ["name"]
    full = Call("POST", "/v1/courses", {"name": "One more"})
    assert error_of(full.send(**bearer(rest.secret)))["type"] == "conflict"
