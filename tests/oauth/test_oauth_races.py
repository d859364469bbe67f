"""Forced races (decisions 10): every contender has arrived before the first may continue."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Semaphore
from typing import Any

import pytest
import time_machine
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from tests.support.oauth import App, Browser, answer_in, status_of

pytestmark = pytest.mark.django_db(transaction=True)

CONTENDERS = 6
WATCHDOG_SECONDS = 60

TIMES = [*range(3), *(pytest.param(time, marks=pytest.mark.thorough("repeats the same race")) for time in range(3, 10))]
"""Repetitions of an unforced race."""


def race(member: Any, *contenders: Callable[[], Any], ahead: timedelta = timedelta()) -> list[Any]:
    """Start each contender in its own thread while the member's lock is held, then release it. Return the results.

    On arrival, their clock is `ahead` of the one used afterwards.
    """
    from studyservice.changes.writing import writing

    begun = Semaphore(0)

    def run(contender: Callable[[], Any]) -> Any:
        try:
            with connection.execute_wrapper(_Beginning(begun)):
                return contender()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(contenders)) as pool:
        with writing(member.id) as write, time_machine.travel(timezone.now() + ahead, tick=True):
            assert write.now <= timezone.now()  # so the lock is held
            running = [pool.submit(run, contender) for contender in contenders]
            if connection.vendor == "sqlite":
                assert all(begun.acquire(timeout=WATCHDOG_SECONDS) for _ in contenders)
            else:
                _until_all_wait(len(contenders))
            assert not any(future.done() for future in running)
        return [future.result(timeout=WATCHDOG_SECONDS) for future in running]


class _Beginning:
    """Signals when a thread begins its first transaction. On SQLite it waits there for the only lock."""

    def __init__(self, begun: Semaphore) -> None:
        self._begun = begun
        self._told = False

    def __call__(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith("BEGIN") and not self._told:
            self._told = True
            self._begun.release()
        return execute(sql, *rest)


def _until_all_wait(number: int) -> None:
    """Wait until this many connections wait for a lock, according to PostgreSQL."""
    waiting = "SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)"
    waiting += " WHERE NOT granted AND datname = current_database()"
    deadline = time.monotonic() + WATCHDOG_SECONDS
    with connection.cursor() as cursor:
        while cursor.execute(waiting).fetchone() != (number,):
            assert time.monotonic() < deadline, "A contender did not wait."
            time.sleep(0.01)
            cursor.execute(
                "SELECT pg_stat_clear_snapshot()"
            )  # includes connections opened after this transaction began


def live() -> tuple[int, int]:
    """Valid access and refresh tokens."""
    from oauthserver.models import AccessToken, live_refresh_tokens

    return AccessToken.objects.count(), live_refresh_tokens().count()


def test_one_of_many_exchanges_of_a_code_succeeds(owner_member: Any) -> None:
    app = App.registered()
    code = app.code(owner_member)
    responses = race(owner_member, *[lambda: app.exchange(code)] * CONTENDERS)
    assert sorted(response.status_code for response in responses) == [200] + [400] * (CONTENDERS - 1)
    [winner] = [response for response in responses if response.status_code == 200]
    assert live() == (1, 1)
    assert status_of(winner.json()["access_token"]) == 200
    assert app.refresh(winner.json()["refresh_token"]).status_code == 200


def test_one_of_many_refreshes_of_a_token_succeeds(owner_member: Any) -> None:
    app = App.registered()
    tokens = app.connect(owner_member)
    app.revoke(tokens["access_token"])
    responses = race(owner_member, *[lambda: app.refresh(tokens["refresh_token"])] * CONTENDERS)
    assert sorted(response.status_code for response in responses) == [200] + [400] * (CONTENDERS - 1)
    [winner] = [response for response in responses if response.status_code == 200]
    assert live() == (1, 1)
    assert status_of(winner.json()["access_token"]) == 200


def test_a_refresh_that_lost_the_race_is_a_second_use(owner_member: Any) -> None:
    """It saw a valid token, and is rejected by the statement that spends it."""
    app = App.registered()
    tokens = app.connect(owner_member)
    race(owner_member, *[lambda: app.refresh(tokens["refresh_token"])] * 2)
    assert "this app used an old token again" in Browser(owner_member).client.get("/keys").content.decode()


def test_a_fast_clock_does_not_turn_a_lost_race_into_a_replay(owner_member: Any) -> None:
    """The state before the wait decides, not a comparison of timestamps from different servers."""
    app = App.registered()
    code = app.code(owner_member)
    responses = race(owner_member, *[lambda: app.exchange(code)] * 2, ahead=timedelta(minutes=2))
    [winner] = [response for response in responses if response.status_code == 200]
    assert live() == (1, 1)
    assert status_of(winner.json()["access_token"]) == 200


def test_a_fast_clock_does_not_turn_a_lost_refresh_into_a_late_reuse(
    owner_member: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a server whose clock is two minutes ahead, the tolerance seems to be over when the winner commits."""
    from oauthserver import token_validator

    app = App.registered()
    tokens = app.connect(owner_member)
    monkeypatch.setattr(token_validator, "REUSE_TOLERANCE", timedelta(minutes=-1))
    responses = race(owner_member, *[lambda: app.refresh(tokens["refresh_token"])] * 2)
    [winner] = [response for response in responses if response.status_code == 200]
    assert status_of(winner.json()["access_token"]) == 200


@pytest.mark.parametrize("disconnects_first", [True, False])
def test_a_disconnection_during_refreshes_leaves_no_valid_token(owner_member: Any, disconnects_first: bool) -> None:
    from oauthserver.connections import connected_apps, disconnect
    from oauthserver.models import Grant

    app = App.registered()
    tokens = app.connect(owner_member)
    code = app.code(owner_member)
    [connected] = connected_apps(owner_member)
    contenders: list[Callable[[], Any]] = [
        lambda: disconnect(owner_member, connected.id),
        lambda: app.refresh(tokens["refresh_token"]),
        lambda: app.exchange(code),
    ]
    race(owner_member, *(contenders if disconnects_first else reversed(contenders)))
    assert live() == (0, 0)
    assert Grant.objects.count() == 0
    assert connected_apps(owner_member) == []


def test_a_revocation_during_refreshes_leaves_no_valid_token(owner_member: Any) -> None:
    app = App.registered()
    tokens = app.connect(owner_member)
    refresh = lambda: app.refresh(tokens["refresh_token"])  # noqa: E731  # a contender like the others
    race(owner_member, refresh, lambda: app.revoke(tokens["refresh_token"]), refresh)
    assert live() == (0, 0)


def test_concurrent_consents_are_all_granted(owner_member: Any) -> None:
    app = App.registered()
    browsers = [Browser(owner_member) for _ in range(3)]
    responses = race(owner_member, *[lambda browser=browser: browser.decide(app.query()) for browser in browsers])
    assert len({answer_in(response)["code"] for response in responses}) == 3


@pytest.mark.parametrize("_", range(3))
def test_unforced_exchanges_create_no_second_pair(owner_member: Any, in_threads: Any, _: int) -> None:
    app = App.registered()
    code = app.code(owner_member)
    responses = in_threads(lambda _: app.exchange(code), list(range(CONTENDERS)))
    assert sorted(response.status_code for response in responses) == [200] + [400] * (CONTENDERS - 1)
    assert live() in {(1, 1), (0, 0)}


@pytest.mark.parametrize("_", TIMES)
def test_an_unforced_disconnection_leaves_no_valid_token(owner_member: Any, in_threads: Any, _: int) -> None:
    """Of a code and a refresh token that several threads present at that moment."""
    from oauthserver.connections import connected_apps, disconnect

    app = App.registered()
    refresh_token, code = app.connect(owner_member)["refresh_token"], app.code(owner_member)
    [connected] = connected_apps(owner_member)
    tries: list[Callable[[], Any]] = [lambda: app.refresh(refresh_token), lambda: app.exchange(code)]
    contenders = [*tries, *tries, lambda: disconnect(owner_member, connected.id), *tries]
    responses = [response for response in in_threads(lambda contender: contender(), contenders) if response is not None]
    assert {response.status_code for response in responses} <= {200, 400}
    assert live() == (0, 0)
    issued = [response.json()["access_token"] for response in responses if response.status_code == 200]
    assert {status_of(token) for token in issued} <= {401}


def _allow_less(app: App, member: Any, tokens: dict[str, Any]) -> Any:
    """A consent that ends the tokens of the app that may write."""
    return Browser(member).decide(app.query(), write=False)


def _disconnect(app: App, member: Any, tokens: dict[str, Any]) -> Any:
    from oauthserver.models import Application

    return Browser(member).client.post(f"/keys/apps/{Application.objects.get(client_id=app.id).pk}/disconnect")


@pytest.mark.database("postgresql", "SQLite has one writer at a time")
@pytest.mark.parametrize(
    ("contend", "status"),
    [
        (_allow_less, 400),
        (_disconnect, 302),
        (lambda app, _, tokens: app.refresh(tokens["refresh_token"]), 401),
        (lambda app, _, tokens: app.exchange(tokens["code"]), 401),
    ],
)
def test_what_waits_for_the_deletion_of_an_app_does_not_block_it(
    owner_member: Any, contend: Callable[..., Any], status: int
) -> None:
    """Both end or replace tokens of the app. Each locks the app before them, so none waits in a circle."""
    from oauthserver.connections import delete_app
    from oauthserver.models import Application

    app = App.registered()
    tokens = app.connect(owner_member) | {"code": app.code(owner_member)}
    waiting: list[Any] = []

    def contender() -> Any:
        try:
            return contend(app, owner_member, tokens)
        finally:
            connections.close_all()

    def after_its_lock(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if "FOR UPDATE" in sql and not waiting:
            waiting.append(pool.submit(contender))
            _until_all_wait(1)
        return result

    with ThreadPoolExecutor(1) as pool, connection.execute_wrapper(after_its_lock):
        delete_app(Application.objects.get(client_id=app.id))
        assert waiting[0].result(timeout=WATCHDOG_SECONDS).status_code == status
    assert live() == (0, 0)


@pytest.mark.parametrize("_", TIMES)
def test_an_app_in_use_can_be_deleted(owner_member: Any, make_member: Any, in_threads: Any, _: int) -> None:
    """Its deletion neither fails nor makes other requests fail, and leaves nothing behind."""
    from oauthserver.connections import disconnect
    from oauthserver.models import AccessToken, Application, Grant, RefreshToken

    app = App.registered()
    members = [owner_member, make_member(), make_member()]
    tokens = [app.connect(member) for member in members]
    codes = [app.code(member) for member in members]
    browser = Browser(owner_member)
    client = Application.objects.get(client_id=app.id)

    operator = Client(raise_request_exception=False)
    operator.force_login(make_member(is_staff=True, is_superuser=True))
    contenders: list[Callable[[], Any]] = [
        lambda: operator.post(f"/admin/oauthserver/application/{client.pk}/delete/", {"post": "yes"}),
        lambda: browser.decide(app.query()),
        lambda: disconnect(owner_member, client.pk),
        *[lambda pair=pair: app.refresh(pair["refresh_token"]) for pair in tokens],
        *[lambda code=code: app.exchange(code) for code in codes],
    ]
    responses = in_threads(lambda contender: contender(), contenders)
    deleted, consent, _disconnected, *machines = responses
    assert (deleted.status_code, deleted.headers.get("Location")) == (302, "/admin/oauthserver/application/")
    assert consent.status_code in {302, 400}
    assert {response.status_code for response in machines} <= {200, 400, 401}
    assert not Application.objects.filter(pk=client.pk).exists()
    assert [model.objects.count() for model in (Grant, AccessToken, RefreshToken)] == [0, 0, 0]


@pytest.mark.parametrize("_", TIMES)
def test_an_app_can_be_deleted_while_members_connect_it(make_member: Any, in_threads: Any, _: int) -> None:
    """For members who connect it for the first time. Late requests learn that the app is unknown."""
    from oauthserver.models import Application, Grant

    app = App.registered()
    client = Application.objects.get(client_id=app.id)
    operator = Client(raise_request_exception=False)
    operator.force_login(make_member(is_staff=True, is_superuser=True))
    browsers = [Browser(make_member()) for _ in range(CONTENDERS)]
    consents = [lambda browser=browser: browser.decide(app.query()) for browser in browsers]
    delete = lambda: operator.post(f"/admin/oauthserver/application/{client.pk}/delete/", {"post": "yes"})  # noqa: E731
    *consented, deleted = in_threads(lambda contender: contender(), [*consents, delete])
    assert (deleted.status_code, deleted.headers.get("Location")) == (302, "/admin/oauthserver/application/")
    assert {response.status_code for response in consented} <= {302, 400}
    assert (Application.objects.count(), Grant.objects.count()) == (0, 0)
