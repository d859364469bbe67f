"""Members on Citus, under load: what a call costs, a shard that moves, a server that is killed and one that hangs."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import psycopg

from bench.cast import Subject
from bench.drills.citus_servers import Servers, manage
from bench.drills.client import Answer, Client
from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import MEMBERS, Instance, Site
from bench.drills.stored import compare, query
from bench.drills.stuck import Watch
from bench.prepare import prepared

SHARDS = "8"
"""Enough to move one, and few enough for tests that empty tables."""

ELSEWHERE_SECONDS = 1
"""How long a call may take while a server hangs on which its member is not."""

_CALLS = 200
_KILLED_SECONDS = 3
_HUNG_SECONDS = 12

_SHARDS_OF = """
    SELECT course.id::text, placed.nodeport
    FROM (SELECT id, member_id FROM courses_course) AS course
    JOIN pg_dist_shard AS shard ON shard.logicalrelid = 'accounts_member'::regclass
     AND shard.shardid = get_shard_id_for_distribution_column('accounts_member', course.member_id)
    JOIN pg_dist_placement AS place ON place.shardid = shard.shardid
    JOIN pg_dist_node AS placed ON placed.groupid = place.groupid
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
    """What the parts share.

    Attributes:
        on: the members on each server, by its port.
    """

    url: str
    env: Mapping[str, str]
    servers: Servers
    instance: Instance
    on: Mapping[int, Sequence[Subject]]


def loaded(site: Site, servers: Servers) -> list[Report]:
    """A database with members, distributed; each part goes on where the one before has left it."""
    cost = Report("members on Citus: a call")
    url, data = servers.create("loaded"), site.directory / "loaded"
    data.mkdir()
    env = site.environment(url, data, site.origin_port)
    cast = prepared("bench.drills.seed.fill", MEMBERS, env, site.directory / "cast-citus.json")
    whole = site.serve(url, data)
    before = _costs(whole, cast.members[:_CALLS])
    whole.stop()
    env |= {"DATABASE_DISTRIBUTED": "true"}
    started = time.monotonic()
    manage(env, "distribute", "--shards", SHARDS)
    cost.notes.append(f"{MEMBERS} members distributed in {time.monotonic() - started:.0f} s")
    spread = site.serve(url, data, DATABASE_DISTRIBUTED="true")
    after = _costs(spread, cast.members[:_CALLS])
    cost.notes += [f"{name}: {before[name]:.1f} ms on one server, {after[name]:.1f} ms on Citus" for name in before]
    _check_stray(cost, url)
    ports = dict(query(url, _SHARDS_OF))
    on = {
        server.port: [one for one in cast.members if ports[one.courses[0]] == server.port] for server in servers.others
    }
    world = _World(url, env, servers, spread, on)
    return [cost, _moved(world), _killed(world), _hung(world)]


def _costs(instance: Instance, subjects: Sequence[Subject]) -> dict[str, float]:
    """Median milliseconds of calls one after the other, each of another member, whose key is known."""
    with Client(instance.port) as client:
        calls: dict[str, Callable[[Subject], Answer]] = {
            "get_me": lambda one: client.call("GET", "/v1/me", key=one.key),
            "list_items": lambda one: client.call("GET", "/v1/items", key=one.key),
            "get_agenda": lambda one: client.call("GET", "/v1/agenda", key=one.key),
            "review_vocab_card": lambda one: client.call(
                "POST", f"/v1/vocab-cards/{one.cards[0]}/reviews", {"rating": "good"}, key=one.key
            ),
        }
        for one in subjects:
            calls["get_me"](one)
        return {name: median(_milliseconds(call, one) for one in subjects) for name, call in calls.items()}


def _milliseconds(call: Callable[[Subject], Answer], subject: Subject) -> float:
    started = time.perf_counter()
    answer = call(subject)
    if not answer.ok:
        raise RuntimeError(answer.fault)
    return (time.perf_counter() - started) * 1000


def _check_stray(report: Report, url: str) -> None:
    """An item under a course of another member's is refused by the database."""
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
    """A shard, with the rows of all its members in every table, to the other server while everybody writes."""
    report = Report("members on Citus: a shard moved")
    source, target = world.on
    everybody = [one for members in world.on.values() for one in members]
    watch = Watch(world.instance.port, _items, everybody[0].key)
    with Load([world.instance.port], everybody) as load, watch:
        time.sleep(1)
        started = time.monotonic()
        query(world.url, _MOVE.format(source=source, target=target))
        report.notes.append(f"it took {time.monotonic() - started:.1f} s; reads of one member: {watch.told()}")
        time.sleep(1)
    compare(report, load.journal, world.url)
    report.check("no call failed", not report.errors)
    return report


def _killed(world: _World) -> Report:
    """One server is killed, and started again; the members on the other one do not notice."""
    report = Report("members on Citus: a server killed")
    report.notes.append(f"for {_KILLED_SECONDS} s")
    first = world.servers.others[0]
    here, elsewhere = _sides(world)
    with Load([world.instance.port], here, 2) as load, Watch(world.instance.port, _items, elsewhere[0].key) as watch:
        time.sleep(1)
        first.kill()
        time.sleep(_KILLED_SECONDS)
        first.start()
        again = time.monotonic()
        time.sleep(4)
    compare(report, load.journal, world.url, again)
    _check_elsewhere(report, watch)
    return report


def _hung(world: _World) -> Report:
    """One server is stopped by SIGSTOP: its connections are there, and nothing answers."""
    report = Report("members on Citus: a server hung")
    here, elsewhere = _sides(world)
    watch = Watch(world.instance.port, _items, elsewhere[0].key)
    with Load([world.instance.port], here) as load, watch:
        time.sleep(1)
        with world.servers.others[0].frozen():
            time.sleep(_HUNG_SECONDS)
        again = time.monotonic()
        time.sleep(4)
    compare(report, load.journal, world.url, again)
    _check_elsewhere(report, watch)
    return report


def _sides(world: _World) -> tuple[Sequence[Subject], Sequence[Subject]]:
    """The members on the first server now, and those on the other."""
    ports = dict(query(world.url, _SHARDS_OF))
    everybody = [one for members in world.on.values() for one in members]
    first = world.servers.others[0].port
    here = [one for one in everybody if ports[one.courses[0]] == first]
    return here, [one for one in everybody if ports[one.courses[0]] != first]


def _check_elsewhere(report: Report, watch: Watch) -> None:
    right = set(watch.answers) == {"200"} and watch.longest < ELSEWHERE_SECONDS
    report.check(f"members on the other server: {watch.told()}", right)


def _items(client: Client) -> Answer:
    return client.call("GET", "/v1/items")
