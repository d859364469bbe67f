"""`make pictures`: retake the pictures of pages in docs/images with the data of the demo member.

It starts a trial in a temporary directory. Each picture is the first screen of a page at 1,280 or 390 pixels, light or
dark: `week-1280-light.png`.
"""

import base64
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Literal
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from tests import ROOT
from tests.pages.browser.conftest import CHROMIUM, FLAGS

IMAGES = ROOT / "docs" / "images"

SCREENS = ((1280, 800), (390, 844))
"""Widths and heights in pixels."""

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

CALLBACK = "https://planner.example/callback"

REDUCE = """async picture => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + picture)).blob());
    const {width, height} = bitmap, context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const {data} = context.getImageData(0, 0, width, height), counts = new Map(), near = new Map();
    const color = at => data[at] << 16 | data[at + 1] << 8 | data[at + 2];
    for (let at = 0; at < data.length; at += 4) counts.set(color(at), (counts.get(color(at)) || 0) + 1);
    const palette = [...counts].sort((one, other) => other[1] - one[1]).slice(0, 256).map(([one]) => one);
    const apart = (one, other) => [16, 8, 0].reduce(
        (sum, bits) => sum + ((one >> bits & 255) - (other >> bits & 255)) ** 2, 0);
    const nearest = one => palette.reduce(
        (best, other, at) => apart(one, other) < apart(one, palette[best]) ? at : best, 0);
    for (const one of counts.keys()) near.set(one, nearest(one));
    let pixels = "";
    for (let at = 0; at < data.length; at += 4) pixels += String.fromCharCode(near.get(color(at)));
    return {width, height, palette, pixels: btoa(pixels)};
}"""
"""Finds the 256 most frequent colors of a PNG, and the index of the nearest one for each pixel."""


@contextmanager
def _trial() -> Iterator[tuple[str, str, str]]:
    """The origin of a new trial, and the demo member's e-mail address and password."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with tempfile.TemporaryDirectory() as directory:
        environment = os.environ | {"DATA_DIR": directory, "HOST": "127.0.0.1", "PORT": str(port)}
        environment["BASE_URL"] = f"http://127.0.0.1:{port}"
        with subprocess.Popen(
            [sys.executable, "-m", "studyservice.trial"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as server:
            try:
                printed = ""
                for line in server.stdout or ():
                    printed += line
                    if "Booting worker" in line:
                        break
                else:
                    raise SystemExit(printed)
                [(email, password)] = re.findall(r"e-mail +(\S+@\S+)\s+password +(\S+)", printed)
                yield environment["BASE_URL"], email, password
            finally:
                server.send_signal(signal.SIGTERM)
                server.communicate()


def _sign_in(page: Page, email: str, password: str) -> None:
    page.goto("/sign-in")
    form = page.locator("form", has=page.get_by_label("Password"))
    form.get_by_label("E-mail address").fill(email)
    form.get_by_label("Password").fill(password)
    form.get_by_role("button").click()
    page.wait_for_url("/")


def _linked(page: Page, path: str, name: str) -> str:
    """The path of the first link with this text in the main part of a page."""
    page.goto(path)
    found = page.locator("main").get_by_role("link", name=name, exact=True).first.get_attribute("href")
    return str(found)


def _consent(page: Page) -> str:
    """The path of the consent page of an app."""
    app = {"client_name": "Study Planner", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
    registered = page.request.post("/oauth/register", data=app).json()
    asked = {
        "response_type": "code",
        "client_id": registered["client_id"],
        "redirect_uri": CALLBACK,
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",  # the example of RFC 7636
        "code_challenge_method": "S256",
        "state": "xyz",
    }
    return f"/oauth/authorize?{urlencode(asked)}"


def _reduced(page: Page, picture: bytes) -> bytes:
    """The PNG with 256 colors, which halves its size."""
    found = page.evaluate(REDUCE, base64.b64encode(picture).decode())
    width, pixels = found["width"], base64.b64decode(found["pixels"])
    rows = b"".join(b"\0" + pixels[at : at + width] for at in range(0, len(pixels), width))
    header = struct.pack(">IIBBBBB", width, found["height"], 8, 3, 0, 0, 0)
    palette = b"".join(color.to_bytes(3, "big") for color in found["palette"])
    parts = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )


def _pages(page: Page) -> dict[str, str]:
    """The path of each page, by the name of its pictures."""
    course = _linked(page, "/courses", "Cell Biology")
    return {
        "week": "/",
        "upcoming": "/upcoming",
        "month": f"/upcoming/{datetime.now(UTC) + timedelta(days=14):%Y-%m}",
        "course": course,
        "item": _linked(page, course, "Midterm exam"),
        "study": "/study",
        "deck": _linked(page, "/decks", "Organelles"),
        "consent": _consent(page),
    }


def take() -> None:
    """Take all pictures, replacing the existing ones."""
    if not CHROMIUM:
        raise SystemExit("No Chromium: install one, or name it in CHROMIUM.")
    with _trial() as (origin, email, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_context(base_url=origin, reduced_motion="reduce").new_page()
        reducer = browser.new_page()
        _sign_in(page, email, password)
        for name, path in _pages(page).items():
            for width, height in SCREENS:
                page.set_viewport_size({"width": width, "height": height})
                page.goto(path)
                if name == "study":
                    page.get_by_text("Show", exact=True).click()
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    picture = _reduced(reducer, page.screenshot())
                    (IMAGES / f"{name}-{width}-{scheme}.png").write_bytes(picture)
        browser.close()


if __name__ == "__main__":
    take()
