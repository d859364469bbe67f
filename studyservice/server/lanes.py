"""Whose turn a request is: the lane that it waits in, told from its head before anything is looked up."""

import re
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import sha256
from threading import Lock
from typing import Any

from studyservice.http.client_address import counted_address
from studyservice.http.paths import is_below
from studyservice.server.fair_queue import Lane

MEMBER = "studyservice.member"
"""Under this name the application leaves the member whose credential was good in the WSGI environment."""

MAX_CREDENTIALS = 10_000
"""How many credentials are remembered, about 200 bytes each; those that were not used for longest are forgotten."""

_FIELDS = re.compile(
    rb"\r\n(authorization|x-api-key|x-forwarded-for|content-length|transfer-encoding):[ \t]*([^\r\n]*)", re.IGNORECASE
)
_READING = {b"GET", b"HEAD", b"OPTIONS"}


class Lanes:
    """Tells the lane of a request.

    A member's reads share one lane and writes another, whichever credential they come with: which member a credential
    belongs to is remembered from earlier answers. It may be out of date, and decides nothing but the order of service.
    Until a credential was seen to be good, its requests wait with all others of the client address that are not known,
    so that invented ones gain no lane.

    Args:
        threads: how many requests are answered at once.
    """

    def __init__(self, threads: int) -> None:
        self._half = max(1, threads // 2)
        self._members: OrderedDict[bytes, str] = OrderedDict()
        self._lock = Lock()  # the lane is told in the main thread, members are learnt in those that answer

    def lane(self, head: bytes, peer: str) -> Lane:
        """The lane of the request that begins with `head` and came from the address `peer`.

        Of a member one write runs at a time, as writes of a member follow each other anyway; of reads, and of what
        comes from one address without a known credential, as many as half of the threads.
        """
        fields = _fields(head)
        member = self._member(fields.get("authorization", fields.get("x-api-key")))
        if member is None:
            return Lane(f"address {counted_address(peer, fields.get('x-forwarded-for', ''))}", self._half)
        if _is_read(head, fields):
            return Lane(f"reads of {member}", self._half)
        return Lane(f"writes of {member}", 1)

    def learn(self, environ: Mapping[str, Any]) -> None:
        """Remember whose the credential of an answered request is, or forget it if it was refused."""
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

    def _member(self, credential: str | None) -> str | None:
        if credential is None:
            return None
        with self._lock:
            return self._members.get(_digest(credential))


def is_probe(head: bytes) -> bool:
    """Whether the request that begins with `head` asks for the service's health, and sends nothing else."""
    method, _, rest = head.partition(b" ")
    path = rest.partition(b" ")[0].partition(b"?")[0].decode("latin-1")
    whole = b"\r\n\r\n" in head
    return whole and method in {b"GET", b"HEAD"} and is_below(path, "/health") and _is_read(head, _fields(head))


def _is_read(head: bytes, fields: Mapping[str, str]) -> bool:
    """Whether a request neither changes anything by its method nor sends a body, which may be slow to come."""
    has_body = "transfer-encoding" in fields or fields.get("content-length", "0") != "0"
    return head.partition(b" ")[0] in _READING and not has_body


def _fields(head: bytes) -> dict[str, str]:
    """The header fields that count, repeated ones joined as in the WSGI environment."""
    fields: dict[str, str] = {}
    for raw_name, raw_value in _FIELDS.findall(head, 0, max(0, head.find(b"\r\n\r\n"))):
        name, value = raw_name.decode().lower(), raw_value.decode("latin-1").strip(" \t")
        fields[name] = f"{fields[name]},{value}" if name in fields else value
    return fields


def _digest(credential: str) -> bytes:
    """What is kept instead of a secret."""
    return sha256(credential.encode("latin-1")).digest()
