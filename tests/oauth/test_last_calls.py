"""The last call and the last refused call of an app, with the reason, on the key page."""

import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.credentials.connections import ConnectedApp, Refusal
from accounts.models import Member
from oauthserver.consents import block
from oauthserver.models import Grant
from studyservice.operations.errors import ApiError
from studyservice.rows.limits import Limits
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.oauth import BASE, App, status_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    """A clock stopped at noon until a test moves it."""
    with time_machine.travel(NOON, tick=False) as stopped:
        yield stopped


@pytest.fixture
def app(db: None, clock: Any) -> App:
    return App.registered()


@pytest.fixture
def page(owner_member: Member, client: Client) -> Any:
    """Opens the key page as the owner. Returns the section of the app and its text."""

    def opened() -> tuple[ConnectedApp, str]:
        client.force_login(owner_member)
        response = client.get("/keys")
        [shown] = response.context["apps"]
        return shown, re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())).replace("\xa0", " ")

    return opened


def test_there_is_no_call_at_first(app: App, owner_member: Member, page: Any) -> None:
    app.connect(owner_member)
    shown, text = page()
    assert (shown.last_call_at, shown.refused_at, shown.refusal) == (None, None, None)
    assert "Last call none yet" in text
    assert "Last refused" not in text


def test_a_call_is_shown_within_five_minutes(app: App, owner_member: Member, page: Any, clock: Any) -> None:
    """Not every call writes the time: it is updated once the shown one is older than that."""
    entry_point = RestEntryPoint(app.connect(owner_member)["access_token"])
    shown = []
    for seconds in (0, 300, 301, 302):
        clock.move_to(NOON + timedelta(seconds=seconds))
        entry_point.made("get_me")
        shown.append((page()[0].last_call_at - NOON).seconds)
    assert shown == [0, 0, 301, 301]


def test_only_one_call_in_five_minutes_writes(app: App, owner_member: Member, clock: Any) -> None:
    """Neither successful nor refused calls need an extra statement."""
    entry_point = RestEntryPoint(app.connect(owner_member, write=False)["access_token"])
    other = app.connect(owner_member)["access_token"]
    writes = []
    for minutes in (0, 1, 2, 70, 71, 72):  # from 70 on, both tokens have expired
        clock.move_to(NOON + timedelta(minutes=minutes))
        with CaptureQueriesContext(connection) as queries:
            entry_point.call("get_me")
            entry_point.call("create_course", name="Biology")
            status_of(other)
        writes.append(sum(query["sql"].startswith("UPDATE") for query in queries))
    assert writes == [3, 0, 0, 2, 0, 0]


@pytest.mark.database("both")
def test_a_refused_call_is_shown_with_its_reason(app: App, owner_member: Member, page: Any, clock: Any) -> None:
    entry_point = RestEntryPoint(app.connect(owner_member, write=False)["access_token"])
    entry_point.call("create_course", name="Biology")
    clock.move_to(NOON + timedelta(minutes=20))
    entry_point.made("get_me")
    clock.move_to(NOON + timedelta(minutes=25))
    shown, text = page()
    assert (shown.last_call_at, shown.refused_at, shown.refusal) == (
        NOON + timedelta(minutes=20),
        NOON,
        Refusal.INSUFFICIENT_SCOPE,
    )
    assert "Last call 5 minutes ago" in text
    assert "Last refused 25 minutes ago : it may not change data." in text


def test_calls_refused_by_limits_are_shown_with_their_reason(
    app: App, owner_member: Member, page: Any, admin: Client, clock: Any
) -> None:
    tokens = app.connect(owner_member)
    Grant.objects.filter(user=owner_member).update(limits=Limits(grades=False).stored())
    for minutes, entry_point in ((0, RestEntryPoint), (10, McpEntryPoint)):
        clock.move_to(NOON + timedelta(minutes=minutes))
        assert entry_point(tokens["access_token"]).call("get_grades", course_id="x").error == "insufficient_scope"
        shown, text = page()
        assert (shown.refused_at, shown.refusal) == (NOON + timedelta(minutes=minutes), Refusal.GRADES_HIDDEN)
        assert ": it asked for grades, which you hide." in text
    assert "it asked for grades, which you hide" in admin.get("/admin/").content.decode()
    clock.move_to(NOON + timedelta(minutes=20))
    assert RestEntryPoint(tokens["access_token"]).request("GET", "/v1/export").status_code == 403
    assert ": it asked for more of your data than you let it see." in page()[1]


def test_a_failing_tool_is_a_refused_call(app: App, owner_member: Member, page: Any) -> None:
    """Its HTTP status is 200."""
    entry_point = McpEntryPoint(app.connect(owner_member, write=False)["access_token"])
    entry_point.call("create_course", name="Biology")
    shown, _ = page()
    assert (shown.last_call_at, shown.refusal) == (None, Refusal.INSUFFICIENT_SCOPE)


def test_a_message_answered_with_an_error_is_a_refused_call(app: App, owner_member: Member, page: Any) -> None:
    entry_point = McpEntryPoint(app.connect(owner_member)["access_token"])
    assert "error" in entry_point.rpc("tools/call", {"name": "nothing"}).json()
    shown, _ = page()
    assert (shown.last_call_at, shown.refusal) == (None, Refusal.INVALID_REQUEST)


def test_the_last_message_of_a_batch_counts(app: App, owner_member: Member, page: Any) -> None:
    entry_point = McpEntryPoint(app.connect(owner_member)["access_token"])
    calls = [("nothing", 1), ("get_me", 2)]
    batch = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name}} for name, number in calls
    ]
    assert len(entry_point.request("POST", "/mcp", json=batch).json()) == 2
    shown, _ = page()
    assert (shown.last_call_at is None, shown.refusal) == (False, None)


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
def test_opening_a_stream_or_ending_a_session_is_not_a_refused_call(
    app: App, owner_member: Member, page: Any, admin: Client, method: str
) -> None:
    """MCP clients try both on each connection, and continue after a 405."""
    entry_point = McpEntryPoint(app.connect(owner_member)["access_token"])
    assert [entry_point.request(method, path).status_code for path in ("/mcp", "/mcp/")] == [405, 405]
    shown, text = page()
    assert (shown.last_call_at, shown.refused_at, shown.refusal) == (None, None, None)
    assert "Last refused" not in text
    assert "Planner" not in admin.get("/admin/oauthserver/application/?refused=day").content.decode()


def test_another_method_on_the_mcp_endpoint_is_a_refused_call(app: App, owner_member: Member, page: Any) -> None:
    entry_point = McpEntryPoint(app.connect(owner_member)["access_token"])
    assert entry_point.request("PUT", "/mcp").status_code == 405
    assert page()[0].refusal == Refusal.METHOD_NOT_ALLOWED


def test_requesting_a_stream_too_often_is_a_refused_call(app: App, owner_member: Member, page: Any) -> None:
    entry_point = McpEntryPoint(app.connect(owner_member)["access_token"])
    assert [entry_point.request("GET", "/mcp").status_code for _ in range(121)] == [405] * 120 + [429]
    assert page()[0].refusal == Refusal.RATE_LIMITED


def expired(app: App, member: Member) -> None:
    token = app.connect(member)["access_token"]
    with time_machine.travel(NOON + timedelta(minutes=61)):
        assert status_of(token) == 401


def blocked(app: App, member: Member) -> None:
    token = app.connect(member)["access_token"]
    block(app.id)
    assert status_of(token) == 401


def elsewhere(app: App, member: Member) -> None:
    assert status_of(app.connect(member, resource=f"{BASE}/mcp")["access_token"]) == 401


def lapsed(app: App, member: Member) -> None:
    token = app.connect(member)["access_token"]
    member.membership_active = False
    member.save()
    assert status_of(token, "/v1/courses") == 403


@pytest.mark.parametrize(
    ("refuse", "reason"),
    [
        (expired, Refusal.EXPIRED),
        (blocked, Refusal.BLOCKED),
        (elsewhere, Refusal.ELSEWHERE),
        (lapsed, Refusal.MEMBERSHIP_REQUIRED),
    ],
)
def test_the_reason_is_shown(app: App, owner_member: Member, page: Any, refuse: Any, reason: Refusal) -> None:
    refuse(app, owner_member)
    shown, text = page()
    assert (shown.last_call_at, shown.refusal) == (None, reason)
    assert f": {reason.label}." in text


def test_the_first_reason_is_kept_for_five_minutes(app: App, owner_member: Member, page: Any, clock: Any) -> None:
    """Whatever the number of reasons, a connection is written once in five minutes."""
    entry_point = RestEntryPoint(app.connect(owner_member)["access_token"])
    entry_point.call("get_course", course_id="no-id")
    clock.move_to(NOON + timedelta(minutes=5))
    entry_point.request("GET", "/v1/nothing")
    shown, _ = page()
    assert (shown.refused_at, shown.refusal) == (NOON, Refusal.VALIDATION_FAILED)
    clock.move_to(NOON + timedelta(minutes=5, seconds=1))
    entry_point.request("GET", "/v1/nothing")
    assert page()[0].refusal == Refusal.NOT_FOUND


def test_each_api_error_has_a_reason() -> None:
    def below(error: type[ApiError]) -> list[type[ApiError]]:
        return [error, *(found for sub in error.__subclasses__() for found in below(sub))]

    types = {error.type for error in below(ApiError) if hasattr(error, "type")}
    assert types - set(Refusal.values) == {"unauthorized"}, "no call with a valid token is unauthorized"


def test_the_newest_of_several_consents_is_shown(
    app: App, owner_member: Member, make_member: Any, page: Any, clock: Any
) -> None:
    one, other = (RestEntryPoint(app.connect(owner_member, write=False)["access_token"]) for _ in range(2))
    stranger = RestEntryPoint(app.connect(make_member())["access_token"])
    one.made("get_me")
    one.call("create_course", name="Biology")
    clock.move_to(NOON + timedelta(minutes=1))
    other.call("get_course", course_id="no-id")
    clock.move_to(NOON + timedelta(minutes=2))
    stranger.made("get_me")
    stranger.call("get_course", course_id="no-id")
    shown, _ = page()
    newest = NOON + timedelta(minutes=1)
    assert (shown.last_call_at, shown.refused_at, shown.refusal) == (NOON, newest, Refusal.VALIDATION_FAILED)


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_an_unrecordable_call_is_logged_and_answered(
    app: App, owner_member: Member, caplog: pytest.LogCaptureFixture
) -> None:
    """As on a full disk or a standby server."""
    entry_point = RestEntryPoint(app.connect(owner_member)["access_token"])

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE"):
            raise DatabaseError("read-only")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        assert entry_point.made("get_me")["email"] == owner_member.email
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == [
        "The use of oauthserver.Grant could not be recorded"
    ]


def test_an_operator_sees_it_too(app: App, owner_member: Member, admin: Client) -> None:
    RestEntryPoint(app.connect(owner_member, write=False)["access_token"]).call("create_course", name="Biology")
    listed = admin.get("/admin/oauthserver/refreshtoken/").content.decode()
    assert ": it may not change data" in listed
