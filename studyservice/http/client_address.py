"""The address of the client, behind any number of trusted proxies."""

import ipaddress
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest

IPV6_PREFIX = 64
"""Significant bits of an IPv6 address: one client has all addresses that share them (RFC 6177 section 2)."""

TOLD_PREFIXES = {4: 24, 6: 56}
"""Significant bits of a stored address. They identify a provider's or an organization's network but not a household's
device (many providers assign a /56 to one customer, RFC 6177 section 2).
"""

_LONGEST = 45
"""Length of the longest address without a zone."""

_REMEMBERED = 4096


def client_address(request: HttpRequest) -> str:
    """Return the address for rate limits: the client's IPv4 address, or the /64 network of its IPv6 address.

    With `TRUSTED_PROXIES=n` it is the n-th entry of `X-Forwarded-For` from the right. Each trusted proxy appends the
    peer it saw; entries further left came from the client. If the header is missing, too short or invalid, the
    connection's peer is used.
    """
    return counted_address(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""))


def counted_address(peer: str, forwarded_for: str) -> str:
    """Likewise for the connection's peer and the value of `X-Forwarded-For`, empty if not sent."""
    return _counted(_trusted_address(peer, forwarded_for))


def client_network(request: HttpRequest) -> str:
    """Return the network of the client, which may be stored: `203.0.113.0/24`, `2001:db8:1200::/56`.

    Empty if the peer has no address, as behind a Unix socket.
    """
    return _network(_trusted_address(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")))


def logged_address(request: HttpRequest) -> str:
    """Return the client for log lines: its network, its address or nothing, by `LOG_CLIENT_ADDRESS`."""
    match settings.LOG_CLIENT_ADDRESS:
        case "network":
            return client_network(request)
        case "full":
            return _trusted_address(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""))
    return ""


def _trusted_address(peer: str, forwarded_for: str) -> str:
    """Return the address from the trusted proxies or the connection."""
    trusted: int = settings.TRUSTED_PROXIES
    if trusted:
        forwarded = forwarded_for.split(",")
        if len(forwarded) >= trusted:
            told = forwarded[-trusted].strip()
            if len(told) <= _LONGEST and _parsed(told) is not None:
                return told
    return peer


@lru_cache(_REMEMBERED)
def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an address. An IPv4-mapped IPv6 address becomes IPv4."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


@lru_cache(_REMEMBERED)
def _counted(text: str) -> str:
    address = _parsed(text)
    if address is None:
        return text
    return str(address) if address.version == 4 else _truncated(address, IPV6_PREFIX)


@lru_cache(_REMEMBERED)
def _network(text: str) -> str:
    address = _parsed(text)
    return "" if address is None else _truncated(address, TOLD_PREFIXES[address.version])


def _truncated(address: ipaddress.IPv4Address | ipaddress.IPv6Address, bits: int) -> str:
    """Return the network with that many bits. The zone (RFC 4007) is dropped."""
    return str(ipaddress.ip_network((address.packed, bits), strict=False))
