"""Password hashes: OWASP's parameters, upgrades of older hashes, one at a time with a short queue."""

import runpy
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher, make_password
from django.db import connection, connections
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Member
from studyservice.secrets import hashing

pytestmark = pytest.mark.same_statements

EMAIL = "ada@example.org"
PASSWORD = "correct horse battery"
WATCHDOG_SECONDS = 60


def sign_in(password: str = PASSWORD, email: str = EMAIL) -> Any:
    return Client().post("/sign-in", {"email": email, "password": password})


def sign_in_there(email: str) -> Any:
    """Run in a thread with its own database connection."""
    try:
        return sign_in(email=email)
    finally:
        connections.close_all()


@contextmanager
def hashing_goes_on() -> Iterator[None]:
    """Compute a hash until the end of the block."""
    began, over = Event(), Event()

    def work() -> None:
        began.set()
        over.wait(WATCHDOG_SECONDS)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hashing.turns.run, work)
        assert began.wait(WATCHDOG_SECONDS)
        try:
            yield
        finally:
            over.set()


@pytest.mark.database("sqlite", "hashing")
def test_a_hash_has_the_parameters_of_owasp() -> None:
    """Tests make cheaper hashes in this process, so this runs in another one."""
    [name] = settings.PASSWORD_HASHERS
    module, _, hasher = name.rpartition(".")
    made = runpy.run_path(str(import_module(module).__file__))[hasher]().encode("a password", "salt" * 6)
    assert made.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")


class Earlier(Argon2PasswordHasher):
    """The parameters of another year."""

    memory_cost, time_cost, parallelism = 16, 3, 2


@pytest.fixture
def old(make_member: Any, db: None) -> Member:
    """A member whose password was hashed with them."""
    member: Member = make_member(EMAIL)
    Member.objects.filter(id=member.id).update(password=Earlier().encode(PASSWORD, "salt" * 6))
    return member


@pytest.mark.database("both")
def test_a_hash_with_other_parameters_is_replaced_at_sign_in(old: Member) -> None:
    assert sign_in("wrong").status_code == 200
    old.refresh_from_db()
    assert "$m=16,t=3,p=2$" in old.password
    assert sign_in().status_code == 302
    old.refresh_from_db()
    assert "$m=8,t=1,p=1$" in old.password
    assert sign_in().status_code == 302


def test_a_member_deleted_before_the_rehash_is_not_signed_in(old: Member) -> None:
    with before_the_hash_is_stored(lambda: QuerySet(Member).filter(id=old.id).delete()):
        answer = sign_in()
    assert not Member.objects.exists()
    assert (answer.status_code, "Wrong address or password" in answer.content.decode()) == (200, True)


def test_a_password_changed_meanwhile_is_kept(old: Member) -> None:
    another = make_password("another horse battery")
    with before_the_hash_is_stored(lambda: Member.objects.filter(id=old.id).update(password=another)):
        sign_in()
    old.refresh_from_db()
    assert old.password == another


@contextmanager
def before_the_hash_is_stored(happens: Callable[[], object]) -> Iterator[None]:
    """Another statement writes first."""
    waiting = [happens]

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith('UPDATE "accounts_member" SET "password"') and waiting:
            waiting.pop()()
        return execute(sql, *rest)

    with connection.execute_wrapper(watch):
        yield
    assert not waiting


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("email", [EMAIL, "unknown@example.org"])
def test_only_a_few_of_many_concurrent_sign_ins_wait(
    make_member: Any, monkeypatch: pytest.MonkeyPatch, email: str
) -> None:
    """Others get a 503 at once. Queued ones are served."""
    make_member(EMAIL, password=PASSWORD)
    monkeypatch.setattr(hashing, "turns", hashing.Turns(3))
    waiting, refused = 2, 4
    with ThreadPoolExecutor(waiting + refused) as pool:
        with hashing_goes_on():
            answers = [pool.submit(sign_in_there, email) for _ in range(waiting + refused)]
            deadline = time.monotonic() + WATCHDOG_SECONDS
            while sum(answer.done() for answer in answers) < refused:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            sent_away = [answer.result() for answer in answers if answer.done()]
        served = [answer.result() for answer in answers if answer.result() not in sent_away]
    assert [(answer.status_code, answer.headers["Retry-After"]) for answer in sent_away] == [(503, "1")] * refused
    assert "Your password was not checked yet" in sent_away[0].content.decode()
    assert {answer.status_code for answer in served} == {302 if email == EMAIL else 200}
    assert len(served) == waiting


@pytest.mark.database("both")
def test_hashes_are_computed_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured inside: during one computation, there is no other."""
    monkeypatch.setattr(hashing, "turns", hashing.Turns(8))
    open_now: list[int] = []
    most: list[int] = []
    made = Argon2PasswordHasher.encode

    def noted(*args: Any) -> str:
        open_now.append(1)
        most.append(len(open_now))
        time.sleep(0.01)
        try:
            return str(made(*args))
        finally:
            open_now.pop()

    monkeypatch.setattr(Argon2PasswordHasher, "encode", noted)
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(make_password, [PASSWORD] * 8))) == 8
    assert most == [1] * 8


@pytest.mark.django_db
def test_an_operator_gets_a_503_too(admin: Client, operator: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    before = operator.password
    path = f"/admin/accounts/member/{operator.pk}/password/"
    form = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    monkeypatch.setattr(hashing, "turns", hashing.Turns(1))
    with hashing_goes_on():
        assert admin.post(path, form).status_code == 503
    operator.refresh_from_db()
    assert operator.password == before
    assert admin.post(path, form).status_code == 302
