"""The manifest for a home screen (W3C Web Application Manifest) and its icons, read without cookies."""

import json
import re
import struct
from typing import Any
from urllib.parse import urljoin

import pytest
from django.http import HttpResponseBase
from django.test import Client

from tests.support.cases import each

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "static files")]


def address_of(relation: str) -> str:
    """The address of a link in the head of every page. A `crossorigin` would make the browser send cookies."""
    [(tag, address)] = re.findall(rf'(<link rel="{relation}" href="([^"]+)">)', Client().get("/").content.decode())
    assert tag.count("=") == 2
    return str(address)


def body_of(response: HttpResponseBase) -> bytes:
    assert response.status_code == 200
    assert not response.cookies
    return b"".join(response)


def read(path: str) -> tuple[str, bytes]:
    """The type and the body of a file, for a client without cookies."""
    response = Client().get(path)
    return response.headers["Content-Type"], body_of(response)


@pytest.fixture
def manifest() -> dict[str, Any]:
    kind, body = read(address_of("manifest"))
    assert kind == "application/manifest+json"
    return dict(json.loads(body))


def test_it_has_what_a_browser_needs_to_install_the_service(manifest: dict[str, Any]) -> None:
    needed = {"name", "short_name", "start_url", "display", "theme_color", "background_color", "icons", "id", "scope"}
    assert needed <= manifest.keys()
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    assert len(manifest["short_name"]) <= 12
    assert Client().get(manifest["start_url"]).status_code == 200


def test_its_icons_have_the_sizes_that_it_says(manifest: dict[str, Any]) -> None:
    found = set()
    for icon in manifest["icons"]:
        kind, body = read(urljoin(address_of("manifest"), icon["src"]))
        assert kind == icon["type"]
        if kind == "image/png":
            width, height = struct.unpack(">II", body[16:24])
            assert icon["sizes"] == f"{width}x{height}"
            found.add((width, icon.get("purpose", "any")))
    assert found == {(192, "any"), (512, "any"), (512, "maskable")}


def test_the_icon_of_an_apple_home_screen_is_opaque() -> None:
    kind, body = read(address_of("apple-touch-icon"))
    assert kind == "image/png"
    width, height, _, color = struct.unpack(">IIBB", body[16:26])
    assert (width, height, color) == (180, 180, 2), "180 pixels, without an alpha channel"


@each("path", ["/", "/sign-in", "/docs", "/nowhere"])
def test_every_page_may_load_it(path: str) -> None:
    assert "manifest-src 'self'" in Client().get(path).headers["Content-Security-Policy"]
