"""The address of the client, as far as the proxies in front may be believed."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

IPV6_PREFIX = 64
"""Bits of an IPv6 address that count: whoever has one has all addresses that share them (RFC 6177 section 2)."""


def client_address(request: HttpRequest) -> str:
    """Under which address the client is counted: its IPv4 address, or the /64 network of its IPv6 address.

    With `TRUSTED_PROXIES=n` it is the n-th entry of `X-Forwarded-For` from the right: each trusted proxy appends the
    peer it saw, and whatever stands further left came from the client. A header that is missing, too short or not an
    address is not believed, and the peer of the connection counts.
    """
    return counted_address(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""))


def counted_address(peer: str, forwarded_for: str) -> str:
    """The same of the connection's peer and the value of `X-Forwarded-For`, empty if it was not sent."""
    trusted: int = settings.TRUSTED_PROXIES
    forwarded = forwarded_for.split(",") if trusted else []
    told = _counted(forwarded[-trusted].strip()) if trusted and len(forwarded) >= trusted else None
    return told or _counted(peer) or peer


def _counted(text: str) -> str | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if address.version == 4:
        return text
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((address.packed, IPV6_PREFIX), strict=False))
