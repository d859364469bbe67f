"""Members on Citus under load: the cost of calls, a shard that moves, a server that is killed or hangs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from uuid import UUID

import psycopg

from tools.bench.cast import Subject
from tools.bench.drills.citus_servers import Servers
from tools.bench.drills.client import Answer, Client
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare, query
from tools.bench.drills.watch import Watch, items
from tools.bench.servers import Server, manage
from tools.bench.site import MEMBERS, Site

SHARDS = "8"
"""Enough to move one, and few enough for tests that empty tables."""

_CALLED = 200
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


@dataclass(frozen=True, slots=True)
class _World:
    """State shared by the parts of the drill."""

    url: str
    servers: Servers
    instance: Server
    members: Sequence[Subject]


def loaded(site: Site, servers: Servers) -> list[Report]:
    """Use one distributed database with members for all parts."""
    cost = Report("members on Citus: a call")
    whole, _, members_of_whole = _filled(site, servers, "whole", distributed=False)
    spread, url, members = _filled(site, servers, "spread", distributed=True)
    on_one, on_citus = _costs([(whole, members_of_whole), (spread, members)])
    cost.notes += [f"{name}: {on_one[name]:.1f} ms on one server, {on_citus[name]:.1f} ms on Citus" for name in on_one]
    _check_stray(cost, url)
    whole.stop()
    world = _World(url, servers, spread, members)
    return [cost, _moved(world), _killed(world), _hung(world)]


def _filled(site: Site, servers: Servers, name: str, *, distributed: bool) -> tuple[Server, str, Sequence[Subject]]:
    """Serve a new database with members. Return the server, the database's URL and the members."""
    url, data = servers.create(name), site.directory / name
    cast = site.fill(url, data, MEMBERS, "drills.seed.fill")
    setting = str(distributed).lower()
    if distributed:
        manage(site.environment(url, data, DATABASE_DISTRIBUTED=setting), "distribute", "--shards", SHARDS)
    return site.serve(url, data, DATABASE_DISTRIBUTED=setting), url, cast.members


def _costs(sides: Sequence[tuple[Server, Sequence[Subject]]]) -> list[dict[str, float]]:
    """Return the median milliseconds of calls, alternating between the sides, each by a member with a cached key."""
    clients = [Client(instance.port) for instance, _ in sides]
    found: list[dict[str, list[float]]] = [{} for _ in sides]
    for name, call in {"get_me": _me, **_CALLS}.items():
        for number in range(_CALLED):
            for client, (_, members), times in zip(clients, sides, found, strict=True):
                times.setdefault(name, []).append(_milliseconds(call, client, members[number]))
    return [{name: median(times[name]) for name in _CALLS} for times in found]


def _me(client: Client, subject: Subject) -> Answer:
    return client.call("GET", "/v1/me", key=subject.key)


_CALLS: dict[str, Callable[[Client, Subject], Answer]] = {
    "list_items": lambda client, one: client.call("GET", "/v1/items", key=one.key),
    "get_agenda": lambda client, one: client.call("GET", "/v1/agenda", key=one.key),
    "create_item": lambda client, one: client.call(
        "POST", f"/v1/courses/{one.courses[0]}/items", {"title": "what it costs"}, key=one.key
    ),
}


def _milliseconds(call: Callable[[Client, Subject], Answer], client: Client, subject: Subject) -> float:
    started = time.perf_counter()
    answer = call(client, subject)
    if not answer.ok:
        raise RuntimeError(answer.fault)
    return (time.perf_counter() - started) * 1000


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
