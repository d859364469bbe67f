"""Connections within a deadline: encrypted ones to public addresses, or to a server that the operator names.

A name is looked up only once. For addresses that others supply, all its addresses must be public, and the connection
uses one of them, so that no second look-up can redirect it.
"""

import socket
import ssl
import time
from concurrent.futures import Future
from functools import cache
from threading import Thread
from typing import Any, Final, cast

from studyservice.fetching.faults import Fault, FetchError
from studyservice.fetching.public_addresses import is_public

MOST_TRIED: Final = 4
"""Maximum number of a name's addresses to try, one after another."""

_Found = list[tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[Any, ...]]]


class Deadline:
    """The moment by which a fetch must end."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, more than zero.

        Raises:
            TimeoutError: the deadline has passed.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return left


class TimedSocket(ssl.SSLSocket):
    """An encrypted connection whose reads end at the deadline, however slowly data arrives."""

    deadline: Deadline

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(self.deadline.left())
        return super().recv_into(buffer, nbytes, flags)


class TimedPlainSocket(socket.socket):
    """An unencrypted connection with the same property."""

    deadline: Deadline

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        self.settimeout(self.deadline.left())
        return super().recv_into(buffer, nbytes, flags)


def connect(
    host: str, port: int, deadline: Deadline, *, is_trusted: bool = False, is_encrypted: bool = True
) -> TimedSocket | TimedPlainSocket:
    """Connect to `host`, and verify its certificate if the connection is encrypted.

    If an address does not answer, the next one is tried. They share the remaining time equally.

    Args:
        host: its name or address.
        port: of the server.
        deadline: of the connection and of every read.
        is_trusted: whether the operator chose the host, which may then have any address.
        is_encrypted: whether to use TLS.

    Raises:
        FetchError: an address of the name is not public.
        OSError: the name has no address, or none that answers in time with a valid certificate.
    """
    found = _looked_up(host, port, deadline)
    for *_, address in found:
        if not (is_trusted or is_public(address[0])):
            raise FetchError(Fault.ADDRESS_NOT_PUBLIC, f"{host} has the address {address[0]}, which is not public")
    untried = found[:MOST_TRIED]
    while True:
        family, _, _, _, address = untried.pop(0)
        share = Deadline(deadline.left() / (len(untried) + 1))
        try:
            connected = _encrypted(host, family, address, share) if is_encrypted else _plain(family, address, share)
        except OSError:
            if not untried:
                raise
            continue
        connected.deadline = deadline
        return connected


@cache
def _context() -> ssl.SSLContext:
    """Return the settings of all connections. To load the certificate authorities takes 40 ms of CPU."""
    context = ssl.create_default_context()
    context.sslsocket_class = TimedSocket
    return context


def _looked_up(host: str, port: int, deadline: Deadline) -> _Found:
    """Return the addresses of `host`, at least one. The system's resolver has no deadline, so it runs in a thread."""
    found: Future[Any] = Future()

    def look_up() -> None:
        try:
            found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:  # noqa: BLE001  # raised again by `result`
            found.set_exception(error)

    Thread(target=look_up, name="look-up", daemon=True).start()
    addresses: _Found = found.result(deadline.left())
    return addresses


def _encrypted(host: str, family: socket.AddressFamily, address: tuple[Any, ...], share: Deadline) -> TimedSocket:
    with _plain(family, address, share) as plain:
        plain.settimeout(share.left())
        return cast("TimedSocket", _context().wrap_socket(plain, server_hostname=host))


def _plain(family: socket.AddressFamily, address: tuple[Any, ...], share: Deadline) -> TimedPlainSocket:
    plain = TimedPlainSocket(family, socket.SOCK_STREAM)
    try:
        plain.settimeout(share.left())
        plain.connect(address)
    except BaseException:
        plain.close()
        raise
    return plain
