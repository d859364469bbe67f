"""The server of each member, and the bulkhead of this process."""

import time
from collections import OrderedDict
from functools import cache
from threading import Lock
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from studyservice.citus.bulkhead import Bulkhead
from studyservice.citus.layout import layout

KNOWN_SECONDS = 60
"""How long a process caches the server of a member. Members may move."""

MAX_KNOWN = 10_000

_SERVER = """
    SELECT nodename || ':' || nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column(%s::regclass, %s::uuid)
"""

_known: OrderedDict[UUID, tuple[str, float]] = OrderedDict()
_lock = Lock()


@cache
def bulkhead() -> Bulkhead:
    """Return the bulkhead of this process."""
    return Bulkhead(max(1, settings.WEB_THREADS // 2))


def enter_server_of(*, member_id: UUID, **kwargs: Any) -> None:
    """Hold a place at the member's server until the end of the request. Receives `member_known`.

    Costs a query of the coordinator once a minute.

    Raises:
        ServerHangsError: the server does not answer.
    """
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
