"""create_syllabus: POST /v1/syllabi, with a file or a text."""

import hashlib
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from courses.models import Course, SyllabusFile
from studyservice.rates.limiter import Rate, peek
from studyservice.reading.process import GATE
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, SyllabusFileFactory, stored
from tests.support.hostile_files import encrypted_pdf, form_fan, image_named_docx, package_of_something
from tests.support.samples import UNKNOWN_ID
from tests.support.syllabus_files import docx, odt, pdf
from tests.support.uploads import multipart
from tests.support.world import error_of, fields_of

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements, pytest.mark.usefixtures("files")]
about_files = pytest.mark.database("sqlite", "reads files")

FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"
LINES = ["BIO 210 Cell Biology, Fall 2026", "Thu, Dec 3: midterm exam", "Quizzes 20 %", "Exams 80 %"]
TEXT = "\n".join(LINES)
DAY = timedelta(days=1)
MIB = 1024 * 1024


def send(entry_point: RestEntryPoint, file: bytes, filename: str = "syllabus.txt", key: str = "", **fields: str) -> Any:
    form = multipart(file, filename=filename, **fields)
    headers = {"Idempotency-Key": key} if key else {}
    return entry_point.client.post("/v1/syllabi", form, content_type=FORM, headers=headers)


def uploaded(entry_point: RestEntryPoint, file: bytes, filename: str = "syllabus.txt", **fields: str) -> Any:
    """The Syllabus of a new upload."""
    response = send(entry_point, file, filename, **fields)
    assert response.status_code == 201, response.content
    return response.json()


def left(files: Path) -> list[Path]:
    return [path for path in files.rglob("*") if path.is_file()]


@pytest.mark.usefixtures("started_readings")
def test_it_returns_the_file_and_its_proposal(owner: RestEntryPoint, files: Path) -> None:
    content = pdf([LINES])
    answer = uploaded(owner, content, "BIO 210.pdf")
    created, expires = (datetime.fromisoformat(answer[name]) for name in ("created_at", "expires_at"))
    assert timedelta(0) <= expires - created - DAY < timedelta(seconds=5)
    assert answer == {
        "id": ANY,
        "course_id": None,
        "filename": "BIO 210.pdf",
        "media_type": "application/pdf",
        "size": len(content),
        "pages": 1,
        "characters": len(TEXT),
        "text_status": "read",
        "created_at": ANY,
        "expires_at": ANY,
        "model": None,
        "proposal": {
            "course": {
                "name": "Cell Biology",
                "code": "BIO 210",
                "term": "Fall 2026",
                "meets": None,
                "institution": None,
                "subject": None,
            },
            "items": [
                {
                    "title": "Midterm exam",
                    "kind": "exam",
                    "due_on": "2026-12-03",
                    "due_time": None,
                    "line": 2,
                    "quote": "Thu, Dec 3: midterm exam",
                    "confidence": ANY,
                    "doubt": None,
                    "match": "new",
                    "item_id": None,
                    "evidence": None,
                    "category": "Exams",
                }
            ],
            "grade_categories": [
                {"name": "Quizzes", "weight": 20.0, "line": 3, "evidence": None, "doubt": None, "drop_lowest": 0},
                {"name": "Exams", "weight": 80.0, "line": 4, "evidence": None, "doubt": None, "drop_lowest": 0},
            ],
            "warnings": [],
            "reader": "rules",
        },
    }
    assert answer["proposal"]["items"][0]["confidence"] >= 0.8
    [path] = left(files)
    assert (path.read_bytes(), "BIO" in path.name) == (content, False)


@about_files
@each(
    ("name", "content", "media_type"),
    [
        ("a.docx", docx(LINES), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.odt", odt(LINES), "application/vnd.oasis.opendocument.text"),
        ("a.html", ("<html>" + "".join(f"<p>{line}</p>" for line in LINES)).encode(), "text/html"),
        ("a.md", TEXT.encode(), "text/markdown"),
        ("a.pdf", TEXT.encode("utf-16"), "text/plain"),
    ],
)
def test_the_type_is_detected_from_the_content(
    owner: RestEntryPoint, name: str, content: bytes, media_type: str
) -> None:
    answer = uploaded(owner, content, name)
    assert (answer["media_type"], answer["text_status"], answer["pages"]) == (media_type, "read", None)
    assert [item["due_on"] for item in answer["proposal"]["items"]] == ["2026-12-03"]


def test_a_text_is_stored_as_a_file(owner: RestEntryPoint, files: Path) -> None:
    answer = owner.made("create_syllabus", text=f"  {TEXT}\n")
    assert (answer["filename"], answer["media_type"]) == ("syllabus.txt", "text/plain")
    assert (answer["size"], answer["characters"]) == (len(TEXT.encode()), len(TEXT))
    assert len(answer["proposal"]["items"]) == 1
    assert [path.read_text() for path in left(files)] == [TEXT]


def test_a_text_of_500000_escaped_characters_is_accepted(owner: RestEntryPoint) -> None:
    assert owner.made("create_syllabus", text="é" * 500_000)["characters"] == 500_000
    assert owner.call("create_syllabus", text="é" * 500_001).fields == ["text"]


@about_files
@each("text", ["a\x07b", "{\\rtf1 x}"])
def test_an_invalid_text_is_400(owner: RestEntryPoint, files: Path, text: str) -> None:
    assert owner.call("create_syllabus", text=text).error == "invalid_request"
    assert send(owner, text.encode()).status_code == 400
    assert left(files) == []


@each("content", [image_named_docx(), package_of_something(), b"\x00\x01"])
def test_another_file_type_is_400_and_counts_toward_the_limit(
    owner: RestEntryPoint, owner_member: Any, files: Path, content: bytes
) -> None:
    assert error_of(send(owner, content, "a.docx"))["type"] == "invalid_request"
    assert (left(files), SyllabusFile.objects.count()) == ([], 0)
    assert peek(Rate.SYLLABI, str(owner_member.id)).remaining == 59


@each(
    ("content", "status"), [(encrypted_pdf(), "unreadable"), (pdf([[]]), "no_text"), (pdf([["a"]] * 101), "too_large")]
)
def test_a_file_without_text_is_stored_and_proposes_nothing(
    owner: RestEntryPoint, course, content: bytes, status: str
) -> None:
    owner.made("create_item", course_id=course["id"], title="Midterm")
    answer = uploaded(owner, content, "a.pdf", course_id=course["id"])
    assert (answer["text_status"], answer["characters"]) == (status, 0)
    assert answer["proposal"] == {
        "course": dict.fromkeys(("name", "code", "term", "meets", "institution", "subject")),
        "items": [],
        "grade_categories": [],
        "warnings": [],
        "reader": "rules",
    }


def test_a_form_without_one_complete_file_is_422(owner: RestEntryPoint) -> None:
    two = multipart(b"Week 1").replace(b"--BoUnDaRyStRiNg--", b"") + multipart(b"Week 2")
    for form in (multipart(b""), multipart(b"Week 1", "document"), two):
        assert fields_of(owner.client.post("/v1/syllabi", form, content_type=FORM)) == ["file"]
    assert fields_of(owner.client.post("/v1/syllabi")) == ["file"]
    assert owner.call("create_syllabus").fields == ["text"]


@about_files
def test_files_over_10_mib_or_broken_ones_are_400(owner: RestEntryPoint, files: Path) -> None:
    assert error_of(send(owner, b"a" * (10 * MIB + 1)))["type"] == "invalid_request"
    assert send(owner, b"a" * 10 * MIB).status_code == 201
    broken = owner.client.post("/v1/syllabi", b"no form", content_type="multipart/form-data")
    assert error_of(broken)["type"] == "invalid_request"
    other = owner.client.post("/v1/syllabi", b"Week 1", content_type="text/plain")
    assert "multipart/form-data with a part file or application/json" in error_of(other)["message"]
    assert len(left(files)) == 1


@each(
    ("sent", "kept"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\Ada\\Plan.pdf", "Plan.pdf"),
        ("a\u202ecod.exe", "acod.exe"),
        ("Prüfung.txt", "Prüfung.txt"),
        ("x" * 300 + ".txt", "x" * 251 + ".txt"),
    ],
)
def test_a_name_loses_its_path_and_invisible_characters(owner: RestEntryPoint, sent: str, kept: str) -> None:
    assert uploaded(owner, b"Week 1", sent)["filename"] == kept


def test_uploading_the_same_bytes_again_returns_the_same_upload(
    owner: RestEntryPoint, stranger: RestEntryPoint, files: Path, time_machine
) -> None:
    time_machine.move_to(datetime(2026, 11, 22, 8, tzinfo=UTC), tick=False)
    first = uploaded(owner, TEXT.encode(), "first.txt")
    time_machine.move_to(datetime(2026, 11, 22, 20, tzinfo=UTC), tick=False)
    again = send(owner, TEXT.encode(), "second.txt")
    assert again.status_code == 200
    assert again.json() == first | {"expires_at": "2026-11-23T20:00:00.000000Z"}
    assert owner.call("create_syllabus", text=TEXT).status == 200
    assert len(left(files)) == 1
    assert uploaded(stranger, TEXT.encode())["id"] != first["id"]


def test_the_same_bytes_after_attaching_or_deleting_are_a_new_upload(owner: RestEntryPoint) -> None:
    first = uploaded(owner, b"Week 1")
    owner.made("create_course", name="Biology", syllabus_id=first["id"])
    second = uploaded(owner, b"Week 1")
    owner.made("delete_syllabus", syllabus_id=second["id"])
    assert len({first["id"], second["id"], uploaded(owner, b"Week 1")["id"]}) == 3


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_an_expired_upload_frees_space_for_a_new_one(owner: RestEntryPoint, files: Path, time_machine) -> None:
    time_machine.move_to(datetime(2026, 11, 22, 8, tzinfo=UTC), tick=False)
    first = uploaded(owner, b"Week 1")
    time_machine.move_to(datetime(2026, 11, 23, 8, tzinfo=UTC), tick=False)
    assert owner.call("get_syllabus", syllabus_id=first["id"]).error == "not_found"
    second = uploaded(owner, b"Week 1")
    assert second["id"] != first["id"]
    assert [path.name for path in left(files)] == [second["id"]]


@pytest.mark.database("both")
def test_it_is_compared_with_the_named_course(owner: RestEntryPoint, course) -> None:
    owner.made("create_item", course_id=course["id"], title="Midterm exam", kind="exam", due_on="2026-12-01")
    owner.made("create_item", course_id=course["id"], title="Essay on mitosis", kind="paper", due_on="2026-12-09")
    matches = [
        [item["match"] for item in answer["proposal"]["items"]]
        for answer in (
            uploaded(owner, TEXT.encode(), course_id=course["id"]),
            send(owner, TEXT.encode()).json(),
            owner.made("create_syllabus", text=TEXT, course_id=course["id"]),
        )
    ]
    assert matches == [["moved", "gone"], ["new"], ["moved", "gone"]]
    assert owner.made("list_syllabi", course_id=course["id"])["data"] == []


@each("wrong", ["17", "", UNKNOWN_ID])
def test_an_unknown_course_is_422(owner: RestEntryPoint, stranger: RestEntryPoint, files: Path, wrong: str) -> None:
    assert fields_of(send(owner, b"Week 1", course_id=wrong)) == ["course_id"]
    theirs = stranger.made("create_course", name="Theirs")
    assert owner.call("create_syllabus", text="Week 1", course_id=theirs["id"]).fields == ["course_id"]
    assert left(files) == []


def test_sixty_uploads_an_hour_are_accepted(owner: RestEntryPoint) -> None:
    for number in range(60):
        owner.made("create_syllabus", text=f"Week {number % 3}")
    response = send(owner, b"Week 1")
    assert error_of(response)["type"] == "rate_limited"
    assert 3500 <= int(response.headers["Retry-After"]) <= 3600


def test_a_reading_that_hits_a_limit_counts_ten(owner: RestEntryPoint, owner_member: Any) -> None:
    answer = uploaded(owner, form_fan(), "fan.pdf")
    assert answer["text_status"] == "unreadable"
    assert peek(Rate.SYLLABI, str(owner_member.id)).remaining == 50


@pytest.mark.database("both")
def test_it_is_429_without_a_stored_upload_while_others_are_read(owner: RestEntryPoint, files: Path) -> None:
    """At most one file is read while one waits. A text needs no reading."""
    release, ready = threading.Event(), threading.Barrier(3)

    def hold() -> None:
        with GATE._places:
            ready.wait()
            release.wait()

    holders = [threading.Thread(target=hold) for _ in range(2)]
    for holder in holders:
        holder.start()
    ready.wait()
    try:
        response = send(owner, b"Week 1")
        assert (error_of(response)["type"], response.headers["Retry-After"]) == ("rate_limited", "2")
        assert left(files) == []
        assert owner.made("create_syllabus", text="Week 1")["text_status"] == "read"
    finally:
        release.set()
        for holder in holders:
            holder.join()


@pytest.mark.usefixtures("started_readings")
def test_a_long_text_proposes_the_same(owner: RestEntryPoint, course) -> None:
    """The child process parses the text."""
    owner.made("create_item", course_id=course["id"], title="Midterm exam", kind="exam", due_on="2026-12-01")
    owner.made("create_item", course_id=course["id"], title="Essay on mitosis", kind="paper")
    short, long = (
        owner.made("create_syllabus", text=TEXT + filling, course_id=course["id"])["proposal"]
        for filling in ("", "\n" + "and so on. " * 4_000)
    )
    assert [item["match"] for item in short["items"]] == ["moved", "gone"]
    assert long == short


def test_a_text_that_takes_too_long_proposes_nothing_and_says_so(
    owner: RestEntryPoint, owner_member: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studyservice.reading.process.MAX_SAID", 10)
    proposal = owner.made("create_syllabus", text=TEXT + "\nand so on" * 5_000)["proposal"]
    assert (proposal["items"], [one["type"] for one in proposal["warnings"]]) == ([], ["too_long"])
    assert peek(Rate.SYLLABI, str(owner_member.id)).remaining == 50


def test_a_member_has_100_mib(
    owner: RestEntryPoint, stranger: RestEntryPoint, owner_member: Any, course, files: Path
) -> None:
    SyllabusFileFactory.create(member=owner_member, course_id=course["id"], size=100 * MIB - 6)
    uploaded(owner, b"Week 1")
    refused = send(owner, b"a")
    assert (error_of(refused)["type"], "100 MiB" in refused.json()["error"]["message"]) == ("conflict", True)
    assert send(owner, b"Week 1").status_code == 200
    assert len(left(files)) == 1
    uploaded(stranger, b"Week 1")


@pytest.mark.database("both")
def test_expired_uploads_use_no_space(owner: RestEntryPoint, owner_member: Any) -> None:
    yesterday = datetime.now(UTC) - DAY
    SyllabusFileFactory.create(member=owner_member, course=None, size=100 * MIB, expires_at=yesterday)
    uploaded(owner, b"Week 1")


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_two_identical_files_at_once_are_one_upload(owner: RestEntryPoint, files: Path, in_threads: Any) -> None:
    answers = in_threads(lambda _: send(owner, TEXT.encode()), [1, 2])
    assert sorted(answer.status_code for answer in answers) == [200, 201]
    first, second = (answer.json() for answer in answers)
    assert first == second | {"expires_at": ANY}
    assert [path.name for path in left(files)] == [first["id"]]


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_identical_texts_at_once_are_one_upload(owner: RestEntryPoint, files: Path, in_threads: Any) -> None:
    answers = in_threads(lambda _: owner.call("create_syllabus", text=TEXT), list(range(8)))
    assert sorted(str(answer.status) for answer in answers) == ["200"] * 7 + ["201"]
    assert len({answer.body["id"] for answer in answers}) == len(left(files)) == 1


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_uploads_at_once_stop_at_100_mib(
    owner: RestEntryPoint, owner_member: Any, course, files: Path, in_threads: Any
) -> None:
    SyllabusFileFactory.create(member=owner_member, course_id=course["id"], size=100 * MIB - 30)
    answers = in_threads(lambda n: owner.call("create_syllabus", text=f"Week {n:04}x").error, list(range(8)))
    assert sorted(map(str, answers)) == ["None"] * 3 + ["conflict"] * 5
    assert len(left(files)) == 3


def test_a_retry_with_its_key_gets_the_same_answer(owner: RestEntryPoint, files: Path) -> None:
    first, again = (send(owner, TEXT.encode(), key="k") for _ in range(2))
    assert (again.status_code, again.json(), again.headers["Idempotency-Replayed"]) == (201, first.json(), "true")
    assert fields_of(send(owner, TEXT.encode(), key="k", course_id=UNKNOWN_ID)) == ["Idempotency-Key"]
    assert len(left(files)) == 1


def test_a_long_answer_is_repeated_after_the_upload_is_deleted(
    owner: RestEntryPoint, owner_member: Any, course
) -> None:
    stored(ItemFactory, 600, member=owner_member, course=Course(id=course["id"]))
    first = send(owner, b"Week 1", key="k", course_id=course["id"])
    assert len(first.content) > 65536
    owner.made("delete_syllabus", syllabus_id=first.json()["id"])
    again = send(owner, b"Week 1", key="k", course_id=course["id"])
    assert (again.status_code, again.json()) == (201, first.json())


def test_the_row_stores_the_hash_and_time(owner: RestEntryPoint, owner_member: Any) -> None:
    uploaded(owner, b"Week 1")
    row = SyllabusFile.objects.get()
    assert (row.member, row.sha256) == (owner_member, hashlib.sha256(b"Week 1").hexdigest())
    assert row.created_at == type(owner_member).objects.get(id=owner_member.id).write_clock


def test_a_failing_storage_is_500_and_leaves_no_row(owner: RestEntryPoint, files: Path) -> None:
    (files / "syllabi").write_text("a file where the folder should be")
    assert send(owner, b"Week 1").status_code == 500
    assert SyllabusFile.objects.count() == 0
