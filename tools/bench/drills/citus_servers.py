"""PostgreSQL servers with Citus on loopback: a coordinator, and the members' servers."""

import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.bench.postgres import Postgres
from tools.bench.servers import free_port

_CONFIGURATION = """
shared_preload_libraries = 'citus'
port = {port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '{directory}'
max_connections = 300
max_prepared_transactions = 300
wal_level = logical
shared_buffers = 128MB
fsync = off  # nothing here outlives the machine
citus.enable_statistics_collection = off
"""


@dataclass(slots=True)
class Servers:
    """A coordinator and the servers of members."""

    coordinator: Postgres
    others: Sequence[Postgres]

    def create(self, database: str) -> str:
        """Create a database with Citus on all of them. Return its URL at the coordinator."""
        for server in (self.coordinator, *self.others):
            server.create(database)
            server.execute(database, "CREATE EXTENSION citus")
        self.coordinator.execute(
            database,
            f"SELECT citus_set_coordinator_host('127.0.0.1', {self.coordinator.port})",
            *(f"SELECT citus_add_node('127.0.0.1', {server.port})" for server in self.others),
        )
        return self.coordinator.url(database)


def started(stack: ExitStack, directory: Path, programs: Path) -> Servers:
    """Start three servers, the first as coordinator. They end with `stack`."""
    servers = [_start(stack, directory, programs) for _ in range(3)]
    return Servers(servers[0], servers[1:])


def _start(stack: ExitStack, directory: Path, programs: Path) -> Postgres:
    # PostgreSQL refuses to run as root; Debian's package creates this user
    user = "postgres" if os.geteuid() == 0 else None
    port = free_port()
    home = directory / f"citus-{port}"
    home.mkdir()
    if user:
        shutil.chown(home, user)
    server = Postgres(programs, home / "data", "127.0.0.1", user, port)
    server.run("initdb", "-E", "UTF8", "-A", "trust", "-U", "postgres", "-D", str(server.data), "--no-sync")
    with (server.data / "postgresql.conf").open("a") as configuration:
        configuration.write(_CONFIGURATION.format(port=port, directory=home))
    stack.callback(partial(server.stop, "immediate"))
    server.start()
    return server
