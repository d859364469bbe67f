"""Spellings of a resource (RFC 8707, decisions 10). test_oauth_token.py tests where the tokens work."""

import pytest

from oauthserver.clients import normalized
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "spellings of an address")


@each(
    "spelling",
    [
        "https://study.example/mcp",
        "https://study.example/mcp/",
        "HTTPS://Study.EXAMPLE/mcp",
        "https://study.example:443/mcp",
        "https://study.example:/mcp/",
    ],
)
def test_spellings_of_one_address_are_equal(spelling: str) -> None:
    assert normalized(spelling) == "https://study.example/mcp"


@each(
    "other",
    [
        "http://study.example/mcp",
        "https://study.example:80/mcp",
        "https://study.example:8443/mcp",
        "https://study.example.evil.example/mcp",
        "https://user@study.example/mcp",
        "https://study.example/MCP",
        "https://study.example/mcp//",
        "https://study.example//mcp",
        "https://study.example/%6dcp",
        "https://study.example/mcp?",
        "https://study.example/mcp#",
        "https://study.example/mcp\n",
        " https://study.example/mcp",
        "https:study.example/mcp",
        "mcp",
        "",
    ],
)
def test_different_addresses_differ(other: str) -> None:
    assert normalized(other) != "https://study.example/mcp"


def test_a_custom_port_is_kept() -> None:
    assert normalized("HTTP://[::1]:8000/") == "http://[::1]:8000"
