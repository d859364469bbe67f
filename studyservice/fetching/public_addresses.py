"""The addresses that the server may connect to when others supply them: those routed on the public internet.

From the IANA registries of special-purpose addresses and of IPv6 address space. Python's `is_global` differs between
versions, and includes addresses that IANA never assigned.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

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
