"""Text files with a few wrong bytes: create_syllabus, and `decoded` directly."""

from typing import Any

import pytest

from courses.syllabi.reading.media_types import decoded
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import multipart

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.rest,
    pytest.mark.database("sqlite", "reads files"),
    pytest.mark.usefixtures("files"),
]

FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"
EXAM = "Thu, Dec 3 2026: Prüfung in Zürich"


def uploaded(owner: RestEntryPoint, content: bytes, filename: str = "syllabus.txt") -> Any:
    """The text and the warnings of an upload."""
    sent = owner.client.post("/v1/syllabi", multipart(content, filename=filename), content_type=FORM).json()
    syllabus = owner.made("get_syllabus", syllabus_id=sent["id"], include_text=True)
    assert syllabus["proposal"] == sent["proposal"]
    return syllabus["text"], syllabus["proposal"]["warnings"]


@each(
    ("content", "text"),
    [
        ("Übungsblatt 3 ".encode() + b"\xf0\x9f\n \x98\x80 notes", "Übungsblatt 3 �\n �� notes"),
        ("Zürich".encode() + b" \xff", "Zürich �"),
        ("Straße\n".encode() + "Café".encode("cp1252"), "Straße\nCaf�"),
        ("日本語の".encode() + "本".encode()[:2], "日本語の�"),
        (b"\xef\xbb\xbfCaf\xe9", "Caf�"),
        (b"Week 1\x81, then week 2", "Week 1�, then week 2"),
        ("Größe 12 €".encode("utf-16") + b"!", "Größe 12 €�"),
    ],
)
def test_wrong_bytes_of_utf_8_cost_one_character_each(content: bytes, text: str) -> None:
    assert decoded(content) == text


@each(
    ("content", "text"),
    [
        ("Café, Spaß”".encode("cp1252"), "Café, Spaß”"),
        ("„Der große Spaß“".encode("cp1252"), "„Der große Spaß“"),
        ("Größe – 12 €".encode(), "Größe – 12 €"),
        ("already lost: caf�".encode(), "already lost: caf�"),
    ],
)
def test_other_encodings_and_valid_utf_8_are_read_as_before(content: bytes, text: str) -> None:
    assert decoded(content) == text


@each(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfa", "a"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", "a"),
        (b"a\r\n\xef\xbb\xbfb", "a\r\nb"),
        ("\ufeffa\n\ufeffb".encode("utf-16"), "a\nb"),
        ("\ufeffa\n".encode() + b"\xef\xbb\xbf", "a\n"),
        ("a \ufeffb".encode(), "a b"),
    ],
)
def test_a_byte_order_mark_is_not_a_character(content: bytes, text: str) -> None:
    assert decoded(content) == text


@each("content", [b"\x81\x8d neither of them", b"\xff\xfeo"])
def test_bytes_in_no_encoding_are_rejected(content: bytes) -> None:
    assert decoded(content) is None


def test_a_syllabus_warns_of_characters_that_could_not_be_read(owner: RestEntryPoint) -> None:
    text, warnings = uploaded(owner, EXAM.encode() + b" \xff\nRoom \xe9")
    assert text == f"{EXAM} �\nRoom �"
    assert warnings == [
        {
            "type": "unreadable_characters",
            "message": "2 characters could not be read: � is in the place of each. "
            "Check the words and dates around it.",
            "index": None,
        }
    ]


def test_html_with_a_wrong_byte_warns_too(owner: RestEntryPoint) -> None:
    text, warnings = uploaded(owner, f"<html><p>{EXAM}</p>".encode() + b"<p>\xff</p></html>", "a.html")
    assert text == f"{EXAM}\n\n�"
    assert [one["message"].partition(":")[0] for one in warnings] == ["1 character could not be read"]


@each("content", [EXAM.encode(), EXAM.encode("cp1252"), EXAM.encode("utf-8-sig")])
def test_a_text_in_a_known_encoding_has_no_warning(owner: RestEntryPoint, content: bytes) -> None:
    assert uploaded(owner, content) == (EXAM, [])
