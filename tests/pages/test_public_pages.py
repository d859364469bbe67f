"""Public pages: text for search engines, robots rules, and compression."""

import gzip
import re
from html import unescape
from urllib.robotparser import RobotFileParser

import pytest
from django.test import Client

from accounts.models import Member
from studyservice.guides.catalog import GUIDES
from tests.conftest import MakeKey
from tests.server.test_caching import all_addresses
from tests.support.cases import each
from tests.support.world import bearer

pytestmark = [pytest.mark.database("sqlite", "page layout"), pytest.mark.django_db]

_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)">')
_BODIES = ["/docs", "/openapi.json", "/docs/guides", "/docs/errors", "/docs/search.json", "/changelog"]


def addresses() -> list[str]:
    """Every URL except the admin's, whose pages are Django's own."""
    found = [*all_addresses(), *(f"/docs/{guide.slug}" for guide in GUIDES)]
    return [address for address in found if not address.startswith("/admin")]


def answers(client: Client) -> dict[str, str]:
    """Every URL with a public page, and its page."""
    told = {address: client.get(address) for address in addresses()}
    return {
        address: answer.content.decode()
        for address, answer in told.items()
        if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html")
    }


def test_every_public_page_has_a_unique_description(client: Client) -> None:
    pages = answers(client)
    assert {"/", "/docs", "/docs/guides", "/docs/quickstart", "/changelog", "/sign-in"} <= set(pages)
    found = {address: [unescape(text) for text in _DESCRIPTION.findall(page)] for address, page in pages.items()}
    assert [address for address, texts in found.items() if len(texts) != 1 or not 20 <= len(texts[0]) <= 160] == []
    assert len({texts[0] for texts in found.values()}) == len(found)


def test_robots_can_visit_public_pages_and_no_pages_that_require_signing_in(client: Client) -> None:
    """Google Calendar requests `/robots.txt` before it reads a feed, and assistants before they read metadata."""
    answer = client.get("/robots.txt")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    robots = RobotFileParser()
    robots.parse(answer.content.decode().splitlines())

    def refused(*paths: str) -> list[str]:
        return [path for path in paths if not robots.can_fetch("Google-Calendar-Importer", path)]

    assert refused("/v1/me", "/mcp", "/oauth/token", "/.well-known/oauth-protected-resource", "/openapi.json") == []
    assert refused("/calendar/svc_cal_abc.ics", *answers(client)) == []
    behind = [path for path in addresses() if client.get(path).headers.get("Location", "").startswith("/sign-in")]
    assert {"/keys", "/account", "/courses", "/activity"} <= set(behind)
    behind.append("/admin/")
    assert refused(*behind) == behind


@each("path", _BODIES)
def test_public_pages_are_compressed_if_accepted(client: Client, path: str) -> None:
    plain = client.get(path)
    assert "Content-Encoding" not in plain.headers
    small = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.content) == plain.content
    assert int(small.headers["Content-Length"]) == len(small.content) < len(plain.content) / 2
    for answer in (plain, small):
        assert "accept-encoding" in answer.headers["Vary"].lower(), "a cache must tell the two apart"


@each("path", _BODIES)
def test_head_describes_what_get_would_send(client: Client, path: str) -> None:
    head = client.head(path, headers={"Accept-Encoding": "gzip"})
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Encoding"] == "gzip"


def test_no_answer_with_a_secret_is_compressed(client: Client, owner_member: Member, make_key: MakeKey) -> None:
    """Its length would reveal its contents (BREACH)."""
    secret, _ = make_key(owner_member)
    client.force_login(owner_member)
    for path in ("/", "/keys", "/account", "/sign-in", "/v1/me", "/admin/login/"):
        answer = client.get(path, headers={"Accept-Encoding": "gzip", **bearer(secret)})
        assert "Content-Encoding" not in answer.headers, path


def test_the_form_token_differs_in_every_compressed_page(client: Client, owner_member: Member) -> None:
    client.force_login(owner_member)
    pages = [client.get("/docs/guides").content.decode() for _ in range(2)]
    one, other = (re.findall('name="csrfmiddlewaretoken" value="([^"]+)"', page) for page in pages)
    assert one
    assert one != other
