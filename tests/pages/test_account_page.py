"""The account page without a browser: profile, signed-in browsers, membership."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.exceptions import SessionInterrupted
from django.test import Client

from accounts.models import Member
from accounts.signing_in.models import BrowserSession
from accounts.signing_in.sessions import SessionStore
from tests.support.cases import each

PASSWORD = "correct horse battery"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"

MORNING_IS_ON = r'<input type="checkbox" name="morning_email"[^>]* checked'


@pytest.fixture
def member(make_member: Any) -> Member:
    made: Member = make_member("ada@example.org", password=PASSWORD, name="Ada", time_zone="Europe/Paris")
    return made


@pytest.fixture
def signed_in(member: Member) -> Client:
    return browser()


def browser(user_agent: str = FIREFOX) -> Client:
    """A client in which Ada signed in with her password."""
    client = Client(headers={"User-Agent": user_agent})
    client.post("/sign-in", {"email": "ada@example.org", "password": PASSWORD})
    return client


def text_of(client: Client, path: str = "/account") -> str:
    response = client.get(path)
    assert response.status_code == 200, response
    return " ".join(response.content.decode().split())


def profile(**changes: str) -> dict[str, str]:
    return {"name": "Ada", "time_zone": "Europe/Paris", "retention": "90", "new_cards_a_day": "20"} | changes


@pytest.mark.same_statements
def test_the_profile_can_be_changed(signed_in: Client, member: Member) -> None:
    sent = profile(name="Ada Park", time_zone="Asia/Tokyo", retention="92,35 %", new_cards_a_day="7")
    assert signed_in.post("/account", sent).headers["Location"] == "/account"
    member.refresh_from_db()
    assert (member.name, member.time_zone, member.desired_retention) == ("Ada Park", "Asia/Tokyo", 0.9235)
    assert member.new_cards_a_day == 7
    page = text_of(signed_in)
    assert "Your profile is saved." in page
    assert 'value="92.35"' in page
    assert '<option value="Asia/Tokyo" selected>' in page


@pytest.mark.same_statements
@each(
    ("wrong", "said"),
    [
        ({"name": "x" * 121}, "Use at most 120 characters."),
        ({"time_zone": "Europe/Atlantis"}, "Choose one of the listed time zones."),
        ({"retention": "69.99"}, "Enter a number from 70 to 99."),
        ({"retention": "99.01"}, "Enter a number from 70 to 99."),
        ({"retention": "NaN"}, "Enter a number from 70 to 99."),
        ({"new_cards_a_day": "501"}, "less than or equal to 500"),
        ({"new_cards_a_day": "many"}, "Enter a whole number from 0 to 500, or nothing."),
    ],
)
def test_invalid_fields_are_reported_and_nothing_changes(
    signed_in: Client, member: Member, wrong: dict[str, str], said: str
) -> None:
    response = signed_in.post("/account", profile(name="New") | wrong)
    assert said in response.content.decode()
    member.refresh_from_db()
    assert (member.name, member.time_zone, member.desired_retention) == ("Ada", "Europe/Paris", 0.9)


def test_an_empty_number_of_new_cards_means_no_limit(signed_in: Client, member: Member) -> None:
    assert 'value="20"' in text_of(signed_in)
    signed_in.post("/account", profile(new_cards_a_day=""))
    member.refresh_from_db()
    assert member.new_cards_a_day is None


def test_the_morning_e_mail_is_turned_on_and_off(signed_in: Client, member: Member) -> None:
    assert not re.search(MORNING_IS_ON, text_of(signed_in))
    signed_in.post("/account", profile(morning_email="on"))
    member.refresh_from_db()
    assert member.morning_email
    assert re.search(MORNING_IS_ON, text_of(signed_in))
    signed_in.post("/account", profile())
    member.refresh_from_db()
    assert not member.morning_email


def test_a_suggested_time_zone_is_accepted_and_returns(signed_in: Client, member: Member) -> None:
    response = signed_in.post("/account/time-zone", {"time_zone": "Asia/Tokyo", "next": "/keys"})
    assert response.headers["Location"] == "/keys"
    member.refresh_from_db()
    assert member.time_zone == "Asia/Tokyo"
    assert "Your time zone is now Asia/Tokyo." in text_of(signed_in, "/keys")


def test_an_unknown_suggested_time_zone_changes_nothing(signed_in: Client, member: Member) -> None:
    signed_in.post("/account/time-zone", {"time_zone": "Mars/Olympus"})
    member.refresh_from_db()
    assert member.time_zone == "Europe/Paris"


def test_times_are_shown_in_the_new_time_zone_at_once(signed_in: Client, member: Member) -> None:
    BrowserSession.objects.update(last_used_at=datetime.now(UTC))
    assert "Times are in Europe/Paris" in text_of(signed_in, "/keys")
    signed_in.post("/account", profile(time_zone="Pacific/Kiritimati"))
    assert "Times are in Pacific/Kiritimati" in text_of(signed_in, "/keys")
    assert "+14:00" in text_of(signed_in)


@each("path", ["/account", "/account/email", "/account/password"])
def test_it_requires_signing_in(client: Client, db: None, path: str) -> None:
    assert client.get(path).headers["Location"] == f"/sign-in?next={path}"


def test_browsers_are_listed_with_their_last_use(signed_in: Client) -> None:
    browser(IPHONE)
    used = datetime(2026, 11, 20, 17, 30, tzinfo=UTC)
    BrowserSession.objects.filter(browser="Safari on iPhone").update(last_used_at=used)
    page = text_of(signed_in)
    phone = page.partition("Safari on iPhone")[2].partition("</dl>")[0]
    assert "<dt>Last used</dt>" in phone
    assert "20 Nov 2026, 18:30" in phone
    assert page.count("this browser</span>") == 1
    assert "Firefox on Windows" in page
    assert [row.browser for row in BrowserSession.objects.order_by("browser")] == [
        "Firefox on Windows",
        "Safari on iPhone",
    ]


@pytest.mark.same_statements
def test_the_last_use_is_recorded_every_five_minutes(signed_in: Client, time_machine: Any) -> None:
    time_machine.move_to(datetime.now(UTC) + timedelta(minutes=4), tick=False)
    before = BrowserSession.objects.get().last_used_at
    text_of(signed_in)
    assert BrowserSession.objects.get().last_used_at == before
    time_machine.move_to(datetime.now(UTC) + timedelta(minutes=2), tick=False)
    text_of(signed_in)
    assert BrowserSession.objects.get().last_used_at == datetime.now(UTC)


@pytest.mark.same_statements
def test_one_browser_can_be_signed_out(signed_in: Client, member: Member) -> None:
    phone = browser(IPHONE)
    [address] = [part.split('"')[0] for part in text_of(signed_in).split('action="') if part.startswith("/account/ses")]
    signed_in.post(address)
    assert phone.get("/account").status_code == 302
    assert "That browser is signed out." in text_of(signed_in)


def test_another_members_browser_cannot_be_signed_out(signed_in: Client, make_member: Any) -> None:
    phone = browser(IPHONE)
    [address] = [part.split('"')[0] for part in text_of(signed_in).split('action="') if part.startswith("/account/ses")]
    stranger = Client()
    stranger.force_login(make_member("stranger@example.org"))
    stranger.post(address)
    assert phone.get("/account").status_code == 200


def test_signing_out_everywhere_ends_every_session_and_no_key(
    signed_in: Client, member: Member, entry_point: Any
) -> None:
    phone, api = browser(IPHONE), entry_point(member)
    response = signed_in.post("/account/sign-out")
    assert response.headers["Location"] == "/sign-in"
    assert "You are signed out everywhere." in text_of(signed_in, "/sign-in")
    assert {client.get("/account").status_code for client in (signed_in, phone)} == {302}
    assert not BrowserSession.objects.filter(member=member).exists()
    assert api.call("get_me").error is None


@pytest.mark.django_db(transaction=True)
def test_a_session_whose_member_vanishes_is_aborted_without_a_retry() -> None:
    """Django mistakes the database error for a session key in use."""
    session = SessionStore()
    session[SESSION_KEY] = str(uuid4())
    with pytest.raises(SessionInterrupted):
        session.create()


class TestMembership:
    """The notices on `/account` and `/keys`."""

    @pytest.fixture(autouse=True)
    def renewing(self, settings: Any) -> None:
        settings.MEMBERSHIP_URL = "https://billing.example.org/renew"

    @pytest.mark.same_statements
    @each("path", ["/account", "/keys"])
    def test_a_lapsed_member_sees_the_pages_and_a_notice(self, signed_in: Client, member: Member, path: str) -> None:
        Member.objects.update(membership_active=False)
        page = text_of(signed_in, path)
        assert "You have no active membership" in page
        assert 'href="https://billing.example.org/renew"' in page

    @pytest.mark.same_statements
    @each("path", ["/account", "/keys"])
    @each(("days", "told"), [(-1, "lapsed after"), (0, "ends after"), (14, "ends after"), (15, "")])
    def test_the_end_is_announced_fourteen_days_before(
        self, signed_in: Client, member: Member, path: str, days: int, told: str
    ) -> None:
        end = member.today() + timedelta(days=days)
        Member.objects.update(membership_until=end)
        page = text_of(signed_in, path)
        assert (f"membership {told} {end:%-d %B %Y}" in page) is bool(told)
        assert ("membership ends" in page or "membership lapsed" in page) is bool(told)

    def test_without_an_address_there_is_no_link(self, signed_in: Client, settings: Any) -> None:
        settings.MEMBERSHIP_URL = ""
        Member.objects.update(membership_active=False, membership_until=date(2026, 1, 31))
        page = text_of(signed_in)
        assert "Your membership lapsed after 31 January 2026" in page
        assert "Renew your membership" not in page

    def test_the_api_names_the_renewal_address(self, lapsed: Any) -> None:
        url = "https://billing.example.org/renew"
        assert lapsed.made("get_me")["membership"]["renew_url"] == url
        assert f"Renew it at {url}" in lapsed.call("list_courses").body["message"]


def test_a_lapsed_member_can_change_the_profile(signed_in: Client, member: Member) -> None:
    Member.objects.update(membership_active=False)
    signed_in.post("/account", profile(time_zone="Asia/Tokyo"))
    member.refresh_from_db()
    assert member.time_zone == "Asia/Tokyo"
