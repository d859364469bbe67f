"""Creating and updating courses from syllabi on their pages: read, review, apply."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Member
from courses.models import SyllabusFile
from studyservice.changes.words import change_in_words
from studyservice.rates.limiter import Rate, hit
from studyservice.reading.process import GATE
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import Fields, form_with, row_of
from tests.support.syllabus_files import docx, pdf

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.same_statements,
    pytest.mark.time_machine("2026-09-01T12:00:00Z", tick=False),
]

TEXT = """BIO 210 Cell Biology
Fall 2026

Midterm exam: Thursday, October 8, 2026
Essay 1 due Monday, November 2, 2026
Final exam: Friday, December 11, 2026
Presentations: November 16 - 20, 2026

Quizzes: 20%
Essays: 30%
Exams: 50%
"""
NEXT = TEXT.replace("Thursday, October 8", "Thursday, October 15").replace(
    "Essay 1 due Monday, November 2, 2026", "Lab report 1 due Monday, November 9, 2026"
)


def shown(browser: Client, path: str, **fields: Any) -> tuple[str, str]:
    """The target page of a redirected post."""
    page = browser.post(path, fields, follow=True)
    assert page.status_code == 200, page.content.decode()
    return (page.redirect_chain or [(path, 0)])[-1][0], page.content.decode()


def sent(browser: Client, path: str, form: Fields, status: int = 302) -> Any:
    answer = browser.post(path, form)
    assert answer.status_code == status, answer.content.decode()
    return answer


def dates(owner: RestEntryPoint) -> list[tuple[str, str, str]]:
    return [(item["title"], item["kind"], item["due_on"]) for item in owner.made("list_items", limit=100)["data"]]


def a_pdf(text: str = TEXT, name: str = "Cell Biology.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, pdf([text.splitlines()]))


def a_docx(text: str = NEXT, name: str = "Cell Biology, mended.docx") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, docx(text.splitlines()))


def made(browser: Client, owner: RestEntryPoint) -> Any:
    """The course created from a syllabus without edits."""
    _, page = shown(browser, "/courses/new", text=TEXT)
    sent(browser, "/courses/new", form_with("name", page))
    [course] = owner.made("list_courses")["data"]
    return course


def test_a_pasted_text_becomes_a_course_after_review(browser: Client, owner: RestEntryPoint) -> None:
    _, page = shown(browser, "/courses/new", text=TEXT)
    assert "<q>Essay 1 due Monday, November 2, 2026</q>" in page
    assert (owner.made("list_courses")["data"], SyllabusFile.objects.count()) == ([], 0)
    form = form_with("name", page)
    assert (form["name"], form["code"], form["term"]) == (["Cell Biology"], ["BIO 210"], ["Fall 2026"])
    essay, final = row_of(form, "Essay 1"), row_of(form, "Final exam")
    form |= {f"{essay}-due_on": ["2026-11-03"], "name": ["Cells"], "c0-weight": ["25"]}
    del form[f"{final}-tick"], form["c2-tick"]
    answer = sent(browser, "/courses/new", form)
    [course] = owner.made("list_courses")["data"]
    assert answer.headers["Location"] == f"/courses/{course['id']}"
    assert dates(owner) == [("Midterm exam", "exam", "2026-10-08"), ("Essay 1", "paper", "2026-11-03")]
    grades = owner.made("get_grades", course_id=course["id"])["categories"]
    assert [(one["name"], one["weight"]) for one in grades] == [("Quizzes", 25), ("Essays", 30)]
    stored = owner.made("get_course", course_id=course["id"], include_syllabus=True)
    assert (stored["name"], stored["syllabus_text"]) == ("Cells", TEXT.strip())


def test_a_file_becomes_a_course_with_the_file(browser: Client, owner: RestEntryPoint) -> None:
    address, page = shown(browser, "/courses/new", file=a_pdf())
    assert owner.made("list_courses")["data"] == []
    form = form_with("name", page)
    course_page = sent(browser, address, form).headers["Location"]
    assert len(dates(owner)) == 3
    page = browser.get(course_page).content.decode()
    assert "Cell Biology.pdf" in page
    again = browser.post(address, form)  # a double click
    assert (again.status_code, again.headers["Location"]) == (302, course_page)
    assert len(owner.made("list_courses")["data"]) == 1
    assert "Cell Biology.pdf" in browser.get("/courses").content.decode()


def test_uncertain_rows_are_not_selected(browser: Client) -> None:
    _, page = shown(browser, "/courses/new", text=TEXT)
    form = form_with("name", page)
    assert "We left this unticked: it names several days, not one." in page
    ticked = [title for title in ("Presentations", "Essay 1", "Final exam") if f"{row_of(form, title)}-tick" in form]
    assert ticked == ["Essay 1", "Final exam"]


def test_a_row_can_be_added_and_filled_without_script(browser: Client, owner: RestEntryPoint) -> None:
    _, page = shown(browser, "/courses/new", text=TEXT)
    form = form_with("name", page)
    form["p0-title"] = ["First midterm"]
    again = sent(browser, "/courses/new", form | {"add": ["yes"]}, 200).content.decode()
    form = form_with("name", again)
    assert (form["p0-title"], form["added"], form["a1-title"]) == (["First midterm"], ["a1"], [""])
    form |= {"a1-title": ["Field trip"], "a1-kind": ["other"], "a1-due_on": ["2026-10-20"]}
    again = sent(browser, "/courses/new", form | {"add": ["yes"]}, 200).content.decode()
    form = form_with("name", again)
    assert form["added"] == ["a1", "a2"]
    sent(browser, "/courses/new", form)
    assert ("Field trip", "other", "2026-10-20") in dates(owner)
    assert len(dates(owner)) == 4, "an empty row creates no item"


def test_an_added_row_without_a_title_is_reported_and_creates_nothing(browser: Client, owner: RestEntryPoint) -> None:
    _, page = shown(browser, "/courses/new", text=TEXT)
    form = form_with("name", page)
    form |= {"added": ["a1"], "a1-tick": ["on"], "a1-kind": ["other"], "a1-due_on": ["2026-10-20"]}
    again = sent(browser, "/courses/new", form, 422).content.decode()
    assert "Enter a title." in again
    assert owner.made("list_courses")["data"] == []


def test_the_text_is_shown_beside_the_table_line_by_line(browser: Client) -> None:
    for page in (shown(browser, "/courses/new", text=TEXT)[1], shown(browser, "/courses/new", file=a_pdf())[1]):
        assert "<li>Essay 1 due Monday, November 2, 2026</li>" in page
        assert "line 4" in page
        assert "line 5" in page


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", "", "Enter a name for the course."),
        ("term", "x" * 61, "Use at most 60 characters."),
        ("c0-weight", "101", "Enter a number from 0 to 100."),
        ("row-title", "", "Enter a title."),
        ("row-due_on", "2026-13-01", "Enter a complete date, or leave it empty."),
    ],
)
def test_errors_are_shown_in_place_and_the_input_is_kept(
    browser: Client, owner: RestEntryPoint, field: str, value: str, words: str
) -> None:
    form = form_with("name", shown(browser, "/courses/new", text=TEXT)[1])
    row = row_of(form, "Essay 1")
    form |= {f"{row_of(form, 'Final exam')}-title": ["The final"], field.replace("row", row): [value]}
    page = sent(browser, "/courses/new", form, status=422).content.decode()
    assert words in page
    again = form_with("name", page)
    assert row_of(again, "The final")
    assert again["text"][0].splitlines() == TEXT.strip().splitlines()
    assert owner.made("list_courses")["data"] == []


def test_the_31st_course_is_rejected_and_the_table_is_kept(
    browser: Client, owner: RestEntryPoint, owner_member: Member
) -> None:
    from tests.support.factories import CourseFactory

    form = form_with("name", shown(browser, "/courses/new", text=TEXT)[1])
    CourseFactory.create_batch(30, member=owner_member)
    page = sent(browser, "/courses/new", form, status=409).content.decode()
    assert "You have reached the limit of 30 courses." in page
    assert row_of(form_with("name", page), "Essay 1")


@pytest.mark.database("both")
def test_a_new_version_shows_new_moved_and_missing_items(browser: Client, owner: RestEntryPoint) -> None:
    course = made(browser, owner)
    path = f"/courses/{course['id']}/syllabus"
    address, page = shown(browser, path, file=a_docx())
    assert "was Thu, 8 October 2026" in page
    form = form_with("approve", page)
    gone = [mark.partition(":")[0] for mark in form["row"] if mark.startswith("g")]
    assert len(gone) == 1
    assert f"{gone[0]}-tick" not in form
    assert f"{row_of(form, 'Midterm exam')}-tick" in form
    assert not any("Final exam" in values for values in form.values())
    before = dates(owner)
    form[f"{gone[0]}-tick"] = ["on"]
    answer = sent(browser, address, form)
    assert answer.headers["Location"] == f"/courses/{course['id']}"
    assert dates(owner) == [
        ("Midterm exam", "exam", "2026-10-15"),
        ("Lab report 1", "lab", "2026-11-09"),
        ("Final exam", "exam", "2026-12-11"),
    ]
    told = browser.get(f"/courses/{course['id']}").content.decode()
    assert "The new version is saved: 1 item added, 1 item changed and 1 item deleted." in told
    [change] = owner.made("list_changes", limit=1)["data"]
    assert change_in_words(change) == "updated the syllabus of the course “Cell Biology”"
    owner.made("undo_change", change_id=change["id"])
    assert dates(owner) == before
    stored = owner.made("get_course", course_id=course["id"], include_syllabus=True)
    assert stored["syllabus_text"] == TEXT.strip()


@pytest.mark.database("both")
def test_a_moved_item_keeps_the_members_words(browser: Client, owner: RestEntryPoint) -> None:
    course = made(browser, owner)
    midterm = next(item for item in owner.made("list_items")["data"] if item["title"] == "Midterm exam")
    owner.made("update_item", item_id=midterm["id"], title="MIDTERM EXAM", kind="quiz")
    path = f"/courses/{course['id']}/syllabus"
    sent(browser, path, form_with("approve", shown(browser, path, text=NEXT)[1]))
    assert ("MIDTERM EXAM", "quiz", "2026-10-15") in dates(owner)
    assert owner.made("get_course", course_id=course["id"], include_syllabus=True)["syllabus_text"] == NEXT.strip()


def test_items_changed_meanwhile_are_shown_again(browser: Client, owner: RestEntryPoint) -> None:
    course = made(browser, owner)
    path = f"/courses/{course['id']}/syllabus"
    form = form_with("approve", shown(browser, path, text=NEXT)[1])
    form[f"{row_of(form, 'Lab report 1')}-title"] = ["My lab report"]
    midterm = next(item for item in owner.made("list_items")["data"] if item["title"] == "Midterm exam")
    owner.made("update_item", item_id=midterm["id"], due_on="2026-10-09")
    page = sent(browser, path, form, status=422).content.decode()
    assert "Something changed since you opened this table." in page
    assert "was Fri, 9 October 2026" in page
    assert ("Midterm exam", "exam", "2026-10-09") in dates(owner)
    again = form_with("approve", page)
    assert row_of(again, "My lab report")
    sent(browser, path, again)
    assert ("My lab report", "lab", "2026-11-09") in dates(owner)
    assert ("Midterm exam", "exam", "2026-10-15") in dates(owner)


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("table", "answered"), [("the same", [302, 302]), ("one each", [302, 422])])
def test_one_of_two_concurrent_forms_is_applied(
    browser: Client, owner: RestEntryPoint, owner_member: Member, in_threads: Any, *, table: str, answered: list[int]
) -> None:
    """A double click gets the same answer. The second of two different tables is shown again."""
    course = made(browser, owner)
    path = f"/courses/{course['id']}/syllabus"
    form = form_with("approve", shown(browser, path, text=NEXT)[1])
    if table == "one each":
        del form["form_key"]
    clients = [Client(), Client()]
    for client in clients:
        client.force_login(owner_member)
    answers = in_threads(lambda client: client.post(path, form).status_code, clients)
    assert sorted(answers) == answered
    assert len([title for title, _, _ in dates(owner) if title == "Lab report 1"]) == 1


def test_the_same_version_changes_nothing(browser: Client, owner: RestEntryPoint) -> None:
    course = made(browser, owner)
    path = f"/courses/{course['id']}/syllabus"
    before = dates(owner)
    _, page = shown(browser, path, text=TEXT.replace("Presentations: November 16 - 20, 2026\n", ""))
    assert "No dates changed. All 3 items of this course are the same." in page
    sent(browser, path, form_with("approve", page))
    assert dates(owner) == before


def test_the_file_can_be_downloaded_unchanged_and_deleted_permanently(browser: Client, owner: RestEntryPoint) -> None:
    course = made(browser, owner)
    path = f"/courses/{course['id']}"
    file = a_docx()
    content = file.read()
    file.seek(0)
    address, page = shown(browser, f"{path}/syllabus", file=file)
    sent(browser, address, form_with("approve", page))
    [row] = SyllabusFile.objects.all()
    saved = browser.get(f"{path}/files/{row.id}")
    assert saved.content == content
    assert saved.headers["Content-Type"] == "application/octet-stream"
    assert saved.headers["Content-Disposition"] == 'attachment; filename="Cell Biology, mended.docx"'
    assert browser.get(f"{path}/files/{row.id}/delete").status_code == 200
    assert SyllabusFile.objects.count() == 1
    assert browser.post(f"{path}/files/{row.id}/delete").status_code == 302
    assert SyllabusFile.objects.count() == 0
    assert browser.get(f"{path}/files/{row.id}").status_code == 404


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_the_file_is_deleted_with_the_course(browser: Client, owner: RestEntryPoint) -> None:
    address, page = shown(browser, "/courses/new", file=a_pdf())
    path = sent(browser, address, form_with("name", page)).headers["Location"]
    name = str(SyllabusFile.objects.get().file.name)
    assert default_storage.exists(name)
    assert browser.post(f"{path}/delete").status_code == 302
    assert not default_storage.exists(name)


def test_a_file_without_text_is_reported_and_kept(browser: Client, owner: RestEntryPoint) -> None:
    address, page = shown(browser, "/courses/new", file=SimpleUploadedFile("scan.pdf", pdf([[]])))
    assert "“scan.pdf” contains no text" in page
    path = sent(browser, address, form_with("name", page) | {"name": ["Botany"]}).headers["Location"]
    assert "scan.pdf" in browser.get(path).content.decode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Choose a file, or paste the text of the syllabus."),
        ({"text": "x" * 500_001}, "This has 500,001 characters; the limit is 500,000."),
        ({"file": b"\x00\x01\x02", "text": "Mine"}, "This type of file is not read here."),
    ],
)
def test_an_unreadable_file_is_reported_and_the_text_kept(browser: Client, fields: Any, words: str) -> None:
    data = {
        name: SimpleUploadedFile("a.bin", value) if isinstance(value, bytes) else value
        for name, value in fields.items()
    }
    page = browser.post("/courses/new", data)
    assert page.status_code in {400, 422}
    assert words in page.content.decode()
    if "text" in fields:
        assert form_with("text", page.content.decode())["text"] == [fields["text"]]


def test_too_many_files_are_rejected_with_the_time_to_wait(browser: Client, owner_member: Member) -> None:
    hit(Rate.SYLLABI, str(owner_member.id), 60)
    page = browser.post("/courses/new", {"file": a_pdf(), "text": "kept"})
    assert (page.status_code, page.headers["Retry-After"]) == (429, "3600")
    assert form_with("text", page.content.decode())["text"] == ["kept"]


def test_pasted_texts_count_toward_the_same_limit(browser: Client, owner: RestEntryPoint, owner_member: Member) -> None:
    form = form_with("name", shown(browser, "/courses/new", text=TEXT)[1])
    hit(Rate.SYLLABI, str(owner_member.id), 60)
    page = browser.post("/courses/new", {"text": TEXT})
    assert page.status_code == 429
    assert form_with("text", page.content.decode())["text"][0].strip() == TEXT.strip()
    sent(browser, "/courses/new", form)
    assert len(owner.made("list_courses")["data"]) == 1


def test_a_long_text_is_kept_for_a_retry_while_others_are_read(browser: Client, course: Any) -> None:
    """A text of over 40,000 characters waits for the child process like a file."""
    text = TEXT + "Read the chapter before the lecture.\n" * 1200
    for path in ("/courses/new", f"/courses/{course['id']}/syllabus"):
        with GATE._places, GATE._places:
            answer = browser.post(path, {"text": text})
            assert (answer.status_code, answer.headers["Retry-After"]) == (429, "2")
            assert "being read at this moment" in answer.content.decode()
            assert text.strip() in answer.content.decode()
            approved = browser.post(path, {"text": text, "approve": "1"})
            assert (approved.status_code, approved.headers["Retry-After"]) == (429, "2")
        assert browser.post(path, {"text": text}).status_code == 200


@pytest.mark.usefixtures("started_readings")
def test_a_busy_server_asks_to_send_everything_again(
    browser: Client, course: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TEXT + "Read the chapter before the lecture.\n" * 1200
    for path in ("/courses/new", f"/courses/{course['id']}/syllabus"):
        with monkeypatch.context() as starved:
            starved.setattr("studyservice.reading.process.WALL_SECONDS", 0.01)
            answers = [
                browser.post(path, {"text": text}),
                browser.post(path, {"text": text, "approve": "1"}),
                browser.post(path, {"file": a_pdf()}),
            ]
        assert [(one.status_code, one.headers["Retry-After"]) for one in answers] == [(500, "5")] * 3
        assert all("too busy" in one.content.decode() for one in answers)
        assert text.strip() in answers[0].content.decode()
        assert browser.post(path, {"text": text}).status_code == 200


def test_an_expired_file_shows_what_to_do(browser: Client) -> None:
    address, _ = shown(browser, "/courses/new", file=a_pdf())
    with time_machine.travel(datetime(2026, 9, 2, 13, tzinfo=UTC), tick=False):
        page = browser.get(address)
    assert page.status_code == 404
    assert "Upload it again under Courses." in page.content.decode()


def test_a_strangers_syllabus_is_not_found(
    browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint, make_member: Any
) -> None:
    other = Client()
    other.force_login(Member.objects.get(email="stranger@example.org"))
    address, page = shown(other, "/courses/new", file=a_pdf())
    upload = SyllabusFile.objects.get()
    course = owner.made("create_course", name="Mine")
    paths = [address, f"/courses/{course['id']}/syllabus/{upload.id}", f"/courses/{course['id']}/files/{upload.id}"]
    for path in paths:
        assert browser.get(path).status_code == 404, path
    assert browser.post(address, form_with("name", page)).status_code == 404
    theirs = sent(other, address, form_with("name", page)).headers["Location"]
    for path in (f"{theirs}/syllabus", f"{theirs}/files/{upload.id}", f"{theirs}/files/{upload.id}/delete"):
        assert browser.get(path).status_code == 404, path
        assert other.get(path).status_code == 200, path


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("source", ["file", "text"])
def test_a_double_click_creates_one_course(
    browser: Client, owner: RestEntryPoint, owner_member: Member, in_threads: Any, source: str
) -> None:
    address, page = shown(browser, "/courses/new", **({"file": a_pdf()} if source == "file" else {"text": TEXT}))
    form = form_with("name", page)
    clients = [Client(), Client(), Client()]
    for client in clients:
        client.force_login(owner_member)
    answers = in_threads(lambda client: client.post(address, form, follow=True), clients)
    [course] = owner.made("list_courses")["data"]
    assert {(answer.status_code, answer.request["PATH_INFO"]) for answer in answers} == {
        (200, f"/courses/{course['id']}")
    }
