"""Exporting, importing and deleting on the account page, without a browser."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts import mail
from accounts.models import Member
from courses.models import Course
from studyservice.archive import importing
from tests.operations.test_erasure import left
from tests.support.archives import a_course, lines_of, one_course, parts, zipped
from tests.support.factories import CourseFactory
from tests.support.world import rows

pytestmark = [pytest.mark.database("sqlite", "pages call tested operations"), pytest.mark.usefixtures("files")]


@pytest.fixture
def member(make_member: Any) -> Member:
    made: Member = make_member("ada@example.org", name="Ada", time_zone="Europe/Paris")
    return made


@pytest.fixture
def browser(member: Member) -> Client:
    client = Client()
    client.force_login(member)
    return client


def send(client: Client, content: bytes, **more: str) -> Any:
    form = {"file": SimpleUploadedFile("archive.zip", content)} | more
    return client.post("/account/import", form, follow=True)


def text_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize("active", [True, False])
def test_lapsed_members_can_export_everything_too(browser: Client, member: Member, active: bool) -> None:
    Member.objects.filter(id=member.id).update(membership_active=active)
    CourseFactory.create(member=member, name="Cell Biology")
    response = browser.post("/account/export")
    assert response.headers["Content-Disposition"].startswith('attachment; filename="study-data-')
    assert response.headers["Cache-Control"].startswith("max-age=0")
    [line] = lines_of(response.getvalue(), "courses")
    assert line["name"] == "Cell Biology"


def test_a_get_request_or_foreign_form_exports_nothing(browser: Client, member: Member) -> None:
    """Another site's link, or a form without its token."""
    assert browser.get("/account/export").status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(member)
    assert strict.post("/account/export").status_code == 403


def test_the_eleventh_archive_of_an_hour_is_rejected(browser: Client) -> None:
    for _ in range(10):
        browser.post("/account/export").getvalue()
    response = browser.post("/account/export")
    assert (response.status_code, "Too many archives" in text_of(response)) == (429, True)


def test_an_archive_can_be_imported(browser: Client, member: Member) -> None:
    response = send(browser, one_course())
    assert response.redirect_chain == [("/account", 302)]
    assert "Your archive was imported: 1 course." in text_of(response)
    assert Course.objects.get(member=member).name == "Cell Biology"
    assert "imported an archive with 1 course" in text_of(browser.get("/activity"))


def test_the_activity_page_shows_that_it_cannot_be_undone(browser: Client) -> None:
    send(browser, one_course())
    assert "An import cannot be undone." in text_of(browser.get("/activity"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no archive", "it is not a valid ZIP file"),
        (b"", "This file is empty. Choose an archive."),
        (zipped(parts(courses=[a_course(name="")])), "data/courses.jsonl, line 1: name: Must not be empty."),
    ],
    ids=["no zip", "empty", "wrong line"],
)
def test_errors_are_reported(browser: Client, content: bytes, said: str) -> None:
    page = text_of(send(browser, content))
    assert said in page
    assert "<title>Error: Import an archive" in page
    assert not Course.objects.exists()


def test_a_file_must_be_chosen(browser: Client) -> None:
    assert "Choose an archive." in text_of(browser.post("/account/import", {}))


def test_an_account_with_courses_rejects_an_archive(browser: Client, member: Member) -> None:
    CourseFactory.create(member=member)
    assert "this one has some" in text_of(send(browser, one_course()))
    assert Course.objects.count() == 1


def test_one_archive_is_imported_at_a_time(browser: Client) -> None:
    with importing.import_turn():
        response = send(browser, one_course())
    assert (response.status_code, response.headers["Retry-After"]) == (429, "30")
    assert "Your file was not taken" in text_of(response)


def test_a_lapsed_member_cannot_import(browser: Client, member: Member) -> None:
    Member.objects.filter(id=member.id).update(membership_active=False)
    for response in (browser.get("/account/import"), send(browser, one_course())):
        assert (response.status_code, "no active membership" in text_of(response)) == (403, True)
    assert not Course.objects.exists()


def test_the_form_needs_its_token(member: Member) -> None:
    """The form token is read from the body only after the sign-in check, so that strangers cannot upload files."""
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(member)
    assert send(strict, one_course()).status_code == 403
    page = strict.get("/account/import")
    token = page.context["csrf_token"]
    assert send(strict, one_course(), csrfmiddlewaretoken=str(token)).status_code == 200
    assert Course.objects.filter(member=member).count() == 1


@pytest.mark.django_db
def test_signed_out_visitors_cannot_send_files() -> None:
    assert send(Client(), one_course()).redirect_chain[0][0].startswith("/sign-in")


def test_a_form_can_be_as_large_as_an_archive(browser: Client) -> None:
    assert "it is not a valid ZIP file" in text_of(send(browser, bytes(3 * 1024 * 1024)))
    too_long = str(importing.MAX_FILE + 1024 * 1024)
    assert browser.generic("POST", "/account/import", CONTENT_LENGTH=too_long).status_code == 413


def erase(client: Client, email: str) -> Any:
    return client.post("/account/delete", {"email": email}, follow=True)


@pytest.mark.parametrize("typed", ["", "eve@example.org", "ada"])
def test_the_address_must_be_typed(browser: Client, member: Member, typed: str) -> None:
    assert "Error: Delete your account" in text_of(erase(browser, typed))
    assert Member.objects.get(id=member.id).erasure_began_at is None


def test_an_export_is_offered_first(browser: Client) -> None:
    page = text_of(browser.get("/account/delete"))
    assert 'action="/account/export"' in page
    assert page.index("Export everything first") < page.index("Delete my account and all data")


@pytest.mark.parametrize("active", [True, False])
def test_everything_is_deleted(browser: Client, member: Member, make_key: Any, active: bool) -> None:
    Member.objects.filter(id=member.id).update(membership_active=active)
    make_key(member)
    send(browser, one_course())
    phone = Client()
    phone.force_login(member)
    response = erase(browser, " ADA@example.org ")
    assert response.redirect_chain == [("/sign-in", 302)]
    assert "Your account and everything in it is deleted." in text_of(response)
    assert left(member) == {}
    everything = repr(rows())
    assert [one for one in (member.email, str(member.id), member.id.hex, repr(member.id)) if one in everything] == []
    assert phone.get("/account").status_code == 302


def test_an_e_mail_confirms_the_deletion(browser: Client, mailoutbox: list[Any]) -> None:
    erase(browser, "ada@example.org")
    mail.drain()
    [message] = mailoutbox
    assert (message.to, message.subject) == (["ada@example.org"], "Your account was deleted")


def test_a_long_deletion_is_completed_later(browser: Client, member: Member, monkeypatch: Any) -> None:
    """The browser does not wait, and the account is already unreachable."""
    from django.core.management import call_command

    from accounts.pages import archive

    CourseFactory.create(member=member)
    monkeypatch.setattr(archive, "ERASURE_SECONDS", -1.0)
    response = erase(browser, "ada@example.org")
    assert "Your account is closed" in text_of(response)
    found = Member.objects.get(id=member.id)
    assert (found.is_active, Course.objects.count()) == (False, 1)
    call_command("purgeexpired")
    assert not Member.objects.filter(id=member.id).exists()
    assert not Course.objects.exists()
