"""Shared fixtures (owner, stranger, lapsed member) and the database of each worker."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.support import databases, forked_readings, run

if TYPE_CHECKING:
    from django.test import Client

    from accounts.models import ApiKey, Member
    from tests.support.entry_points import RestEntryPoint
    from tests.support.identity_server import IdentityServer
    from tests.support.internet import Internet
    from tests.support.model_server import ModelServer
    from tests.support.server import Server

pytest_plugins = ["tests.support.session", "tests.support.selection"]


@pytest.fixture(scope="session")
def django_db_setup(request: pytest.FixtureRequest) -> Iterator[None]:
    """A separate database for each worker. On SQLite it is a file, so that threads can share it."""
    from django.db import connections

    worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
    with databases.copied(worker, Path(os.environ[run.DIRECTORY])) as url:
        path = urlsplit(url).path
        connections["default"].settings_dict["NAME"] = path if url.startswith("sqlite") else path.removeprefix("/")
        yield
        connections.close_all()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Server]":
    """A running server with one member, Ada (`tests.support.server`)."""
    from tests.support.server import ADA, PASSWORD, running

    with running(tmp_path_factory.mktemp("server")) as started:
        started.command("createmember", ADA, "--password", PASSWORD)
        yield started


@pytest.fixture
def files(settings: Any, tmp_path: Path) -> Path:
    """The directory of stored files, of this test only: others may leave some."""
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def model(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[ModelServer]":
    """The operator's language model (`tests.support.model_server`), asked again without a pause."""
    from courses.model_reading import asking
    from tests.support.model_server import model_server

    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(asking, "PAUSE", 0)
    with model_server() as server:
        settings.SYLLABUS_MODEL = server.model
        yield server


@pytest.fixture
def provider(settings: Any) -> "Iterator[IdentityServer]":
    """The operator's identity provider (`tests.support.identity_server`)."""
    from accounts.signing_in.provider.metadata import kept
    from tests.support.identity_server import identity_server

    kept.clear()
    with identity_server() as server:
        settings.IDENTITY_PROVIDER = server.setting()
        yield server


@pytest.fixture(autouse=True, scope="session")
def database_clock() -> "Iterator[Callable[[], Any]]":
    """Let stamps follow the clock of Python, which tests move. Returns the function that is replaced."""
    from django.db.models import DateTimeField

    from studyservice.changes import writing
    from studyservice.database.statements import Param

    replaced = writing.clock
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "clock", lambda: Param("now", DateTimeField()))
        yield replaced


@pytest.fixture(autouse=True)
def _isolated() -> Iterator[None]:
    """Clear rate limits and unsent e-mails of earlier tests."""
    from accounts import mail
    from studyservice.rates import limiter as rates

    rates.clear()
    yield
    mail.drain()


MakeMember = Callable[..., "Member"]
MakeKey = Callable[..., "tuple[str, ApiKey]"]


@pytest.fixture
def make_member(db: None) -> MakeMember:
    """Creates members from fields of `Member`."""
    from tests.support.factories import MemberFactory

    def make(email: str = "", **fields: Any) -> "Member":
        return MemberFactory.create(**({"email": email} if email else {}) | fields)

    return make


@pytest.fixture
def make_key() -> MakeKey:
    """Creates API keys as `(plaintext, row)`, from fields of `ApiKey` or the days until a key expires."""
    from django.utils import timezone

    from studyservice.secrets.generated import hint_of, new_secret, sha256
    from tests.support.factories import ApiKeyFactory

    def make(
        member: "Member", name: str = "test", *, expires_days: int | None = None, **fields: Any
    ) -> "tuple[str, ApiKey]":
        secret, now = new_secret("sk"), timezone.now()
        ends = {"expires_at": now + timedelta(days=expires_days)} if expires_days else {}
        stored = {"secret_hash": sha256(secret), "hint": hint_of(secret), "created_at": now}
        return secret, ApiKeyFactory.create(member=member, name=name, **stored | ends | fields)

    return make


OpenEntryPoint = Callable[..., "RestEntryPoint"]


@pytest.fixture
def entry_point_kind() -> str:
    """`rest` or `mcp`, as chosen by `pytest_generate_tests`."""
    return "rest"


@pytest.fixture
def entry_point(make_key: MakeKey, entry_point_kind: str) -> OpenEntryPoint:
    """Opens the API for a member: `entry_point(member, may_write=False)`."""
    from tests.support.entry_points import McpEntryPoint, RestEntryPoint

    kinds = {"rest": RestEntryPoint, "mcp": McpEntryPoint}

    def open_entry_point(member: "Member", **options: Any) -> RestEntryPoint:
        return kinds[entry_point_kind](make_key(member, **options)[0])

    return open_entry_point


@pytest.fixture
def owner_member(make_member: MakeMember) -> "Member":
    return make_member("owner@example.org", name="Owner", time_zone="Europe/Paris")


@pytest.fixture
def owner(owner_member: "Member", entry_point: OpenEntryPoint) -> "RestEntryPoint":
    """The member under test."""
    return entry_point(owner_member)


@pytest.fixture
def stranger(make_member: MakeMember, entry_point: OpenEntryPoint) -> "RestEntryPoint":
    """Another active member, who shares nothing with the owner."""
    return entry_point(make_member("stranger@example.org"))


@pytest.fixture
def lapsed(make_member: MakeMember, entry_point: OpenEntryPoint) -> "RestEntryPoint":
    """A member whose subscription has ended."""
    return entry_point(make_member("lapsed@example.org", membership_active=False))


@pytest.fixture
def reader(owner_member: "Member", entry_point: OpenEntryPoint) -> "RestEntryPoint":
    """The owner with a read-only key."""
    return entry_point(owner_member, may_write=False)


@pytest.fixture
def course(owner: "RestEntryPoint") -> Any:
    """A course of the owner."""
    return owner.made("create_course", name="Cell Biology")


@pytest.fixture
def item(owner: "RestEntryPoint", course: Any) -> Any:
    """An undated item of the owner."""
    return owner.made("create_item", course_id=course["id"], title="Midterm")


@pytest.fixture
def milestone(owner: "RestEntryPoint", item: Any) -> Any:
    """A milestone of the owner."""
    return owner.made("create_milestone", item_id=item["id"], title="Outline")


@pytest.fixture
def operator(make_member: MakeMember) -> "Member":
    return make_member("operator@example.com", is_staff=True, is_superuser=True)


@pytest.fixture
def admin(operator: "Member") -> "Client":
    """A signed-in operator's browser."""
    from django.test import Client

    client = Client()
    client.force_login(operator)
    return client


@pytest.fixture
def internet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[Internet]":
    """Replaces the network: tests add the names and servers that this process can reach."""
    from tests.support.internet import Internet

    with ExitStack() as stack:
        yield Internet(tmp_path, stack, monkeypatch)


@pytest.fixture
def started_readings() -> Iterator[None]:
    """Start a process for each file that is read, as in production. Other tests fork it."""
    forked_readings.put_back()
    yield
    forked_readings.put_in_place()


@pytest.fixture
def in_threads() -> Callable[..., list[Any]]:
    """Runs a function for each input in its own thread, all starting at once. Returns the results in order.

    For tests with `django_db(transaction=True)`, whose rows are visible to other connections.
    """
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    from django.db import connections

    def run(function: Callable[[Any], Any], inputs: list[Any]) -> list[Any]:
        barrier = Barrier(len(inputs))

        def one(value: Any) -> Any:
            barrier.wait(timeout=30)
            try:
                return function(value)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(inputs)) as pool:
            return list(pool.map(one, inputs))

    return run
