"""`Idempotency-Key` on every POST: the call is carried out once and always gets its first answer."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Member
from courses.models import Course
from studyservice.models import IdempotencyKey
from tests.conftest import MakeKey, MakeMember
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint, routes
from tests.support.factories import IdempotencyKeyFactory, stored
from tests.support.oauth import App
from tests.support.world import OPERATIONS, WITH_BODY, Call, World, bearer, encoded, error_of, fields_of, rows

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

POSTS = [name for name in OPERATIONS if routes()[name].method == "POST"]
OTHERS = [name for name in OPERATIONS if routes()[name].method != "POST"]
COURSE = Call("POST", "/v1/courses", {"name": "Cell Biology"})

Send = Callable[..., Any]


@pytest.fixture
def world(owner: RestEntryPoint) -> World:
    """One of each of the owner's objects."""
    return World.filled(owner)


@pytest.fixture
def send(owner: RestEntryPoint) -> Send:
    """Sends a call under a key, by default with the owner's credential."""

    def send(call: Call, key: str = "first", secret: str = owner.secret) -> Any:
        return call.send(**bearer(secret), Idempotency_Key=key)

    return send


def is_replayed(response: Any) -> bool:
    """Return whether the answer is marked as replayed."""
    found = response.headers.get("Idempotency-Replayed")
    assert found in {None, "true"}
    return bool(found)


@each("operation_id", POSTS)
def test_a_repeated_call_gets_the_first_answer(world: World, send: Send, operation_id: str) -> None:
    call = world.call(operation_id)
    first = send(call)
    before = rows()
    again = send(call)
    assert (first.status_code, is_replayed(first)) == (routes()[operation_id].success, False)
    assert (again.status_code, again.content, is_replayed(again)) == (first.status_code, first.content, True)
    assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]
    assert rows() == before


@each("operation_id", POSTS)
def test_without_a_key_or_with_another_it_is_carried_out_again(world: World, send: Send, operation_id: str) -> None:
    call = world.call(operation_id)
    first = send(call).json()
    for again in (send(call, "second"), call.send(**bearer(world.entry_point.secret))):
        assert not is_replayed(again)
        assert again.json() != first


@each("operation_id", POSTS)
def test_another_body_or_query_with_the_same_key_is_422(world: World, send: Send, operation_id: str) -> None:
    """The key is checked before ids and fields, so their errors are not reported."""
    call = world.call(operation_id)
    send(call)
    before = rows()
    others = [replace(call, query="a=b")]
    if call.file is None and call.body is not None:
        others += [replace(call, body=call.body | {"unknown": 1}), replace(call, body=[])]
    elif call.file is not None:
        others += [replace(call, file=call.file + b"\r\n"), replace(call, file=b"")]
    for other in others:
        assert fields_of(send(other)) == ["Idempotency-Key"]
    assert rows() == before


def test_another_operation_or_path_with_the_same_key_is_422(world: World, send: Send) -> None:
    send(world.call("create_item"))
    for other in (world.call("create_course"), world.call("create_item", course_id=str(uuid4()))):
        assert fields_of(send(other)) == ["Idempotency-Key"]


@pytest.fixture
def undo(owner: RestEntryPoint, item: Any) -> Callable[..., Any]:
    """Undoes the creation of the item under a key, with the given body."""
    [change, *_] = owner.made("list_changes")["data"]
    call = Call("POST", f"/v1/changes/{change['id']}/undo")

    def undo(body: bytes = b"", content_type: str | None = "application/json", key: str = "first") -> Any:
        headers = bearer(owner.secret) | {"Idempotency_Key": key}
        return call.send_raw(body, content_type, **headers)

    return undo


def test_an_unexpected_body_is_compared(undo: Callable[..., Any]) -> None:
    first = undo(b'{"why": "a slip", "at": 1}')
    assert (first.status_code, is_replayed(first)) == (200, False)
    again = undo(b'{ "at": 1, "why": "a slip" }')
    assert (again.content, is_replayed(again)) == (first.content, True)
    for other in (b"", b"{}", b"[]", b'{"why": "a slip"}', b"why=a+slip", b"{broken"):
        assert fields_of(undo(other)) == ["Idempotency-Key"], other


@each("body", [b"{}", b"[1]", b"null", b'"text"', b"a=b", b"{broken", b" " * 1024 * 1024])
@each("content_type", ["application/json", "application/x-www-form-urlencoded", "text/plain", None])
def test_a_missing_optional_body_is_accepted(undo: Callable[..., Any], body: bytes, content_type: str | None) -> None:
    assert undo(body, content_type).status_code == 200
    assert is_replayed(undo(body, content_type))


def test_an_empty_object_counts_as_no_body(undo: Callable[..., Any]) -> None:
    first = undo(b"", None)
    assert [is_replayed(undo(body)) for body in (b"", b"{}", b" { } ")] == [True] * 3
    assert undo(b"{}").content == first.content


def test_an_unexpected_body_that_is_too_long_is_400(undo: Callable[..., Any]) -> None:
    assert error_of(undo(b" " * (1024 * 1024 + 1)))["type"] == "invalid_request"


def test_the_same_body_may_be_formatted_differently(owner: RestEntryPoint, send: Send) -> None:
    headers = bearer(owner.secret) | {"Idempotency_Key": "first"}
    first = send(Call("POST", "/v1/courses", {"name": "Cell Biology", "code": "BIO 210"}))
    again = COURSE.send_raw(b'{ "code" : "BIO\\u0020210",\n "name": "Cell Biology" }', **headers)
    assert (again.content, is_replayed(again)) == (first.content, True)


@each("odd", ["\ud800", [[]]])
def test_a_body_that_cannot_be_serialized_is_compared_as_bytes(owner: RestEntryPoint, odd: Any) -> None:
    """Unknown fields are ignored. orjson can parse both values but serialize neither."""
    for _ in range(400):
        odd = [odd]
    body = {"name": "Cell Biology", "unknown": odd}
    headers = bearer(owner.secret) | {"Idempotency_Key": "first"}
    assert not is_replayed(COURSE.send_raw(encoded(body), **headers))
    assert is_replayed(COURSE.send_raw(encoded(body), **headers))
    assert fields_of(COURSE.send_raw(encoded(body | {"name": "Chemistry"}), **headers)) == ["Idempotency-Key"]


@each("operation_id", sorted(set(POSTS) & set(WITH_BODY)))
def test_a_rejected_call_is_not_stored(world: World, send: Send, operation_id: str) -> None:
    call = world.call(operation_id)
    before = rows()
    wrong = replace(call, body=[]) if call.file is None else replace(call, file=b"")
    assert error_of(send(wrong))["type"] == "validation_failed"
    assert rows() == before
    assert send(call).status_code == routes()[operation_id].success


def test_a_rate_limited_call_is_not_stored(owner: RestEntryPoint, send: Send) -> None:
    made = [owner.made("create_course", name=f"{number}") for number in range(30)]
    assert error_of(send(COURSE))["type"] == "conflict"
    owner.made("delete_course", course_id=made[0]["id"])
    assert (send(COURSE).status_code, is_replayed(send(COURSE))) == (201, True)


def test_the_answer_is_repeated_after_the_created_object_is_deleted(
    owner: RestEntryPoint, course: Any, send: Send
) -> None:
    """The key is checked before the object and its parent."""
    call = Call("POST", f"/v1/courses/{course['id']}/items", {"title": "Midterm"})
    first = send(call)
    owner.made("delete_course", course_id=course["id"])
    assert send(call).content == first.content


@each("key", ["", "x" * 256, "two words", "tab\t", "caf\xe9", "\x7f", "\x00", " ", "line\n"])
def test_an_invalid_key_is_400(send: Send, key: str) -> None:
    """Before ids and validation."""
    before = rows()
    for call in (COURSE, replace(COURSE, body=[]), Call("POST", "/v1/courses/17/items", {})):
        error = error_of(send(call, key))
        assert (error["type"], "Idempotency-Key" in error["message"]) == ("invalid_request", True)
    assert rows() == before


@each("key", ["0", "x" * 255, '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "~!,;{}"])
def test_any_visible_ascii_is_a_valid_key(send: Send, key: str) -> None:
    assert send(COURSE, key).status_code == 201
    assert is_replayed(send(COURSE, key))


def test_scope_and_json_are_checked_before_the_key(reader: RestEntryPoint, owner: RestEntryPoint) -> None:
    wrong = {"Idempotency_Key": ""}
    assert error_of(COURSE.send(**bearer(reader.secret), **wrong))["type"] == "insufficient_scope"
    error = error_of(COURSE.send_raw(b"{broken", **bearer(owner.secret), **wrong))
    assert "not valid JSON" in error["message"]


def test_a_lapsed_member_gets_no_stored_answer(owner_member: Member, send: Send) -> None:
    send(COURSE)
    Member.objects.filter(id=owner_member.id).update(membership_active=False)
    assert error_of(send(COURSE))["type"] == "membership_required"


@each("operation_id", OTHERS)
def test_other_methods_ignore_it(world: World, send: Send, operation_id: str) -> None:
    assert send(world.call(operation_id), "").status_code == routes()[operation_id].success
    assert not IdempotencyKey.objects.exists()


def test_tools_ignore_it(owner: RestEntryPoint) -> None:
    entry_point = McpEntryPoint(owner.secret)
    params = {"name": "create_course", "arguments": {"name": "Cell Biology"}}
    for key in ("first", "first", ""):
        assert not entry_point.rpc("tools/call", params, headers={"Idempotency-Key": key}).json()["result"]["isError"]
    assert Course.objects.count() == 3


def test_keys_are_per_credential(owner_member: Member, make_member: MakeMember, make_key: MakeKey, send: Send) -> None:
    made = [send(COURSE), *(send(COURSE, secret=make_key(member)[0]) for member in (owner_member, make_member()))]
    assert [is_replayed(response) for response in made] == [False] * 3
    assert len({response.json()["id"] for response in made}) == 3


def test_a_retry_after_a_token_refresh_creates_nothing(owner_member: Member, send: Send) -> None:
    """A key belongs to the connection, whose access tokens change."""
    app = App.registered()
    tokens = app.connect(owner_member)
    first = send(COURSE, secret=tokens["access_token"])
    fresh = app.refresh(tokens["refresh_token"]).json()
    again = send(COURSE, secret=fresh["access_token"])
    assert (again.content, is_replayed(again), Course.objects.count()) == (first.content, True, 1)
    assert not is_replayed(send(COURSE, secret=app.connect(owner_member)["access_token"]))


def test_it_is_stored_for_24_hours(send: Send, time_machine: Any) -> None:
    begin = timezone.now()
    time_machine.move_to(begin, tick=False)
    send(COURSE)
    time_machine.move_to(begin + timedelta(hours=23, minutes=59), tick=False)
    assert is_replayed(send(COURSE))
    time_machine.move_to(begin + timedelta(hours=24), tick=False)
    assert not is_replayed(send(COURSE))
    assert (Course.objects.count(), IdempotencyKey.objects.count()) == (2, 1)


@pytest.mark.database("both")
def test_expired_answers_are_purged(owner_member: Member) -> None:
    now = timezone.now()
    for hours in (1, 23, 25, 300):
        IdempotencyKeyFactory.create(member=owner_member, created_at=now - timedelta(hours=hours))
    call_command("purgeexpired")
    assert IdempotencyKey.objects.filter(created_at__gt=now - timedelta(hours=24)).count() == 2
    assert IdempotencyKey.objects.count() == 2


@pytest.mark.database("both")
def test_a_member_keeps_the_newest_thousand_keys(
    owner_member: Member, make_key: MakeKey, stranger: RestEntryPoint, send: Send
) -> None:
    send(COURSE, "theirs", stranger.secret)
    secret, key = make_key(owner_member)
    now = timezone.now()
    old = stored(IdempotencyKeyFactory, 1000, member=owner_member, holder=key.id)
    for number, row in enumerate(old):
        row.created_at = now - timedelta(hours=2, seconds=-number)
    IdempotencyKey.objects.bulk_update(old, ["created_at"])
    send(COURSE, "new", secret)
    mine = IdempotencyKey.objects.filter(member=owner_member)
    assert mine.count() == 1000
    assert {row.id for row in old} - set(mine.values_list("id", flat=True)) == {old[0].id}
    assert is_replayed(send(COURSE, "theirs", stranger.secret))


def long_deck(number: int = 0) -> Call:
    """A call with an answer of more than 100 kB."""
    cards = [{"term": f"Term {place}", "definition": "x" * 500} for place in range(200)]
    return Call("POST", "/v1/vocab-decks", {"name": f"Long {number}", "cards": cards})


@pytest.mark.database("both")
def test_a_long_answer_is_repeated_exactly(owner: RestEntryPoint, send: Send) -> None:
    call = long_deck()
    first = send(call)
    assert len(first.content) > 100_000
    deck = first.json()
    owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="good")
    again = send(call)
    assert (again.status_code, again.content, is_replayed(again)) == (201, first.content, True)
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    assert send(call).content == first.content


@pytest.mark.database("both")
def test_long_answers_are_stored_up_to_a_total_size_with_the_oldest_dropped(
    owner_member: Member, make_key: MakeKey, stranger: RestEntryPoint, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studyservice.changes.replaying.MAX_LONG_BYTES", 500_000)
    secret, _ = make_key(owner_member)
    send(long_deck(), "theirs", stranger.secret)
    send(COURSE, "short", secret)
    sizes = [len(send(long_deck(number), f"{number}", secret).content) for number in range(4)]
    assert sum(sizes[1:]) < 500_000 < sum(sizes)
    kept = IdempotencyKey.objects.filter(member=owner_member).values_list("key", flat=True)
    assert sorted(kept) == ["1", "2", "3", "short"]
    assert is_replayed(send(long_deck(), "theirs", stranger.secret))


def test_an_answer_not_stored_by_an_earlier_version_is_a_conflict(send: Send) -> None:
    """The call is not carried out again."""
    first = send(COURSE)
    IdempotencyKey.objects.update(answer=f'{{"id":"{first.json()["id"]}"}}', whole=False)
    assert error_of(send(COURSE))["type"] == "conflict"
    assert Course.objects.count() == 1


def test_a_repeated_answer_counts_toward_the_rate(send: Send) -> None:
    left = [int(send(COURSE).headers["RateLimit-Remaining"]) for _ in range(3)]
    assert left == [left[0], left[0] - 1, left[0] - 2]
    for _ in range(left[2]):
        send(COURSE)
    assert error_of(send(COURSE))["type"] == "rate_limited"


def test_a_key_costs_four_statements_and_a_repetition_two(owner: RestEntryPoint) -> None:
    owner.made("get_me")  # records the use of the credential
    numbers = []
    for headers in ({}, {"Idempotency_Key": "first"}, {"Idempotency_Key": "first"}):
        with CaptureQueriesContext(connection) as queries:
            assert COURSE.send(**bearer(owner.secret), **headers).status_code == 201
        numbers.append(len(queries))
    assert numbers == [numbers[0], numbers[0] + 4, 2]


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_call_by_24_threads_at_once_is_carried_out_once(send: Send, in_threads: Any) -> None:
    answers = in_threads(lambda _: send(COURSE), [*range(24)])
    assert {answer.status_code for answer in answers} == {201}
    assert sorted(map(is_replayed, answers)) == [False] + [True] * 23
    assert {UUID(answer.json()["id"]) for answer in answers} == set(Course.objects.values_list("id", flat=True))
    assert IdempotencyKey.objects.count() == 1


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_only_one_of_different_calls_under_one_key_is_carried_out(send: Send, in_threads: Any) -> None:
    answers = in_threads(lambda n: send(Call("POST", "/v1/courses", {"name": f"{n}"})), [*range(12)])
    made = [answer.json()["name"] for answer in answers if answer.status_code == 201]
    assert made == [Course.objects.get().name]
    refused = [fields_of(answer) for answer in answers if answer.status_code != 201]
    assert refused == [["Idempotency-Key"]] * 11
