"""Members on Citus: the servers, and a shard that moves, a server that is killed or hangs under load."""

import os
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

import psycopg

from tools.bench.cast import Subject
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report, compare, query
from tools.bench.drills.watch import Watch, items
from tools.bench.postgres import Postgres
from tools.bench.servers import Server, free_port, manage
from tools.bench.site import MEMBERS, Site

SHARDS = "8"
"""Enough to move one, and few enough for tests that empty tables."""

_KILLED_SECONDS = 3
_HUNG_SECONDS = 12
_PAUSE_SECONDS = 0.2

_PORTS = """
    SELECT member, nodeport FROM unnest(%s::uuid[]) AS member
    JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('accounts_member', member)
    JOIN pg_dist_node USING (groupid)
"""
_MOVE = """
    SELECT citus_move_shard_placement(shardid, nodename, nodeport, '127.0.0.1', {target}, 'force_logical')
    FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
    WHERE logicalrelid = 'accounts_member'::regclass AND nodeport = {source} ORDER BY shardid LIMIT 1
"""
_STRAY = """
    INSERT INTO courses_item (id, member_id, course_id, title, kind, sequence, created_at, updated_at)
    SELECT gen_random_uuid(), %s, %s, 'stray', 'other', 0, now(), now()
"""


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


@dataclass(frozen=True, slots=True)
class _World:
    """State shared by the parts of the drill."""

    url: str
    servers: Servers
    instance: Server
    members: Sequence[Subject]


def loaded(site: Site, servers: Servers) -> list[Report]:
    """Use one distributed database with members for all parts."""
    stray = Report("members on Citus: foreign keys")
    instance, url, members = _filled(site, servers)
    _check_stray(stray, url)
    world = _World(url, servers, instance, members)
    return [stray, _moved(world), _killed(world), _hung(world)]


def _filled(site: Site, servers: Servers) -> tuple[Server, str, Sequence[Subject]]:
    """Serve a new, distributed database with members. Return the server, the database's URL and the members."""
    url, data = servers.create("spread"), site.directory / "spread"
    cast = site.fill(url, data, MEMBERS, "drills.seed.fill")
    manage(site.environment(url, data, DATABASE_DISTRIBUTED="true"), "distribute", "--shards", SHARDS)
    return site.serve(url, data, DATABASE_DISTRIBUTED="true"), url, cast.members


def _check_stray(report: Report, url: str) -> None:
    """Check that the database refuses an item under a course of another member."""
    [(_, one), (course, _)] = query(url, "SELECT id, member_id FROM courses_course ORDER BY id LIMIT 2")
    refused = False
    with psycopg.connect(url) as connection:
        try:
            connection.execute(_STRAY, [one, course])
            connection.commit()
        except psycopg.errors.ForeignKeyViolation:
            refused = True
    report.check("an item under another member's course is refused", refused)


def _moved(world: _World) -> Report:
    """Move a shard, with its members' rows in every table, to the other server under load."""
    report = Report("members on Citus: a shard moved")
    source, target = [server.port for server in world.servers.others]
    everybody = world.members
    watch = Watch(world.instance.port, items, everybody[0].key, pause=_PAUSE_SECONDS)
    with Load(world.instance.port, everybody) as load, watch:
        time.sleep(1)
        started = time.monotonic()
        query(world.url, _MOVE.format(source=source, target=target))
        report.notes.append(f"it took {time.monotonic() - started:.1f} s; reads of one member: {watch.told()}")
        time.sleep(1)
    compare(report, load.journal, world.url)
    report.check("no call failed", not report.errors)
    return report


def _killed(world: _World) -> Report:
    """Kill one server and start it again. Calls of members on the other one continue."""
    report = Report("members on Citus: a server killed")
    report.notes.append(f"for {_KILLED_SECONDS} s")
    first = world.servers.others[0]

    def fault() -> None:
        first.kill()
        time.sleep(_KILLED_SECONDS)
        first.start()

    _strike(world, report, fault, 100_000)
    return report


def _hung(world: _World) -> Report:
    """Stop one server by SIGSTOP: its connections stay open, and nothing answers."""
    report = Report("members on Citus: a server hung")
    report.notes.append(f"for {_HUNG_SECONDS} s")

    def fault() -> None:
        with world.servers.others[0].frozen():
            time.sleep(_HUNG_SECONDS)

    _strike(world, report, fault, 200_000)
    return report


def _strike(world: _World, report: Report, fault: Callable[[], None], first: int) -> None:
    """Run load by members on the first server, a fault of it, and calls of a member on the other."""
    here, elsewhere = _sides(world)
    watched = elsewhere[first % len(elsewhere)]  # a different one for each fault, because of its rate limit
    watch = Watch(world.instance.port, items, watched.key, pause=_PAUSE_SECONDS)
    with Load(world.instance.port, here, first=first) as load, watch:
        time.sleep(1)
        fault()
        again = time.monotonic()
        load.goes_on(again)
    compare(report, load.journal, world.url, again, first=first)
    report.check(f"members on the other server: {watch.told()}", watch.only("200"))


def _sides(world: _World) -> tuple[Sequence[Subject], Sequence[Subject]]:
    """Return the members on the first server now, and those on the other."""
    owners = {str(course): member for course, member in query(world.url, "SELECT id, member_id FROM courses_course")}
    ports: dict[UUID, int] = dict(query(world.url, _PORTS, [list(owners.values())]))
    first = world.servers.others[0].port
    here = [one for one in world.members if ports[owners[one.courses[0]]] == first]
    return here, [one for one in world.members if ports[owners[one.courses[0]]] != first]
