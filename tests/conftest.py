"""Shared fixtures (owner, stranger, lapsed member) and the setup of the run's database."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zlib import crc32

import pytest

from tests.support import databases, forked_readings, run

if TYPE_CHECKING:
    from django.test import Client

    from accounts.models import ApiKey, Member
    from tests.support.entry_points import RestEntryPoint
    from tests.support.internet import Internet
    from tests.support.server import Server


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--database", choices=["sqlite", "postgresql", "citus"], default="sqlite")
    parser.addoption(
        "--entry-points", choices=["rest", "mcp", "both"], help="to the operations; REST alone on PostgreSQL"
    )
    parser.addoption("--thorough", action="store_true", help="every test on the database of the run, with all examples")
    parser.addoption("--refresh-baselines", action="store_true", help="rewrite the committed baselines")
    parser.addoption("--case", help="run only the cases of `each` whose values contain this text")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prepare the environment, then Django; xdist workers inherit the environment of the first process."""
    run.collect_no_garbage()
    first = run.DIRECTORY not in os.environ
    if first:
        config.stash[_started] = run.prepare(config.getoption("--database"), thorough=config.getoption("--thorough"))
    import django

    django.setup()
    from django.conf import settings

    # Otherwise each test client reads every static file when it loads the middleware: 60 ms of CPU.
    settings.WHITENOISE_AUTOREFRESH = True
    # Databases are separate, so files must be too: tests set in the future delete old files without rows.
    settings.MEDIA_ROOT = settings.DATA_DIR / os.environ.get("PYTEST_XDIST_WORKER", "files")
    run.hash_passwords_cheaply()
    run.look_up_no_names()
    run.load_middleware_once()
    forked_readings.put_in_place()
    if text := config.getoption("--case"):
        from tests.support import cases

        cases.run_only(text)
    if first:
        config.stash[_started].migrate()
        run.build()
    if config.getoption("--database") != "citus":
        run.flush_filled_tables()


_started = pytest.StashKey[run.Prepared]()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """The number of workers for `-n auto`."""
    return run.workers()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests of the other database and, in a quick run, thorough tests."""
    left_out = {item for item in items if _left_out(item)}
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Do not collect files that are left out, except tests with their own mark: some come from long tables."""
    if isinstance(obj, type) or any(mark.name == "database" for mark in getattr(obj, "pytestmark", [])):
        return None
    return [] if _left_out(collector) else None


def _left_out(node: pytest.Item | pytest.Collector) -> bool:
    """Return whether the run leaves `node` out. The test's own `database` mark overrides its file's."""
    here = "sqlite" if node.config.getoption("--database") == "sqlite" else "postgresql"
    database, thorough = _mark(node, "database"), _mark(node, "thorough")
    if node.config.getoption("--thorough"):
        return database is not None and database.args[0] not in (here, "both") and not _is_enough_on_one(database)
    return thorough is not None or (database is not None and database.args[0] not in (here, "both"))


def _mark(node: pytest.Item | pytest.Collector, name: str) -> pytest.Mark | None:
    """Return the closest mark with this name.

    Raises:
        UsageError: the mark is not written as `pyproject.toml` says.
    """
    mark = node.get_closest_marker(name)
    match (name, *mark.args) if mark else ():
        case () | ("database", "sqlite" | "postgresql" | "both") | ("thorough", str()):
            return mark
        case ("database", "sqlite" | "postgresql", str()):
            return mark
    raise pytest.UsageError(f"{node.nodeid}: write database('sqlite', 'a reason') or thorough('a reason'), not {mark}")


def _is_enough_on_one(database: pytest.Mark) -> bool:
    """Return whether the test runs on both databases but needs only one. Such a mark states a reason."""
    return len(database.args) > 1


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Runs once all tests are known, in the first process and in each worker."""
    run.collect_new_garbage()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Check the statements of requests on Citus from here on: tests being collected have no database."""
    if session.config.getoption("--database") == "citus":
        from tests.support import citus

        citus.route_every_statement()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With NO_SKIPS, as in CI, fail a run that skipped a test."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the processes that this one started."""
    forked_readings.end()
    started = config.stash.get(_started, None)
    if started is not None:
        started.end()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the entry points of each operation test: REST, the tools, or both.

    `--entry-points` sets them for the run. By default, SQLite uses both and PostgreSQL only REST: both call the same
    action, so the tools show nothing more about the database. Tests marked `rest` always use REST. Of the tests that
    need only one database, half use REST and half the tools.
    """
    if "entry_point_kind" in metafunc.fixturenames:
        option, definition = metafunc.config.getoption, metafunc.definition
        entry_points = option("--entry-points") or ("both" if option("--database") == "sqlite" else "rest")
        database = _mark(definition, "database")
        if definition.get_closest_marker("rest"):
            entry_points = "rest"
        elif entry_points != "both" and database and _is_enough_on_one(database):
            entry_points = ("rest", "mcp")[crc32(definition.nodeid.encode()) % 2]
        metafunc.parametrize("entry_point_kind", ["rest", "mcp"] if entry_points == "both" else [entry_points])


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


@pytest.fixture(autouse=True)
def _isolated() -> Iterator[None]:
    """Clear rate limits and unsent e-mails of earlier tests."""
    from accounts.text import mail
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
