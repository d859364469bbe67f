"""The link that turns the morning e-mail off: by hand, and by mail services (RFC 8058)."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.members.mornings import off_link
from accounts.models import Member
from tests.support.calendars import path_of
from tests.support.cases import each

pytestmark = [pytest.mark.rest, pytest.mark.django_db]

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def path(owner_member: Member) -> str:
    Member.objects.filter(id=owner_member.id).update(morning_email=True)
    return path_of(off_link(owner_member.id))


def is_on(member: Member) -> bool:
    return Member.objects.get(id=member.id).morning_email


@each(
    ("body", "kind"),
    [
        ("List-Unsubscribe=One-Click", FORM),
        ("List-Unsubscribe=One-Click", f"{FORM}; charset=UTF-8"),
        ('--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
         "multipart/form-data; boundary=b"),
        ("not a form", "multipart/form-data"),
        ("", FORM),
        ("", ""),
        ("{", "application/json"),
        ("\x00\xff", "text/plain"),
    ],
)  # fmt: skip
def test_a_post_with_any_body_turns_it_off(path: str, owner_member: Member, body: str, kind: str) -> None:
    answer = Client(enforce_csrf_checks=True).generic("POST", path, body, content_type=kind)
    assert (answer.status_code, answer.headers.get("Location"), answer.cookies.output()) == (200, None, "")
    assert not is_on(owner_member)
    assert Client().post(path).status_code == 200, "a second one changes nothing"


@each("method", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
def test_only_a_post_turns_it_off(path: str, owner_member: Member, method: str) -> None:
    assert Client().generic(method, path).status_code == (200 if method in {"GET", "HEAD"} else 405)
    assert is_on(owner_member)


@each("is_signed_in", [False, True])
def test_the_page_asks_and_shows_no_address(path: str, owner_member: Member, is_signed_in: bool) -> None:
    client = Client()
    if is_signed_in:
        client.force_login(owner_member)
    for answer in (client.get(path), client.post(path)):
        text = answer.content.decode()
        assert "example.org" not in re.sub(r"https?://\S+", "", text)
        assert owner_member.name not in text
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer.headers["Cache-Control"]
    assert '<button type="submit">Turn off</button>' in client.get(path).content.decode()


def test_an_altered_link_is_404(path: str, owner_member: Member) -> None:
    """In each character, or with more or fewer of them."""
    start, token = path.rsplit("/", 1)
    others = [f"{token[:at]}{'A' if token[at] != 'A' else 'B'}{token[at + 1 :]}" for at in range(len(token))]
    others += [token[:-1], f"{token}=", f"{token}A", f"{token}.", token.replace("_off_", "_cal_"), token[8:], "x", "é"]
    others += [f"{token[:20]}%0A{token[20:]}", f"{token[:20]}!{token[20:]}"]
    for other in others:
        assert Client().get(f"{start}/{other}").status_code == 404, other
        assert Client().post(f"{start}/{other}").status_code == 404, other
    assert is_on(owner_member)


def test_it_names_nobody_and_differs_each_time(owner_member: Member) -> None:
    links = [off_link(owner_member.id) for _ in range(2)]
    assert len(set(links)) == 2
    for link in links:
        assert owner_member.id.hex not in link.replace("-", "")
        assert "owner" not in link


def test_it_works_years_later_and_after_a_change_of_the_secret_key(
    path: str, owner_member: Member, settings: Any, time_machine: Any
) -> None:
    time_machine.move_to("2046-11-28T08:00:00Z")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another" * 10
    assert Client().post(path).status_code == 200
    assert not is_on(owner_member)
    settings.SECRET_KEY_FALLBACKS = []
    assert Client().post(path).status_code == 404


def test_it_works_for_a_lapsed_member_and_ends_with_the_account(path: str, owner_member: Member) -> None:
    Member.objects.filter(id=owner_member.id).update(membership_active=False)
    assert Client().get(path).status_code == 200
    owner_member.delete()
    assert Client().get(path).status_code == 404
    assert Client().post(path).status_code == 404


def test_it_is_masked_in_logs(path: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    Client().post(path)
    [line] = [record.message for record in caplog.records if record.name == "studyservice.requests"]
    assert line.startswith("POST /morning-email/*** 200 ")
    assert path.partition("_off_")[2] not in caplog.text


def test_it_turns_off_only_its_own_members_e_mail(path: str, owner_member: Member, make_member: Any) -> None:
    other = make_member("other@example.org")
    Member.objects.filter(id=other.id).update(morning_email=True)
    Client().post(path)
    assert (is_on(owner_member), is_on(other)) == (False, True)
