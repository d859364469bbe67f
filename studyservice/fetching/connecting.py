"""Connections within a deadline: encrypted ones to public addresses, or to a server that the operator names.

A name is looked up only once. For addresses that others supply, all its addresses must be public, and the connection
uses one of them, so that no second look-up can redirect it.
"""

import socket
import ssl
import time
from concurrent.futures import Future
from enum import StrEnum
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from threading import Thread
from typing import Any, Final, cast


class Fault(StrEnum):
    """A reason in one word, for programs."""

    ADDRESS_INVALID = "address_invalid"
    ADDRESS_NOT_PUBLIC = "address_not_public"
    UNREACHABLE = "unreachable"
    TIMED_OUT = "timed_out"
    STATUS = "status"
    REDIRECTED = "redirected"
    ENCODED = "encoded"
    TOO_LARGE = "too_large"


class FetchError(Exception):
    """The fetch failed.

    Attributes:
        fault: the reason.
        status: the HTTP status, if that is the reason.
        unknown_host: whether it is unreachable because no host has this name.
    """

    def __init__(self, fault: Fault, text: str, status: int | None = None, *, unknown_host: bool = False) -> None:
        super().__init__(text)
        self.fault, self.status, self.unknown_host = fault, status, unknown_host


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


# From the IANA registries of special-purpose addresses and of IPv6 address space. Python's `is_global` differs between
# versions, and includes addresses that IANA never assigned.
_REFUSED_IPV4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network (RFC 791)
        "10.0.0.0/8",  # private (RFC 1918)
        "100.64.0.0/10",  # shared by a provider's customers (RFC 6598)
        "127.0.0.0/8",  # loopback (RFC 1122)
        "169.254.0.0/16",  # link-local, including the metadata of clouds (RFC 3927)
        "172.16.0.0/12",  # private (RFC 1918)
        "192.0.0.0/24",  # protocol assignments (RFC 6890)
        "192.0.2.0/24",  # documentation (RFC 5737)
        "192.88.99.0/24",  # relays of 6to4, deprecated (RFC 7526)
        "192.168.0.0/16",  # private (RFC 1918)
        "198.18.0.0/15",  # benchmarking (RFC 2544)
        "198.51.100.0/24",  # documentation (RFC 5737)
        "203.0.113.0/24",  # documentation (RFC 5737)
        "224.0.0.0/4",  # multicast (RFC 5771)
        "240.0.0.0/4",  # reserved, including limited broadcast (RFC 1112, RFC 919)
    )
)

_ASSIGNED_IPV6 = IPv6Network("2000::/3")
"""Global unicast, the only space that IANA assigns addresses from (RFC 4291, RFC 3513)."""

_REFUSED_IPV6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, including benchmarking and ORCHID (RFC 2928); Teredo is decoded
        "2001:db8::/32",  # documentation (RFC 3849)
        "3fff::/20",  # documentation (RFC 9637)
    )
)

_NAT64 = IPv6Network("64:ff9b::/96")
"""The well-known prefix before an IPv4 address (RFC 6052)."""


def is_public(text: str) -> bool:
    """Return whether `text` is an address routed on the public internet. False if it is not an address."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return _is_public_ipv4(address)
    inside = _inside(address)
    if inside:
        return all(map(_is_public_ipv4, inside))
    return address in _ASSIGNED_IPV6 and not any(address in network for network in _REFUSED_IPV6)


def _is_public_ipv4(address: IPv4Address) -> bool:
    return not any(address in network for network in _REFUSED_IPV4)


def _inside(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that `address` embeds: mapped, 6to4, NAT64, and server and client of Teredo."""
    if address.teredo:
        return address.teredo
    if address in _NAT64:
        return (IPv4Address(address.packed[-4:]),)
    embedded = address.ipv4_mapped or address.sixtofour
    return (embedded,) if embedded else ()
