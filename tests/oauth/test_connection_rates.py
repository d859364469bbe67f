"""The rates of a connection: 120 a minute for each token and 240 in total. Each request of a batch counts."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from accounts.models import Member
from tests.support.entry_points import McpEntryPoint
from tests.support.oauth import App
from tests.support.tools import rpc_error_of
from tests.support.world import Call, bearer, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("frozen"), pytest.mark.same_statements]

ME = Call("GET", "/v1/me")
NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture
def frozen() -> Iterator[Any]:
    with time_machine.travel(datetime(2026, 11, 21, 12, 0, 30, tzinfo=UTC), tick=False) as clock:
        yield clock


@pytest.fixture
def tools(owner_member: Member, make_key: Any) -> McpEntryPoint:
    return McpEntryPoint(make_key(owner_member)[0])


def ask(token: str, times: int = 1) -> list[int]:
    return [ME.send(**bearer(token)).status_code for _ in range(times)]


def rest(token: str) -> tuple[int, int]:
    """The rate headers of one more request: limit and remaining."""
    answer = ME.send(**bearer(token))
    return int(answer.headers["RateLimit-Limit"]), int(answer.headers["RateLimit-Remaining"])


def tokens_of_one_connection(member: Member, count: int) -> list[str]:
    app = App.registered()
    given = app.connect(member)
    found = [given["access_token"]]
    while len(found) < count:
        given = app.refresh(given["refresh_token"]).json()
        found.append(given["access_token"])
    return [str(token) for token in found]


def ping(number: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


def post(entry_point: McpEntryPoint, batch: list[dict[str, Any]]) -> Any:
    return entry_point.request("POST", "/mcp", data=batch, content_type="application/json")


def test_a_refresh_does_not_raise_the_rate_of_the_connection(owner_member: Member) -> None:
    first, second, third = tokens_of_one_connection(owner_member, 3)
    assert ask(first, 120) == ask(second, 120) == [200] * 120
    answer = ME.send(**bearer(third))
    assert error_of(answer)["type"] == "rate_limited"
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
    assert (answer.headers["RateLimit-Limit"], answer.headers["RateLimit-Remaining"]) == ("240", "0")


def test_the_headers_contain_the_smaller_remaining_number(owner_member: Member) -> None:
    first, second, third = tokens_of_one_connection(owner_member, 3)
    assert rest(first) == (120, 119)
    ask(first, 100)
    ask(second, 100)
    assert rest(second) == (120, 19)
    assert rest(third) == (240, 37)


def test_rejected_calls_of_a_token_do_not_affect_others(owner_member: Member) -> None:
    first, second, _ = tokens_of_one_connection(owner_member, 3)
    assert ask(first, 200) == [200] * 120 + [429] * 80
    assert ask(second, 120) == [200] * 120


def test_connections_do_not_share_a_rate(owner_member: Member) -> None:
    for token in tokens_of_one_connection(owner_member, 3):
        ask(token, 120)
    other, *_ = tokens_of_one_connection(owner_member, 1)
    assert rest(other) == (120, 119)


def test_each_request_of_a_batch_counts(tools: McpEntryPoint) -> None:
    answer = post(tools, [ping(1), NOTIFICATION, ping(2), {"id": 5}, ping(3)])
    assert (answer.status_code, answer.headers["RateLimit-Remaining"]) == (200, "117")


def test_a_batch_of_notifications_counts_once(tools: McpEntryPoint) -> None:
    assert post(tools, [NOTIFICATION] * 3).headers["RateLimit-Remaining"] == "119"


def test_a_batch_over_the_rate_is_429_and_not_executed(tools: McpEntryPoint) -> None:
    create = {"name": "create_course", "arguments": {"name": "Cell Biology"}}
    batch = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": create} for n in range(20)]
    for _ in range(5):
        assert post(tools, [ping(n) for n in range(20)]).status_code == 200
    post(tools, [ping(1)])
    refused = post(tools, batch)
    assert (refused.status_code, rpc_error_of(refused)["type"]) == (429, "rate_limited")
    assert (refused.headers["Retry-After"], refused.headers["RateLimit-Remaining"]) == ("60", "0")
    assert not Member.objects.get().courses.exists()


def test_batches_count_toward_the_rate_of_the_connection(owner_member: Member) -> None:
    first, second, third = tokens_of_one_connection(owner_member, 3)
    for token in (first, second):
        for _ in range(5):
            post(McpEntryPoint(token), [ping(n) for n in range(20)])
    assert rest(third) == (240, 39)
