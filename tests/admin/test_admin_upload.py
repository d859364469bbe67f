"""Uploads of a syllabus file to the admin in all HTTP/1.1 framings, through the running server."""

import http.client
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

import pytest

from tests.support.server import PASSWORD, Server

pytestmark = pytest.mark.database("sqlite", "HTTP framing")

OPERATOR = "uploads@example.org"
ADD = "/admin/courses/course/add/"
MIB = 1024 * 1024


class Browser:
    """The browser of an operator on one server."""

    def __init__(self, server: Server) -> None:
        self._port = urlsplit(server.url).port
        self._cookies: dict[str, str] = {}

    def ask(self, method: str, path: str, body: Any = None, content_type: str = "", chunked: bool = False) -> Any:
        """Status and content of the page."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        if content_type:
            headers["Content-Type"] = content_type
        if body and not chunked:
            headers["Content-Length"] = str(len(body))
            body = [body]
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request(method, path, body, headers, encode_chunked=chunked)
        answer = connection.getresponse()
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name] = value
        page = answer.read().decode()
        connection.close()
        return answer.status, page

    def token(self, path: str) -> str:
        """The form token of a page."""
        _, page = self.ask("GET", path)
        return str(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0])


@pytest.fixture(scope="module")
def browser(server: Server) -> Browser:
    server.command("createmember", OPERATOR, "--staff", "--password", PASSWORD)
    browser = Browser(server)
    form = {"csrfmiddlewaretoken": browser.token("/sign-in"), "email": OPERATOR, "password": PASSWORD}
    status, _ = browser.ask("POST", "/sign-in", urlencode(form).encode(), "application/x-www-form-urlencoded")
    assert status == 302
    return browser


def new_course(browser: Browser, name: str, size: int, token: str) -> tuple[bytes, str]:
    """The form for a course with a file of `size` bytes, and its content type."""
    _, page = browser.ask(
        "GET", f"/admin/autocomplete/?app_label=courses&model_name=course&field_name=member&term={OPERATOR}"
    )
    [member] = re.findall(r'"id": "([0-9a-f-]{36})"', page)
    fields = {"csrfmiddlewaretoken": token, "member": member, "name": name, "term": "Fall semester"}
    fields |= {"syllabus_files-TOTAL_FORMS": "1", "syllabus_files-INITIAL_FORMS": "0"}
    parts = [f'--x\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields.items()]
    disposition = 'Content-Disposition: form-data; name="syllabus_files-0-file"; filename="a.txt"'
    head = "".join(parts) + f"--x\r\n{disposition}\r\nContent-Type: text/plain\r\n\r\n"
    return head.encode() + b"a" * size + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"


def pieces(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), 65_536):
        yield body[start : start + 65_536]


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("size", [1000, 2 * MIB])
def test_a_file_arrives_completely_or_is_rejected(browser: Browser, size: int, chunked: bool) -> None:
    """Neither a partial file nor a page that confirms it may appear. Browsers declare the length."""
    name = f"Course {uuid4()}"
    body, content_type = new_course(browser, name, size, browser.token(ADD))
    status, page = browser.ask("POST", ADD, pieces(body) if chunked else body, content_type, chunked)
    _, listed = browser.ask("GET", f"/admin/courses/course/?{urlencode({'q': name})}")
    if status != 302:
        assert chunked
        assert size > MIB
        assert status in {400, 413}
        assert "could not be read" in page or "too much for one form" in page
        assert not re.search(r"/admin/courses/course/[0-9a-f-]{36}/change/", listed)
        return
    [change] = set(re.findall(r"/admin/courses/course/[0-9a-f-]{36}/change/", listed))
    _, form = browser.ask("GET", change)
    [file] = re.findall(r'href="(/admin/courses/course/syllabi/[^"]+)"', form)
    assert browser.ask("GET", file) == (200, "a" * size)
