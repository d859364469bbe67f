"""Sign-up depending on `SIGN_UP`: closed, by invitation, or by an e-mailed code."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core import mail as outgoing
from django.core.management import CommandError
from django.test import Client
from django.utils import timezone

from accounts import mail
from accounts.erasure.erasing import purge_all
from accounts.joining import Invitation, accept, invite
from accounts.models import Member
from studyservice.identity_provider import IdentityProvider
from studyservice.rates.networks import networks_from
from studyservice.secrets.generated import sha256
from tests.support.cases import each
from tests.support.commands import run, run_json

pytestmark = pytest.mark.django_db

NEW = "new@example.org"


def mails() -> list[Any]:
    mail.drain()
    return outgoing.outbox


def ask(client: Client, email: str = NEW, **fields: str) -> str:
    """Ask for a code and return it; empty if none was sent."""
    before = len(mails())
    assert client.post("/sign-in", {"email": email} | fields).status_code == 302
    sent = mails()[before:]
    return str(sent[0].subject[:6]) if sent else ""


def enter(client: Client, code: str, **fields: str) -> Any:
    return client.post("/sign-in/code", {"code": code} | fields)


def member_of(email: str = NEW) -> Member:
    return Member.objects.get(email=email)


def named_in_log() -> list[str]:
    """The addresses in the admin log."""
    return sorted(entry.object_repr for entry in LogEntry.objects.filter(object_repr__contains="@"))


class TestOpen:
    @pytest.fixture(autouse=True)
    def everybody(self, settings: Any) -> None:
        settings.SIGN_UP = "open"

    def test_a_code_creates_a_member(self, client: Client) -> None:
        code = ask(client)
        assert mails()[-1].to == [NEW]
        assert not Member.objects.exists()
        assert enter(client, code).headers["Location"] == "/"
        assert client.get("/account").status_code == 200
        member = member_of()
        assert (member.membership_active, member.membership_until, member.time_zone) == (True, None, "UTC")
        assert not member.has_usable_password()

    def test_joining_continues_to_the_waiting_app(self, client: Client) -> None:
        code = ask(client, next="/oauth/authorize?x=1")
        response = enter(client, code, next="/oauth/authorize?x=1")
        assert response.headers["Location"] == "/oauth/authorize?x=1"

    @pytest.mark.parametrize(("days", "active", "ahead"), [(30, True, 30), (0, False, None)])
    def test_the_membership_follows_the_setting(
        self, client: Client, settings: Any, days: int, active: bool, ahead: int | None
    ) -> None:
        settings.SIGN_UP_MEMBERSHIP_DAYS = days
        enter(client, ask(client))
        until = None if ahead is None else timezone.now().date() + timedelta(days=ahead)
        assert (member_of().membership_active, member_of().membership_until) == (active, until)
        assert member_of().membership_is_active() is active

    def test_a_wrong_code_creates_no_member(self, client: Client) -> None:
        code = ask(client)
        for _ in range(5):
            enter(client, f"{(int(code) + 1) % 10**6:06}")
        enter(client, code)
        assert not Member.objects.exists()

    def test_a_code_works_once_and_in_its_browser(self, client: Client) -> None:
        code = ask(client)
        other = Client()
        ask(other, "other@example.org")
        enter(other, code)
        assert not Member.objects.filter(email=NEW).exists()
        enter(client, code)
        client.post("/sign-out")
        assert Member.objects.filter(email=NEW).count() == 1

    def test_a_member_who_joined_meanwhile_is_signed_in(self, client: Client, make_member: Any) -> None:
        code = ask(client)
        known = make_member(NEW, name="Ada")
        enter(client, code)
        assert member_of() == known
        assert client.get("/account").status_code == 200

    def test_an_abandoned_address_is_rejected(self, client: Client, make_member: Any) -> None:
        """An earlier version running during a migration causes this."""
        member = make_member(NEW)
        Member.objects.filter(id=member.id).update(email="elsewhere@example.org")
        response = enter(client, ask(client))
        assert (response.status_code, Member.objects.count()) == (200, 1)

    def test_a_deactivated_member_gets_no_code(self, client: Client, make_member: Any) -> None:
        make_member(NEW, is_active=False)
        assert ask(client) == ""

    def test_closing_sign_up_invalidates_sent_codes(self, client: Client, settings: Any) -> None:
        code = ask(client)
        settings.SIGN_UP = "closed"
        assert "expired or was already used" in enter(client, code).content.decode()
        assert not Member.objects.exists()

    def test_the_page_is_the_same_for_known_and_unknown_addresses(self, make_member: Any) -> None:
        make_member("known@example.org")
        pages = []
        for email in ("known@example.org", NEW):
            client = Client()
            ask(client, email)
            page = client.get("/sign-in/code").content.decode().replace(email, "EMAIL")
            pages.append([line for line in page.splitlines() if "csrfmiddlewaretoken" not in line])
        assert pages[0] == pages[1]

    @pytest.mark.django_db(transaction=True)
    def test_two_browsers_at_once_create_one_member(self, in_threads: Callable[..., list[Any]]) -> None:
        browsers = [Client(), Client()]
        codes = [ask(browser) for browser in browsers]
        in_threads(lambda n: enter(browsers[n], codes[n]), [0, 1])
        assert Member.objects.filter(email=NEW).count() == 1
        assert [browser.get("/account").status_code for browser in browsers] == [200, 200]


@pytest.mark.parametrize("sign_up", ["closed", "invited"])
def test_no_code_creates_a_member_unless_sign_up_is_open(client: Client, settings: Any, sign_up: str) -> None:
    settings.SIGN_UP = sign_up
    assert ask(client) == ""
    settings.SIGN_UP = "open"
    for code in ("000000", "123456"):
        enter(client, code)
    assert not Member.objects.exists()


class TestInvited:
    @pytest.fixture(autouse=True)
    def invited_only(self, settings: Any) -> None:
        settings.SIGN_UP = "invited"

    def link(self, email: str = NEW) -> str:
        return str(run_json("invite", email)["url"]).removeprefix("http://127.0.0.1:8000")

    def test_the_command_sends_and_prints_the_link(self) -> None:
        printed = run_json("invite", "New@Example.org")
        assert set(printed) == {"email", "url", "expires_at"}
        assert printed["email"] == NEW
        [message] = mails()
        assert (message.to, printed["url"] in message.body) == ([NEW], True)
        assert printed["url"].startswith("http://127.0.0.1:8000/join?invitation=svc_inv_")

    def test_the_link_creates_a_member_once(self, client: Client) -> None:
        link = self.link()
        assert client.get(link).headers["Location"] == "/join"
        assert NEW in client.get("/join").content.decode()
        assert not Member.objects.exists()
        assert client.post("/join").headers["Location"] == "/"
        assert client.get("/account").status_code == 200
        assert member_of().membership_until is None
        assert not Invitation.objects.exists()
        again = Client().get(link)
        assert (again.status_code, "no longer works" in again.content.decode()) == (404, True)

    def test_the_page_offers_the_identity_provider(self, client: Client, settings: Any) -> None:
        client.get(self.link())
        button = 'href="/sign-in/oidc">Sign in with Example College</a>'
        assert button not in client.get("/join").content.decode()
        settings.IDENTITY_PROVIDER = IdentityProvider("https://login.example.edu", "id", "secret", "Example College")
        assert button in client.get("/join").content.decode()

    def test_it_expires_after_seven_days_and_is_purged(self, client: Client, time_machine: Any) -> None:
        time_machine.move_to("2026-11-22T12:00:00Z", tick=False)
        link = self.link()
        time_machine.move_to("2026-11-29T11:59:59Z", tick=False)
        assert client.get(link).status_code == 302
        assert client.get("/join").status_code == 200
        time_machine.move_to("2026-11-29T12:00:01Z", tick=False)
        assert client.post("/join").status_code == 404
        assert not Member.objects.exists()
        assert run_json("purgeexpired")["invitations"] == 1

    def test_a_new_invitation_replaces_the_old_one(self) -> None:
        old, new = self.link(), self.link()
        assert (Client().get(old).status_code, Client().get(new).status_code) == (404, 302)
        assert Invitation.objects.count() == 1

    def test_an_invented_link_stores_nothing(self, client: Client) -> None:
        assert client.get("/join?invitation=svc_inv_x").status_code == 404
        assert "sessionid" not in client.cookies
        assert client.get("/join").status_code == 404

    @each(("email", "message"), [("x", "Enter a valid email address."), (" ", "Enter a valid email address.")])
    def test_an_invalid_address_is_rejected(self, email: str, message: str) -> None:
        with pytest.raises(CommandError, match=message):
            run("invite", email)

    def test_a_member_cannot_be_invited(self, make_member: Any) -> None:
        make_member(NEW)
        with pytest.raises(CommandError, match="is a member already"):
            run("invite", NEW)

    def test_closing_sign_up_disables_invitations_and_links(self, client: Client, settings: Any) -> None:
        link = self.link()
        settings.SIGN_UP = "closed"
        with pytest.raises(CommandError, match="SIGN_UP is closed"):
            run("invite", "other@example.org")
        assert client.get(link).status_code == 404

    def test_only_a_hash_is_stored(self) -> None:
        secret = self.link().partition("=")[2]
        assert Invitation.objects.get().secret_hash == sha256(secret)

    def test_it_does_not_open_an_existing_account(self, client: Client, make_member: Any) -> None:
        """The inviting operator also has the link, so it does not prove the address. Signing in does."""
        link = self.link()
        make_member(NEW)
        client.get(link)
        assert client.post("/join").status_code == 404
        assert client.get("/account").headers["Location"].startswith("/sign-in")
        assert not Invitation.objects.exists()

    def test_joining_counts_apart_from_signing_in(self, client: Client) -> None:
        """A class joins from one address."""
        client.get(self.link())
        for _ in range(16):
            refused = Client().post("/sign-in", {"email": "x"})
        assert refused.status_code == 429
        assert client.post("/join").headers["Location"] == "/"

    def test_sixty_an_hour_join_from_an_address(self, client: Client) -> None:
        client.get(self.link())
        for _ in range(60):
            assert Client().post("/join").status_code == 404
        refused = client.post("/join")
        assert refused.status_code == 429
        assert 3500 < int(refused.headers["Retry-After"]) <= 3600
        assert client.post("/join", REMOTE_ADDR="203.0.113.9").headers["Location"] == "/"

    def test_more_join_from_one_of_rate_networks(self, client: Client, settings: Any) -> None:
        settings.RATE_NETWORKS = networks_from("127.0.0.0/8=2")
        client.get(self.link())
        for _ in range(119):
            Client().post("/join")
        assert client.post("/join").headers["Location"] == "/"
        assert client.post("/join").status_code == 429

    def test_it_is_deleted_with_a_member_of_that_address(self, make_member: Any) -> None:
        self.link()
        make_member(NEW).delete()
        assert not Invitation.objects.exists()

    @pytest.mark.django_db(transaction=True)
    def test_one_of_two_concurrent_acceptances_succeeds(self, in_threads: Callable[..., list[Any]]) -> None:
        secret_hash = sha256(invite(NEW).url.partition("=")[2])
        made = in_threads(lambda _: accept(secret_hash), [0, 1])
        assert [member is None for member in made].count(True) == 1
        assert Member.objects.filter(email=NEW).count() == 1

    @pytest.mark.django_db(transaction=True)
    def test_an_operator_can_invite_and_withdraw(self, admin: Client) -> None:
        for sent in (1, 2):
            response = admin.post("/admin/accounts/invitation/add/", {"email": NEW}, follow=True)
            assert "shown only now: http://127.0.0.1:8000/join?invitation=svc_inv_" in response.content.decode()
            assert [message.to for message in mails()] == [
                [NEW]
            ] * sent  # it was sent; another link would invalidate the first
        row = Invitation.objects.get()
        admin.post(f"/admin/accounts/invitation/{row.id}/delete/", {"post": "yes"})
        assert not Invitation.objects.exists()

    def test_the_admin_log_forgets_who_did_not_join(self, admin: Client, client: Client, time_machine: Any) -> None:
        """The invitation names its new member until they are deleted (`test_erasure.py`)."""
        time_machine.move_to("2026-11-22T12:00:00Z", tick=False)
        for email in ("withdrawn@example.org", "late@example.org", NEW):
            shown = admin.post("/admin/accounts/invitation/add/", {"email": email}, follow=True).content.decode()
        client.get("/join", {"invitation": re.findall(r"svc_inv_[\w-]+", shown)[0]})
        client.post("/join")
        withdrawn = Invitation.objects.get(email="withdrawn@example.org")
        admin.post(f"/admin/accounts/invitation/{withdrawn.id}/delete/", {"post": "yes"})
        assert purge_all()["addresses_of_invitations"] == 2
        assert named_in_log() == ["late@example.org", NEW]
        time_machine.move_to("2026-11-29T12:00:01Z", tick=False)
        assert purge_all()["addresses_of_invitations"] == 1
        assert (named_in_log(), purge_all()["addresses_of_invitations"]) == ([NEW], 0)
        assert LogEntry.objects.count() == 4

    def test_an_operator_learns_that_a_member_exists(self, admin: Client, make_member: Any) -> None:
        make_member(NEW)
        response = admin.post("/admin/accounts/invitation/add/", {"email": NEW}, follow=True)
        assert "is a member already" in response.content.decode()
        assert not Invitation.objects.exists()
