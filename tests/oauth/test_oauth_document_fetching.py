"""Documents of apps are fetched only from public addresses, within five seconds (decisions 10)."""

import json
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.conf import settings as live_settings
from django.utils import timezone

from tests.support.documents import DOCUMENT, published
from tests.support.internet import PUBLIC, Answer, Internet, answer, dripping, moved
from tests.support.oauth import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.database("sqlite", "fetches documents")]


@pytest.fixture(autouse=True)
def _no_memory_of_failures() -> None:
    from django.core.cache import cache

    cache.clear()


@pytest.mark.parametrize(
    ("client_id", "address"),
    [
        ("https://localhost/client.json", "127.0.0.1"),
        ("https://127.0.0.1/client.json", "127.0.0.1"),
        ("https://[::1]/client.json", "::1"),
        ("https://metadata.example/latest", "169.254.169.254"),
        ("https://inside.example/client.json", "10.0.0.7"),
        ("https://mapped.example/client.json", "::ffff:10.0.0.7"),
        ("https://[::127.0.0.1]/client.json", "::127.0.0.1"),
        ("https://[64:ff9b:1::7f00:1]/client.json", "64:ff9b:1::7f00:1"),
        ("https://[fec0::1]/client.json", "fec0::1"),
        ("https://[::ffff:0:7f00:1]/client.json", "::ffff:0:7f00:1"),
        ("https://[3fff::1]/client.json", "3fff::1"),
        ("https://[5f00::1]/client.json", "5f00::1"),
        ("https://user@assistant.example/client.json", PUBLIC),
        ("https://assistant.example/../client.json", PUBLIC),
        ("https://assistant.example", PUBLIC),
        ("https://assistant.example/client.json#part", PUBLIC),
        ("http://assistant.example/client.json", PUBLIC),
        ("https://assistant.example:99999/client.json", PUBLIC),
        ("https://[::1/client.json", PUBLIC),
    ],
)
def test_the_server_never_connects_to_private_addresses(
    internet: Internet, owner_member: Any, client_id: str, address: str
) -> None:
    """Invalid ids are not fetched either, whatever the name resolves to."""
    with suppress(ValueError):
        internet.names = {urlsplit(client_id).hostname or "": [address]}
    response = Browser(owner_member).visit(published(client_id).query())
    assert response.status_code == 400
    assert internet.tried == []


def test_one_private_address_rejects_the_name(internet: Internet, owner_member: Any) -> None:
    internet.names = {"assistant.example": [PUBLIC, "10.0.0.7"]}
    assert Browser(owner_member).visit(published().query()).status_code == 400
    assert internet.tried == []


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX: ",
        b"HT",
    ],
    ids=["body", "header", "status"],
)
def test_a_slow_host_is_aborted_at_the_deadline(
    internet: Internet, settings: Any, owner_member: Any, start: bytes
) -> None:
    settings.OAUTH2_PROVIDER = live_settings.OAUTH2_PROVIDER | {"CIMD_FETCH_TIMEOUT_SECONDS": 0.5}
    internet.serve("assistant.example", dripping(start))
    browser = Browser(owner_member)
    began = time.monotonic()
    assert b"could not be read" in browser.visit(published().query()).content
    assert time.monotonic() - began < 5
    assert len(internet.requests) == 1


def test_fetching_a_document_takes_at_most_five_seconds() -> None:
    assert live_settings.OAUTH2_PROVIDER["CIMD_FETCH_TIMEOUT_SECONDS"] == 5


@pytest.mark.parametrize(
    "answered",
    [
        moved("https://assistant.example/other.json"),
        answer(b"{}", Content_Type="text/html"),
        answer(b"{", Content_Type="application/json"),
        answer(b"[]", Content_Type="application/json"),
        answer(b"[" * 10_000, Content_Type="application/json"),
        answer(b"{}", Content_Type="application/json", Content_Encoding="gzip"),
        answer(b'{"a": "%s"}' % (b"a" * 16 * 1024), Content_Type="application/json"),
        answer(status="404 Not Found"),
        answer(status="304 Not Modified"),
    ],
    ids=["redirect", "html", "cut", "list", "nested", "encoded", "large", "missing", "unchanged"],
)
def test_an_invalid_document_is_unreadable(internet: Internet, owner_member: Any, answered: Answer) -> None:
    internet.serve("assistant.example", answered)
    assert b"could not be read" in Browser(owner_member).visit(published().query()).content
    assert len(internet.requests) == 1


@pytest.mark.parametrize(
    ("header", "minutes"),
    [("max-age=3600", 60), ("public, max-age=5", 5), ("no-store", 5), ("max-age=99999999", 1440), ("", 1440)],
)
def test_it_is_cached_as_long_as_its_host_allows(
    internet: Internet, owner_member: Any, header: str, minutes: int
) -> None:
    """From five minutes to a day."""
    body = json.dumps(DOCUMENT).encode()
    internet.serve("assistant.example", answer(body, Content_Type="application/json", Cache_Control=header))
    browser = Browser(owner_member)
    for later, requests in ((0, 1), (minutes * 60 - 30, 1), (minutes * 60 + 30, 2)):
        with time_machine.travel(timezone.now() + timedelta(seconds=later)):
            browser.visit(published().query())
        assert len(internet.requests) == requests, later


@pytest.mark.django_db(transaction=True)
def test_too_many_concurrent_fetches_ask_to_try_again(
    internet: Internet, owner_member: Any, in_threads: Callable[..., list[Any]]
) -> None:
    """Of three at once, two are fetched and the third is rejected."""
    refused = Event()

    def write(head: str, connection: ssl.SSLSocket) -> None:
        refused.wait(4)
        answer(status="404 Not Found")(head, connection)

    internet.serve("assistant.example", write)

    def visit(number: int) -> Any:
        shown = Browser(owner_member).visit(published(f"https://assistant.example/{number}").query())
        if shown.status_code == 503:
            refused.set()
        return shown

    answers = sorted(in_threads(visit, range(3)), key=lambda answer: answer.status_code)
    assert [answer.status_code for answer in answers] == [400, 400, 503]
    assert answers[-1].headers["Retry-After"] == "5"
    assert b"could not be requested" in answers[-1].content
