"""RATE_NETWORKS: networks in which many people share an address, and how much higher its rates are there.

A university's students come from a few addresses (NAT), so rates for one client would lock them out.
"""

from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import NamedTuple

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

IPV6_PREFIX = 64
"""Significant bits of an IPv6 address: one client has all addresses that share them (RFC 6177 section 2)."""

MOST = 1000
"""The highest factor."""


class RateNetwork(NamedTuple):
    """A network and its factor."""

    network: IPv4Network | IPv6Network
    factor: int


def networks_from(text: str) -> tuple[RateNetwork, ...]:
    """Parse `network=factor` entries, separated by commas. Return them from the narrowest to the widest.

    Raises:
        ImproperlyConfigured: an entry is wrong, or a network is there twice.
    """
    found: dict[IPv4Network | IPv6Network, int] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        network, factor = _entry(entry)
        if network in found:
            raise ImproperlyConfigured(f"RATE_NETWORKS has {network} twice.")
        found[network] = factor
    return tuple(RateNetwork(one, found[one]) for one in sorted(found, key=lambda one: -one.prefixlen))


def _entry(entry: str) -> RateNetwork:
    """Parse one entry. A network with bits of a host is an error, because it may be a misspelled one."""
    name, _, factor = map(str.strip, entry.partition("="))
    try:
        network = ip_network(name)
    except ValueError as error:
        raise ImproperlyConfigured(f"RATE_NETWORKS must be like 10.20.0.0/16=40,2001:db8::/32=40: {error}.") from None
    if not (factor.isascii() and factor.isdecimal() and len(factor) <= len(str(MOST)) and 1 <= int(factor) <= MOST):
        raise ImproperlyConfigured(
            f"RATE_NETWORKS: the factor of {network} must be a whole number from 1 to {MOST}, not {factor!r}."
        )
    if network.version == 6 and network.prefixlen > IPV6_PREFIX:
        raise ImproperlyConfigured(
            f"RATE_NETWORKS: {network} is too narrow. IPv6 addresses are counted by their /{IPV6_PREFIX}."
        )
    return RateNetwork(network, int(factor))


def factor_of(key: str) -> int:
    """Return the factor of a client address (`client_address`) in its narrowest network; 1 for any other key."""
    networks: tuple[RateNetwork, ...] = settings.RATE_NETWORKS
    return _factor(key, networks) if networks else 1


@lru_cache(4096)
def _factor(key: str, networks: tuple[RateNetwork, ...]) -> int:
    try:
        address = ip_network(key)
    except ValueError:
        return 1
    return next((one.factor for one in networks if _is_in(address, one.network)), 1)


def _is_in(address: IPv4Network | IPv6Network, network: IPv4Network | IPv6Network) -> bool:
    return address.version == network.version and address.network_address in network
