"""Hostile syllabus files on a real server: clear errors, no damage, and nothing left on disk."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test.client import MULTIPART_CONTENT

from tests.support import hostile_files as hostile
from tests.support import server as servers
from tests.support.server import ADA
from tests.support.syllabus_files import pdf
from tests.support.uploads import multipart
from tests.support.wire import Response, Wire, is_envelope
from tools.bench import machine

pytestmark = pytest.mark.database("sqlite", "reads files")

FILES: list[tuple[Callable[[], bytes], str]] = [
    (hostile.flate_bomb, "a.pdf"),
    (hostile.cyclic_page_tree, "a.pdf"),
    (hostile.form_recursion, "a.pdf"),
    (hostile.many_pages, "a.pdf"),
    (hostile.two_gigabyte_claim, "a.pdf"),
    (hostile.encrypted_pdf, "a.pdf"),
    (hostile.truncated_pdf, "a.pdf"),
    (hostile.docx_bomb, "a.docx"),
    (hostile.entities, "a.docx"),
    (hostile.external_entity, "a.docx"),
    (hostile.deep_docx, "a.docx"),
    (hostile.claimed_length, "a.docx"),
    (hostile.zip_slip, "a.docx"),
    (hostile.odt_bomb, "a.odt"),
]
REFUSED = [hostile.image_named_docx, hostile.package_of_something, hostile.many_parts]


def send(wire: Wire, content: bytes, filename: str) -> Response:
    form = multipart(content, filename=filename)
    head = wire.head("POST", "/v1/syllabi", f"Content-Type: {MULTIPART_CONTENT}", f"Content-Length: {len(form)}")
    return wire.ask(head + form)


def stored(directory: Path) -> set[str]:
    return {path.name for path in (directory / "files").rglob("*") if path.is_file()}


@pytest.mark.thorough("test_reading_files.py reads each file too, and test_cut_uploads.py checks leftovers")
def test_each_file_is_answered_and_leaves_nothing_behind(tmp_path: Path) -> None:
    data, temporary = tmp_path / "data", tmp_path / "temporary"
    for directory in (data, temporary):
        directory.mkdir()
    with servers.running(data, TMPDIR=str(temporary)) as server:
        server.command("createmember", ADA)
        wire = Wire.to(server, server.command("createapikey", ADA, "uploads")["api_key"])
        workers = machine.children(server.process.pid)
        kept = set()
        for make, filename in FILES:
            answer = send(wire, make(), filename)
            assert answer.status == 201, make.__name__
            assert re.fullmatch("read|no_text|too_large|unreadable", answer.body["text_status"])
            assert "root:" not in str(answer.body)
            kept.add(answer.body["id"])
        for make in REFUSED:
            assert is_envelope(send(wire, make(), "a.docx"), "invalid_request"), make.__name__
        assert machine.children(server.process.pid) == workers
        until = time.monotonic() + 10  # a file is removed when its request is closed, after the answer
        while any(temporary.iterdir()) and time.monotonic() < until:
            time.sleep(0.05)
        assert list(temporary.iterdir()) == []
        assert stored(data) == kept
        assert send(wire, pdf([["Thu, Dec 3: midterm exam"]]), "a.pdf").body["text_status"] == "read"
