"""A temporary directory with a PostgreSQL, prepared databases, and servers of the service."""

import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.support.redis_server import Redis
from tools.bench import postgres
from tools.bench.cast import Cast, load
from tools.bench.postgres import Postgres
from tools.bench.servers import ROOT, Server, environment, free_port

MEMBERS = 300
"""Members of a prepared database."""

_SHIFTED_CLOCK = Path(__file__).parent / "drills" / "shifted_clock"


class Place(NamedTuple):
    """A database, a DATA_DIR, and the members in them."""

    url: str
    data: Path
    cast: Cast


class Site:
    """A test site. Everything that it starts ends with `stack`."""

    def __init__(self, stack: ExitStack, directory: Path, *, durable: bool = True) -> None:
        self.stack = self._whole = stack
        self.directory = directory
        self._durable = durable
        self._secret_key = secrets.token_urlsafe(64)
        self._origin = f"http://127.0.0.1:{free_port()}"
        self._numbers = iter(range(1, 1000))
        self._postgres: Postgres | None = None
        self._prepared: dict[str, Place] = {}

    @property
    def postgres(self) -> Postgres:
        """Return the PostgreSQL, started at its first use."""
        if self._postgres is None:
            self._postgres = postgres.started(self.directory / "postgresql", durable=self._durable)
            self._whole.callback(self._postgres.stop)
        return self._postgres

    def apart(self, name: str) -> "Site":
        """Return a site with a separate PostgreSQL, which ends with the drill."""
        directory = self.directory / name
        directory.mkdir()
        return Site(self.stack, directory)

    @contextmanager
    def part(self) -> Iterator[None]:
        """End everything started in the block, except PostgreSQL, before the rest."""
        outer = self.stack
        with ExitStack() as inner:
            self.stack = inner
            try:
                yield
            finally:
                self.stack = outer

    def redis(self) -> Redis:
        """Start a Redis."""
        redis = Redis(self.directory)
        redis.start()
        self.stack.callback(redis.kill)
        return redis

    def environment(self, url: str, data: Path, **variables: str) -> dict[str, str]:
        """Return the environment of a server or a command. All share one origin and one secret, as behind one proxy."""
        return environment(url, data, **{"SECRET_KEY": self._secret_key, "BASE_URL": self._origin, **variables})

    def fill(
        self, url: str, data: Path, members: int, *fills: str, root: Path = ROOT, package: str = "tools.bench"
    ) -> Cast:
        """Migrate a database and fill it in another process.

        Args:
            fills: dotted names of functions; the first returns the cast.
            root: directory of the code to run.
            package: name of this package there.
        """
        data.mkdir(exist_ok=True)
        env, casts = self.environment(url, data), [data.with_name(f"{data.name}-{fill}.json") for fill in fills]
        for fill, cast in zip(fills, casts, strict=True):
            command = [sys.executable, "-m", f"{package}.prepare", f"{package}.{fill}", str(members), str(cast)]
            subprocess.run(command, cwd=root, env=env, check=True)
        return load(casts[0])

    def fresh(self, kind: str, data: Path | None = None) -> Place:
        """Copy the prepared database.

        Args:
            kind: `postgresql` or `sqlite`.
            data: the directory for it; by default a new one.
        """
        if kind not in self._prepared:
            prepared = self.directory / f"prepared-{kind}"
            url = self.postgres.create("prepared") if kind == "postgresql" else _sqlite(prepared)
            cast = self.fill(url, prepared, MEMBERS, "drills.seed.fill")
            self._prepared[kind] = Place(url, prepared, cast)
        name = f"drill_{next(self._numbers)}"
        data = data or self.directory / name
        shutil.copytree(self._prepared[kind].data, data, dirs_exist_ok=True)
        url = self.postgres.create(name, "prepared") if kind == "postgresql" else _sqlite(data)
        return Place(url, data, self._prepared[kind].cast)

    def serve(
        self, url: str, data: Path, *, processes: int = 1, redis: Redis | None = None, ahead: float = 0, **extra: str
    ) -> Server:
        """Start the service.

        Args:
            processes: more than one needs `redis`.
            ahead: seconds by which its clock is ahead.
            extra: further environment variables.
        """
        variables = {"WEB_CONCURRENCY": str(processes)} | extra
        if redis:
            variables["REDIS_URL"] = redis.url
        if ahead:
            variables |= {"PYTHONPATH": str(_SHIFTED_CLOCK), "DRILL_CLOCK_SHIFT": str(ahead)}
        return self.start(url, data, variables)

    def start(
        self,
        url: str,
        data: Path,
        variables: Mapping[str, str],
        *,
        command: tuple[str, ...] | None = None,
        root: Path = ROOT,
    ) -> Server:
        """Start a server, by default the service. `{port}` in its command is its port."""
        port = free_port()
        server = Server(
            port, self.environment(url, data, PORT=str(port), **variables), self.directory / f"{port}.log", root=root
        )
        if command:
            server.command = tuple(part.format(port=port) for part in command)
        self.stack.callback(server.stop)
        server.start()
        return server


def _sqlite(data: Path) -> str:
    return f"sqlite:///{data / 'studyservice.sqlite3'}"


@contextmanager
def temporary_site(*, durable: bool = True) -> Iterator[Site]:
    """Yield a site that is removed completely afterwards."""
    with TemporaryDirectory(prefix="studyservice-bench-", ignore_cleanup_errors=True) as path, ExitStack() as stack:
        directory = Path(path)
        directory.chmod(0o755)  # PostgreSQL may run as another user
        yield Site(stack, directory, durable=durable)
