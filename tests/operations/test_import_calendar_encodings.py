"""import_calendar: files whose lines are folded within a character, or that have bytes that are in no encoding."""

from typing import Any

import pytest

from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import multipart

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "reads files"),
    pytest.mark.time_machine("2026-11-22T12:00:00Z", tick=False),
]

FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"


def titles(owner: RestEntryPoint, course: Any, file: bytes) -> list[str]:
    """The titles of the new items of a file."""
    response = owner.client.post(f"/v1/courses/{course['id']}/calendar", multipart(file), content_type=FORM)
    assert response.status_code == 200, response.content
    return [one["title"] for one in response.json()["new"]]


def file_with(title: bytes, *, more: bytes = b"") -> bytes:
    """A file with one deadline, whose title and further lines are bytes."""
    file = calendar(CANVAS, deadline("a", "20261203", "TITLE"))
    return file.replace(b"SUMMARY:TITLE\r\n", b"SUMMARY:" + title + b"\r\n" + more)


FOLDED = [
    (file_with("Übungsblatt 3".encode(), more=b"DESCRIPTION:aaa\xc3\r\n \xbc notes\r\n"), "Übungsblatt 3"),
    (file_with(b"\xc3\r\n \x9cbungsblatt 3"), "Übungsblatt 3"),
    (file_with(b"\xc3\n\t\x9cbungsblatt 3").replace(b"\r\n", b"\n"), "Übungsblatt 3"),
    (file_with("小テスト".encode()[:4] + b"\r\n " + "小テスト".encode()[4:]), "小テスト"),
    (file_with("Quiz 🎓".encode()[:7] + b"\r\n " + "Quiz 🎓".encode()[7:]), "Quiz 🎓"),
    (file_with("Übung".encode() + b"\r\n s\r\n blatt"), "Übungsblatt"),
    (file_with(b"\xc3\r \x9cbungsblatt 3").replace(b"\r\n", b"\r"), "Übungsblatt 3"),
]
"""Lines folded within a character, or near one."""

BROKEN = [
    (file_with("Übungsblatt 3".encode(), more=b"DESCRIPTION:a \xff b\r\n"), "Übungsblatt 3"),
    (file_with("Übungsblatt ".encode() + b"\xe93"), "Übungsblatt �3"),
    (file_with("Übungsblatt 3, für alle".encode(), more=b"LOCATION:H\xf6rsaal \x96 2\r\n"), "Übungsblatt 3, für alle"),
    (file_with("小テスト".encode()[:-1]), "小テス�"),
    (file_with("日本語のレポート".encode(), more=b"DESCRIPTION:\xe3\x81\r\n"), "日本語のレポート"),
    (b"\xef\xbb\xbf" + file_with("Essay \xff 3".encode("latin-1")), "Essay � 3"),
    ("\ufeff".encode() + file_with("\ufeffÜbung\ufeff 1".encode()), "Übung 1"),
]
"""Files in UTF-8 but for a few bytes, and byte order marks."""

OTHERS = [
    (file_with("Prüfung für alle".encode("cp1252")), "Prüfung für alle"),
    (file_with(b"Caf\xe9 report"), "Café report"),
    (file_with("“Essay” – 3".encode("cp1252")), "“Essay” – 3"),
    (file_with("100 € � Übung".encode()), "100 € � Übung"),
    (file_with("Blatt\xa03".encode()), "Blatt 3"),
]
"""Files that have always been read so."""


@each("file, title", [*FOLDED, *BROKEN, *OTHERS])
def test_broken_bytes_cost_only_their_own_characters(
    owner: RestEntryPoint, course: Any, file: bytes, title: str
) -> None:
    assert titles(owner, course, file) == [title]


@each("content", [b"\xff\xfe\xff", b"\xef\xbb\xbf", b"B\0E\0", bytes(range(256))])
def test_bytes_that_are_no_calendar_are_400(owner: RestEntryPoint, course: Any, content: bytes) -> None:
    response = owner.client.post(f"/v1/courses/{course['id']}/calendar", multipart(content), content_type=FORM)
    assert response.status_code == 400
