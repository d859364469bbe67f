"""Allowed destinations: each row of the table, and addresses embedded in others."""

import pytest

from studyservice.fetching.connecting import is_public
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "a function without a database")


@each(
    "address",
    [
        "0.0.0.0",  # noqa: S104  # an address that is judged, not bound
        "0.1.2.3",
        "10.0.0.7",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.0.9",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
    ],
)
def test_a_private_ipv4_address_is_rejected(address: str) -> None:
    assert not is_public(address)
    assert not is_public(f"::ffff:{address}")


@each(
    "address",
    [
        "::",
        "::1",
        "::127.0.0.1",
        "::93.184.215.14",
        "::ffff:0:7f00:1",
        "::ffff:0:93.184.215.14",
        "64:ff9b:1::7f00:1",
        "64:ff9b:1::93.184.215.14",
        "64:ff9b::1:0:0",
        "100::1",
        "100:0:0:1::1",
        "1fff::1",
        "2001:1::1",
        "2001:2::1",
        "2001:3::1",
        "2001:10::1",
        "2001:20::1",
        "2001:1ff:ffff::1",
        "2001:db8::1",
        "3fff::1",
        "3fff:fff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fdff::1",
        "fe80::1",
        "fe80::1%eth0",
        "febf::1",
        "fec0::1",
        "feff::1",
        "ff02::1",
        "ff0e::1",
    ],
)
def test_a_private_ipv6_address_is_rejected(address: str) -> None:
    assert not is_public(address)


@each(
    "address",
    [
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.7",
        "64:ff9b::7f00:1",
        "64:ff9b::169.254.169.254",
        "2002:7f00:1::1",
        "2002:a00:7::",
        "2002:c0a8:101::1",
        "2001:0:7f00:1:0:0:a247:28f1",  # Teredo: the server is loopback
        "2001:0:5db8:d70e:0:0:80ff:fffe",  # Teredo: the client is loopback
        "2001:0:5db8:d70e:0:0:f5ff:fff8",  # Teredo: the client is 10.0.0.7
    ],
)
def test_an_embedded_private_address_is_rejected(address: str) -> None:
    assert not is_public(address)


@each(
    "address",
    [
        "1.1.1.1",
        "11.0.0.1",
        "93.184.215.14",
        "100.63.255.255",
        "100.128.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "172.15.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "192.0.3.1",
        "192.31.196.1",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.1",
        "223.255.255.255",
        "2000::1",
        "2001:200::1",
        "2001:db7::1",
        "2001:db9::1",
        "2606:4700:4700::1111",
        "2a00:1450:4001:80b::200e",
        "3ffe::1",
        "::ffff:93.184.215.14",
        "64:ff9b::93.184.215.14",
        "2002:5db8:d70e::1",
        "2001:0:5db8:d70e:0:0:a247:28f1",
    ],
)
def test_a_public_address_is_accepted(address: str) -> None:
    assert is_public(address)


@each("text", ["", "localhost", "assistant.example", "1", "127.1", "0x7f.1", "1.2.3.4.5", "[::1]"])
def test_other_text_is_not_an_address(text: str) -> None:
    assert not is_public(text)
