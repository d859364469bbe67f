"""Reading that got too little CPU time is not the file's fault, so the file can be sent again."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import MULTIPART_CONTENT

from accounts.models import Member
from studyservice.rates.limiter import Rate, peek
from tests.support.calendar_files import one_deadline
from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import multipart
from tests.support.world import error_of

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.usefixtures("started_readings"),
    pytest.mark.database("sqlite", "processes that read files"),
]

LONG_TEXT = "Week 1\nand so on" * 5_000
CARDS = b"term,definition\nmitosis,division\n"


@pytest.fixture
def starved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every reading times out before it begins, as if other processes used the CPU."""
    monkeypatch.setattr("studyservice.reading.process.WALL_SECONDS", 0.01)


def sent(owner: RestEntryPoint, path: str, file: bytes, **headers: str) -> Any:
    return owner.client.generic("POST", path, multipart(file), content_type=MULTIPART_CONTENT, headers=headers)


def is_to_be_sent_again(response: Any) -> bool:
    assert response.status_code == 500, response.content
    return (error_of(response)["type"], response.headers["Retry-After"]) == ("internal_error", "5")


@pytest.mark.parametrize(
    ("path", "file", "rate"),
    [
        ("/v1/syllabi", b"Week 1", Rate.SYLLABI),
        ("/v1/courses/{course}/calendar", one_deadline(), Rate.CALENDAR_IMPORTS),
        ("/v1/vocab-decks/import", CARDS, Rate.DECK_IMPORTS),
    ],
    ids=["syllabus", "calendar", "deck"],
)
def test_a_starved_reading_counts_once_and_stores_nothing(
    owner: RestEntryPoint,
    owner_member: Member,
    course: Any,
    monkeypatch: pytest.MonkeyPatch,
    *,
    path: str,
    file: bytes,
    rate: Rate,
) -> None:
    path, key = path.format(course=course["id"]), {"Idempotency-Key": "one"}
    before = owner.made("list_changes")["data"]
    with monkeypatch.context() as starved:
        starved.setattr("studyservice.reading.process.WALL_SECONDS", 0.01)
        assert is_to_be_sent_again(sent(owner, path, file, **key))
    assert peek(rate, str(owner_member.id)).remaining == 59
    assert owner.made("list_changes")["data"] == before
    again = sent(owner, path, file, **key)
    assert again.status_code in (200, 201)
    assert "Idempotency-Replayed" not in again.headers


@pytest.mark.usefixtures("starved")
def test_a_starved_reading_of_a_long_text_counts_once(owner: RestEntryPoint, owner_member: Member) -> None:
    assert is_to_be_sent_again(owner.client.post("/v1/syllabi", {"text": LONG_TEXT}, content_type="application/json"))
    assert peek(Rate.SYLLABI, str(owner_member.id)).remaining == 59


@pytest.mark.usefixtures("starved")
def test_a_starved_archive_is_not_called_broken(owner: RestEntryPoint) -> None:
    assert is_to_be_sent_again(sent(owner, "/v1/import", owner.made("export_data")))


@pytest.mark.usefixtures("starved")
def test_pages_ask_to_send_the_file_again(owner_member: Member, course: Any) -> None:
    browser = Client()
    browser.force_login(owner_member)
    for path, file in (("/decks/import", CARDS), (f"/courses/{course['id']}/calendar", one_deadline())):
        page = browser.post(path, {"file": SimpleUploadedFile("a", file)})
        assert (page.status_code, page.headers["Retry-After"]) == (500, "5")
        assert "too busy to read" in page.content.decode()
