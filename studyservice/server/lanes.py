"""Lanes that requests wait in, so that many of one member leave threads to others."""

import asyncio
from collections.abc import Hashable, Mapping
from hashlib import sha256
from typing import Any
from weakref import WeakValueDictionary

from studyservice.http.requests import counted_address

MEMBER = "studyservice.member"
"""Key in `META` under which the application stores the member of a valid credential."""

MAX_CREDENTIALS = 10_000
"""How many credentials are remembered, about 200 bytes each."""

READS_AT_ONCE = 2
"""Most reads of one member that run at once, of at least four threads. The largest answer takes some 50 MiB."""


class Lanes:
    """The lanes of every member, and of every address without a known credential.

    A member's reads share one lane and writes another, for all credentials of the member. The member of a credential is
    remembered from earlier answers, so that invented credentials gain no lane.

    Args:
        threads: most requests answered at once.
    """

    def __init__(self, threads: int) -> None:
        self._half = max(1, threads // 2)
        self._members: dict[bytes, Hashable] = {}
        self._lanes: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    def lane(self, meta: Mapping[str, Any]) -> asyncio.Semaphore:
        """Return the lane of a request.

        One write of a member runs at a time, since writes of a member wait for each other anyway. Up to half of the
        threads may serve one address without a known credential.
        """
        member = self._members.get(_credential(meta))
        if member is None:
            key: Hashable = counted_address(meta.get("REMOTE_ADDR", ""), meta.get("HTTP_X_FORWARDED_FOR", ""))
            most = self._half
        else:
            reads = meta["REQUEST_METHOD"] in {"GET", "HEAD", "OPTIONS"}
            key, most = (member, reads), min(READS_AT_ONCE, self._half) if reads else 1
        return self._lanes.setdefault(key, asyncio.Semaphore(most))

    def learn(self, meta: Mapping[str, Any]) -> None:
        """Remember the member of an answered request's credential, or forget it if it was refused."""
        credential = _credential(meta)
        self._members.pop(credential, None)
        if MEMBER in meta:
            self._members[credential] = meta[MEMBER]
            if len(self._members) > MAX_CREDENTIALS:
                del self._members[next(iter(self._members))]


def _credential(meta: Mapping[str, Any]) -> bytes:
    """Return a hash of the secret, to store that instead."""
    return sha256(meta.get("HTTP_AUTHORIZATION", meta.get("HTTP_X_API_KEY", "")).encode("latin-1")).digest()
