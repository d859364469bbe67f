"""On which server a member is, and the bulkhead of this process."""

import time
from collections import OrderedDict
from functools import cache
from threading import Lock
from uuid import UUID

from django.conf import settings
from django.db import connection

from studyservice.database.citus.bulkhead import Bulkhead
from studyservice.database.citus.layout import layout

KNOWN_SECONDS = 60
"""For how long a process takes a member to be where it was found; then it looks again, as members may be moved."""

MAX_KNOWN = 10_000

_SERVER = """
    SELECT nodename || ':' || nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column(%s::regclass, %s::uuid)
"""

_known: OrderedDict[UUID, tuple[str, float]] = OrderedDict()
_lock = Lock()


@cache
def bulkhead() -> Bulkhead:
    """Of this process."""
    return Bulkhead(max(1, settings.WEB_THREADS // 2))


def enter_server_of(member_id: UUID) -> None:
    """Hold a place at the member's server up to the end of the request, where members are spread over servers.

    To be called before the first statement of a request that names the member. Costs a query of the coordinator once a
    minute.

    Raises:
        ServerHangsError: the server does not answer.
    """
    if settings.DATABASE_DISTRIBUTED:
        bulkhead().enter(_server_of(member_id))


def _server_of(member_id: UUID) -> str:
    now = time.monotonic()
    with _lock:
        server, until = _known.get(member_id, ("", 0.0))
    if now < until:
        return server
    with connection.cursor() as cursor:
        cursor.execute(_SERVER, [layout().members, str(member_id)])
        found = cursor.fetchone()
    server = "" if found is None else str(found[0])
    with _lock:
        _known[member_id] = (server, now + KNOWN_SECONDS)
        _known.move_to_end(member_id)
        if len(_known) > MAX_KNOWN:
            _known.popitem(last=False)
    return server
