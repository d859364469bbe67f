"""Bodies of pages are counted, then measured, then read, in this order."""

from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.support.server import Server

pytestmark = [pytest.mark.database("sqlite", "HTTP framing"), pytest.mark.django_db]

LIMIT = 64 * 1024
FORM = "application/x-www-form-urlencoded"
PAGES = [
    "/sign-in",
    "/sign-in/code",
    "/sign-out",
    "/keys",
    "/oauth/authorize",
    "/",
    "/docs",
    "/admin/",
    "/admin/login/",
]


class Unread:
    """A body that must not be read."""

    def read(self, *_: Any) -> bytes:
        raise AssertionError("the body was read")

    readline = read


@pytest.fixture
def browser() -> Client:
    """A client with a form cookie, for which Django would search the body for the token."""
    client = Client(enforce_csrf_checks=True)
    client.get("/sign-in")
    return client


def upload(client: Client, path: str, length: int = 60_000_000) -> Any:
    """The answer to a form of that length, of which no byte may be read."""
    extra: dict[str, Any] = {"CONTENT_TYPE": FORM, "CONTENT_LENGTH": str(length), "wsgi.input": Unread()}
    return client.post(path, **extra)


@pytest.mark.parametrize("path", PAGES)
def test_a_body_that_is_too_large_is_not_read(browser: Client, path: str) -> None:
    answer = upload(browser, path, LIMIT + 1)
    assert answer.status_code == 413
    assert "at most 64 kB" in answer.content.decode()
    assert answer.headers["X-Request-Id"] in answer.content.decode()


@pytest.mark.parametrize("path", ["/sign-in", "/sign-in/code"])
def test_attempts_are_counted_before_their_bodies_are_read(browser: Client, path: str) -> None:
    assert [upload(browser, path).status_code for _ in range(17)] == [413] * 15 + [429] * 2
    assert upload(browser, path, 100).status_code == 429


def test_the_longest_password_fits(client: Client, make_member: Any) -> None:
    password = "\U0001f511" * 4096
    make_member("ada@example.org", password=password)
    assert client.post("/sign-in", {"email": "ada@example.org", "password": password}).status_code == 302
    form = f"email=ada%40example.org&password={'%F0%9F%94%91' * 4096}"
    assert client.post("/sign-in", form, content_type=FORM).status_code == 302


def test_an_operator_can_send_files(admin: Client, make_member: Any, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 200_000
    path = reverse("admin:courses_course_add")
    form = {"syllabus_text": "x" * (LIMIT + 1), "files-0-file": SimpleUploadedFile("week.pdf", b"x" * LIMIT)}
    assert admin.post(path, form).status_code == 200
    answer = upload(admin, path, 200_001)
    assert (answer.status_code, "at most 195 kB" in answer.content.decode()) == (413, True)


def test_a_member_can_send_files_to_upload_pages(client: Client, make_member: Any) -> None:
    client.force_login(make_member())
    deck = SimpleUploadedFile("deck.csv", b"mitosis,division\n" * 5_000)
    assert client.post("/decks/import", {"file": deck}).status_code == 200
    most = 10 * 1024 * 1024 + LIMIT
    answer = upload(client, "/decks/import", most + 1)
    assert (answer.status_code, "at most 10,304 kB" in answer.content.decode()) == (413, True)


@pytest.mark.parametrize("path", ["/decks/import", "/courses/new"])
def test_visitors_cannot_send_files(browser: Client, path: str) -> None:
    answer = upload(browser, path, 1_000_000)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/sign-in?next={path}")


def test_a_file_without_its_form_token_is_rejected(make_member: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_member())
    answer = client.post("/decks/import", {"file": SimpleUploadedFile("deck.csv", b"mitosis,division\n" * 5_000)})
    assert (answer.status_code, "The form could not be checked" in answer.content.decode()) == (403, True)


def test_a_member_cannot_send_files_to_other_pages(client: Client, make_member: Any) -> None:
    client.force_login(make_member())
    assert upload(client, reverse("admin:courses_course_add"), LIMIT + 1).status_code == 413
    assert upload(client, "/adminer", LIMIT + 1).status_code == 404


@pytest.mark.parametrize(("length", "status"), [(LIMIT, 403), (LIMIT + 1, 413), (3 * 1024 * 1024, 413)])
def test_a_chunked_form_is_measured_too(server: Server, length: int, status: int) -> None:
    """A body within the limit is rejected for its missing form token."""
    chunks = [b"x" * min(8192, length - start) for start in range(0, length, 8192)]
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=60)
    connection.request("POST", "/keys", iter(chunks), {"Content-Type": FORM}, encode_chunked=True)
    answer = connection.getresponse()
    page = answer.read().decode()
    connection.close()
    assert (answer.status, "at most 64 kB" in page) == (status, status == 413)
