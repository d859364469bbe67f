"""The changelog as a page and as a feed."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from studyservice.guides import views
from studyservice.guides.catalog import Guide
from tests import ROOT

pytestmark = [pytest.mark.database("sqlite", "page layout"), pytest.mark.django_db]

ATOM = "{http://www.w3.org/2005/Atom}"
BASE = "http://127.0.0.1:8000"
CHANGELOG = """# Changelog

What changes.

## [Unreleased]

- A new page at `/keys`.

## [1.1.0] - 2026-12-01

### Added

- Feeds & more.

## 1.0.0 - 2026-11-22

- The first.
"""


def feed(client: Client) -> ET.Element:
    return ET.fromstring(client.get("/changelog.atom").content)  # noqa: S314  # our own


@pytest.fixture
def three_versions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A changelog with two releases, only for this test."""
    file = tmp_path / "CHANGELOG.md"
    file.write_text(CHANGELOG)
    at = datetime(2026, 12, 2, 10, tzinfo=UTC).timestamp()
    os.utime(file, (at, at))
    monkeypatch.setattr(views, "CHANGELOG", Guide("changelog", str(file), ""))
    views.entries.cache_clear()
    yield
    views.entries.cache_clear()


def test_the_page_shows_the_file_and_links_the_feed(client: Client) -> None:
    page = client.get("/changelog").content.decode()
    assert "<h1>Changelog</h1>" in page
    assert '<link rel="alternate" type="application/atom+xml" title="What changed" href="/changelog.atom">' in page
    assert "within <code>/v1</code> changes only add" in page
    assert "within `/v1` changes only add" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.usefixtures("three_versions")
def test_each_version_is_an_entry(client: Client) -> None:
    found = feed(client)
    entries = [
        [entry.findtext(f"{ATOM}{name}") for name in ("id", "title", "updated", "published")]
        for entry in found.findall(f"{ATOM}entry")
    ]
    unreleased, second, first = "2026-12-02T10:00:00+00:00", "2026-12-01T00:00:00+00:00", "2026-11-22T00:00:00+00:00"
    assert entries == [
        [f"{BASE}/changelog#unreleased", "Not released yet", unreleased, unreleased],
        [f"{BASE}/changelog#110---2026-12-01", "Version 1.1.0", second, second],
        [f"{BASE}/changelog#100---2026-11-22", "Version 1.0.0", first, first],
    ]
    [summary] = [entry.findtext(f"{ATOM}summary") for entry in found.findall(f"{ATOM}entry")][1:2]
    assert summary == '<h3 id="added">Added</h3>\n<ul>\n<li>Feeds &amp; more.</li>\n</ul>\n'
    assert found.findtext(f"{ATOM}updated") == unreleased
    links = {link.get("rel"): link.get("href") for link in found.findall(f"{ATOM}link")}
    assert links == {"alternate": f"{BASE}/changelog", "self": f"{BASE}/changelog.atom"}


def test_the_feed_has_the_address_of_the_service_for_any_host(client: Client) -> None:
    answer = client.get("/changelog.atom", headers={"Host": "localhost"})
    assert b"localhost" not in answer.content
    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert not answer.cookies


def test_an_unchanged_feed_is_sent_once(client: Client) -> None:
    first = client.get("/changelog.atom")
    changed = datetime.strptime(first.headers["Last-Modified"], "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC)
    assert changed == max(entry.changed_at for entry in views.entries()).replace(microsecond=0)
