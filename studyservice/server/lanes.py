"""Assigns each request to a fairness lane, before any lookup."""

from collections import OrderedDict
from collections.abc import Mapping
from hashlib import sha256
from threading import Lock
from typing import Any

from studyservice.http.client_address import counted_address
from studyservice.server.fair_queue import Lane

MEMBER = "studyservice.member"
"""Key in the WSGI environment under which the application stores the member of a valid credential."""

MAX_CREDENTIALS = 10_000
"""Size of the cache of credentials, about 200 bytes each. The least recently used are dropped."""


READS_AT_ONCE = 2
"""Most reads of one member that run at once, of at least four threads. The largest answer takes some 50 MiB."""


class Lanes:
    """Assigns requests to lanes.

    A member's reads share one lane and writes another, for all credentials of the member. The member of a credential is
    remembered from earlier answers. It may be out of date, and only affects the order of service. Until a credential is
    known to be valid, its requests share a lane with all unknown ones of the client address, so that invented
    credentials gain no lane.

    Args:
        threads: most requests answered at once.
    """

    def __init__(self, threads: int) -> None:
        self._half = max(1, threads // 2)
        self._members: OrderedDict[bytes, str] = OrderedDict()
        self._lock = Lock()  # for the threads that answer; the event loop only reads

    def lane(self, environ: Mapping[str, Any], *, reads: bool) -> Lane:
        """Return the lane of a request. `reads` is true if its method changes nothing and it has no body.

        One write of a member runs at a time, since writes of a member wait for each other anyway. Up to half of the
        threads may serve one address without a known credential, and at most `READS_AT_ONCE` a member's reads.
        """
        credential = environ.get("HTTP_AUTHORIZATION", environ.get("HTTP_X_API_KEY"))
        member = None if credential is None else self._members.get(_digest(credential))
        if member is None:
            address = counted_address(environ["REMOTE_ADDR"], environ.get("HTTP_X_FORWARDED_FOR", ""))
            return Lane(f"address {address}", self._half)
        return Lane(f"reads of {member}", min(READS_AT_ONCE, self._half)) if reads else Lane(f"writes of {member}", 1)

    def learn(self, environ: Mapping[str, Any]) -> None:
        """Remember the member of an answered request's credential, or forget it if it was refused."""
        credential = environ.get("HTTP_AUTHORIZATION", environ.get("HTTP_X_API_KEY"))
        if credential is None:
            return
        digest = _digest(credential)
        member = environ.get(MEMBER)
        with self._lock:
            if member is None:
                self._members.pop(digest, None)
                return
            self._members[digest] = str(member)
            self._members.move_to_end(digest)
            if len(self._members) > MAX_CREDENTIALS:
                self._members.popitem(last=False)


def _digest(credential: str) -> bytes:
    """Hash a secret, to store that instead."""
    return sha256(credential.encode("latin-1")).digest()
