"""Every page of the admin requires a recent second factor."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core import mail as outgoing
from django.test import Client

from accounts import mail
from accounts.models import Member
from tests.conftest import MakeMember
from tests.support.browsers import act
from tests.support.cases import each
from tests.support.second_factor import (
    APP,
    ASKED,
    PASSKEY,
    SET_UP,
    enrolled_app,
    later,
    led_to,
    open_to,
    shown,
    sign_in_by_code,
    text_of,
)
from tests.support.signing_in import EMAIL, PASSWORD, newest_code

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


def test_an_operator_without_a_second_factor_sets_it_up_first(operator_browser: Client) -> None:
    assert led_to(operator_browser, "/admin/accounts/member/") == SET_UP
    enrolled_app(operator_browser)
    assert open_to(operator_browser)


def test_an_operator_with_a_second_factor_confirms_and_continues(operator_browser: Client, member: Member) -> None:
    secret, _ = enrolled_app(operator_browser)
    browser = Client()
    sign_in_by_code(browser)
    response = browser.get("/admin/accounts/member/?q=a", follow=True)
    asked = response.redirect_chain[-1][0]
    assert urlsplit(asked).path == ASKED
    answered = browser.post(asked, {"code": shown(secret, steps=1)})
    assert (answered.status_code, answered.headers["Location"]) == (302, "/admin/accounts/member/?q=a")
    assert open_to(browser)


@each("path", ["", "accounts/member/", "autocomplete/", "jsi18n/", "courses/item/add/", "nothing"])
def test_every_admin_page_requires_it(operator_browser: Client, path: str) -> None:
    response = operator_browser.get(f"/admin/{path}")
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/admin/login/")


def test_a_post_without_it_changes_nothing(operator_browser: Client, make_member: MakeMember) -> None:
    other = make_member()
    act(operator_browser, "/admin/accounts/member/", "lapse", other)
    other.refresh_from_db()
    assert other.membership_active


def test_only_the_admin_requires_it(operator_browser: Client) -> None:
    assert operator_browser.get("/keys").status_code == 200


def test_other_members_have_no_such_page(client: Client, make_member: MakeMember) -> None:
    assert led_to(client, SET_UP) == "/sign-in"
    client.force_login(make_member())
    assert [client.get(path).status_code for path in (ASKED, SET_UP, APP, PASSKEY, f"{SET_UP}/code")] == [403] * 5


def test_the_service_does_not_ask_if_a_proxy_does(operator_browser: Client, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = "proxy"
    assert open_to(operator_browser)
    assert operator_browser.get(SET_UP).status_code == 404
    assert "Second factor" not in text_of(operator_browser.get("/account"))


def test_an_enrolled_operator_is_asked_even_in_a_trial(operator_browser: Client, member: Member, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = "optional"
    assert open_to(operator_browser)
    enrolled_app(operator_browser)
    browser = Client()
    sign_in_by_code(browser)
    assert led_to(browser, "/admin/") == ASKED


def test_the_check_on_each_page_costs_no_query(operator_browser: Client, django_assert_max_num_queries: Any) -> None:
    enrolled_app(operator_browser)
    with django_assert_max_num_queries(2):
        assert operator_browser.get("/admin/jsi18n/").status_code == 200


def test_signing_out_ends_it(operator_browser: Client) -> None:
    enrolled_app(operator_browser)
    operator_browser.post("/sign-out")
    sign_in_by_code(operator_browser)
    assert led_to(operator_browser, "/admin/") == ASKED


def test_signing_in_again_in_the_same_session_asks_again(operator_browser: Client) -> None:
    enrolled_app(operator_browser)
    operator_browser.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
    assert not open_to(operator_browser)


def test_it_lasts_twelve_hours(operator_browser: Client) -> None:
    enrolled_app(operator_browser)
    with later(12 * 3600 - 60):
        assert open_to(operator_browser)
    with later(12 * 3600 + 60):
        assert led_to(operator_browser, "/admin/") == ASKED


def test_changes_ask_again_after_a_quarter_of_an_hour(operator_browser: Client) -> None:
    secret, _ = enrolled_app(operator_browser)
    with later(16 * 60):
        assert led_to(operator_browser, APP) == ASKED
        assert operator_browser.post(f"{SET_UP}/recovery-codes").status_code == 302
        assert operator_browser.post(ASKED, {"code": shown(secret), "next": SET_UP}).headers["Location"] == SET_UP
        assert operator_browser.get(APP).status_code == 200


def test_the_session_key_changes_afterwards(operator_browser: Client) -> None:
    before = operator_browser.cookies["sessionid"].value
    enrolled_app(operator_browser)
    assert operator_browser.cookies["sessionid"].value != before
    leaked = Client()
    leaked.cookies["sessionid"] = before
    assert led_to(leaked, "/admin/") == "/sign-in"


def test_no_other_address_bypasses_it_after_a_password(client: Client, member: Member) -> None:
    """The code for the first factor is sent to the operator's address, so others must not change that."""
    theirs = "somebody@else.example.org"
    client.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
    client.post("/account/email", {"email": theirs, "current_password": PASSWORD})
    mail.drain()
    assert outgoing.outbox == []
    assert client.post("/account/email/code", {"code": "123456"}).status_code == 302
    assert led_to(client, "/account/email") == f"{SET_UP}/code"
    member.refresh_from_db()
    assert member.email == EMAIL


def test_proving_the_old_address_allows_changing_it(client: Client, member: Member) -> None:
    client.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
    asked = client.get("/account/email").headers["Location"]
    asked = client.post(asked).headers["Location"]
    assert client.post(asked, {"code": newest_code()}).headers["Location"] == "/account/email"
    client.post("/account/email", {"email": "new@example.org", "current_password": PASSWORD})
    client.post("/account/email/code", {"code": newest_code()})
    member.refresh_from_db()
    assert member.email == "new@example.org"


def test_an_enrolled_operator_confirms_before_changing_the_address(operator_browser: Client, member: Member) -> None:
    secret, _ = enrolled_app(operator_browser)
    browser = Client()
    sign_in_by_code(browser)
    asked = browser.get("/account/email").headers["Location"]
    assert urlsplit(asked).path == ASKED
    assert browser.post(asked, {"code": shown(secret, steps=1)}).headers["Location"] == "/account/email"
    assert browser.get("/account/email").status_code == 200
