"""The operators' commands: effect and output, and invalid input, which changes nothing."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import ANY

import pytest
import time_machine
from django.conf import settings
from django.core.management import CommandError
from django.utils import timezone

from accounts.erasure import erasing
from accounts.models import ApiKey, Member
from accounts.signing_in.models import BrowserSession
from tests.conftest import MakeKey
from tests.support.cases import each
from tests.support.commands import refusal, run, run_json
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ApiKeyFactory, SessionFactory

EMAIL = "owner@example.org"
TOO_SHORT = "This password is too short. It must contain at least 8 characters."


class TestCreateMember:
    pytestmark = pytest.mark.django_db

    def test_required_options_are_enough(self) -> None:
        answer = run_json("createmember", " New@Example.org ")
        member = Member.objects.get()
        assert answer == {"id": str(member.id), "email": "new@example.org", "api_key": None}
        assert (member.name, member.time_zone, member.is_staff, member.is_superuser) == ("", "UTC", False, False)
        assert member.membership_is_active()
        assert not member.has_usable_password()

    def test_every_option_is_applied(self) -> None:
        options = ["--name", "New", "--time-zone", "Asia/Kolkata", "--password", "correct horse", "--staff"]
        answer = run_json(
            "createmember",
            EMAIL,
            *options,
            "--inactive",
            "--api-key",
            "Key",
            "--scopes",
            "read",
            "--expires-days",
            "30",
        )
        member, key = Member.objects.get(), ApiKey.objects.get()
        assert answer == {"id": str(member.id), "email": EMAIL, "api_key": ANY}
        assert (member.name, member.time_zone, member.is_staff, member.is_superuser) == (
            "New",
            "Asia/Kolkata",
            True,
            True,
        )
        assert member.check_password("correct horse")
        assert not member.membership_is_active()
        assert (key.name, key.may_write, key.expires_at) == ("Key", False, key.created_at + timedelta(days=30))
        me = RestEntryPoint(answer["api_key"]).made("get_me")
        assert (me["email"], me["scopes"]) == (EMAIL, ["read"])
        assert me["membership"] == {"active": False, "until": None, "renew_url": None}

    def test_without_json_it_prints_sentences(self) -> None:
        printed = run("createmember", EMAIL, "--api-key", "Key")
        member = Member.objects.get()
        first, second, third = printed.splitlines()
        assert first == f"Created {EMAIL} ({member.id})."
        assert third == f"Signs in at {settings.BASE_URL}/sign-in with a code by e-mail."
        assert RestEntryPoint(second.removeprefix("API key, shown only now: ")).call("get_me").error is None

    @pytest.mark.same_statements
    @each(
        ("arguments", "message"),
        [
            (["no address"], "email: Enter a valid email address."),
            ([""], "email: This field cannot be blank."),
            (["\udcff@example.org"], "Error: argument email: is not text: '\\udcff@example.org'"),
            ([EMAIL, "--name", "x" * 151], "name: Ensure this value has at most 150 characters (it has 151)."),
            ([EMAIL, "--time-zone", "Mars"], "time_zone: Mars is not an IANA time zone, such as Europe/Paris."),
            ([EMAIL, "--password", ""], "Error: argument --password: must not be empty"),
            ([EMAIL, "--api-key", ""], "name: This field cannot be blank."),
            ([EMAIL, "--api-key", "x" * 61], "name: Ensure this value has at most 60 characters (it has 61)."),
            (
                [EMAIL, "--scopes", "write admin"],
                "Error: argument --scopes: scopes are read and write, not 'write admin'",
            ),
            (
                [EMAIL, "--expires-days", "0"],
                "Error: argument --expires-days: a number of days from 30 to 36500, or never, not '0'",
            ),
            ([EMAIL, "--staff", "--password", "a"], f"password: {TOO_SHORT} This password is too common."),
            ([EMAIL, "--password", "password1"], "password: This password is too common."),
            (
                ["harriet@example.org", "--password", "harriet@example"],
                "password: The password is too similar to the email.",
            ),
            (
                [EMAIL, "--password", "correct horse", "--password-stdin"],
                "Error: argument --password-stdin: not allowed with argument --password",
            ),
        ],
    )
    def test_invalid_input_creates_nothing(self, arguments: list[str], message: str) -> None:
        assert refusal("createmember", *arguments) == message
        assert not Member.objects.exists()

    def test_an_address_belongs_to_one_member(self, owner_member: Member) -> None:
        assert refusal("createmember", "OWNER@example.org") == "email: Member with this Email already exists."
        assert list(Member.objects.all()) == [owner_member]


@pytest.mark.django_db(transaction=True)
def test_one_of_several_parallel_creations_of_a_member_succeeds(in_threads: Callable[..., list[Any]]) -> None:
    def create(number: int) -> str:
        try:
            return run("createmember", EMAIL)[:7]
        except CommandError as error:
            return str(error)

    answers = in_threads(create, list(range(6)))
    assert sorted(answers) == ["Created"] + ["email: Member with this Email already exists."] * 5


@pytest.mark.usefixtures("owner_member")
class TestCreateApiKey:
    def test_required_options_are_enough(self) -> None:
        answer = run_json("createapikey", "Owner@Example.org", " Calendar ")
        key = ApiKey.objects.get()
        assert answer == {"id": str(key.id), "api_key": ANY}
        assert (key.name, key.may_write, key.expires_at) == ("Calendar", True, None)
        assert RestEntryPoint(answer["api_key"]).made("get_me")["scopes"] == ["read", "write"]

    @each(("scopes", "granted"), [("read", ["read"]), ("write", ["read", "write"]), ("write read", ["read", "write"])])
    def test_write_includes_read(self, scopes: str, granted: list[str]) -> None:
        answer = run_json("createapikey", EMAIL, "Key", "--scopes", scopes)
        assert RestEntryPoint(answer["api_key"]).made("get_me")["scopes"] == granted

    def test_it_expires_after_the_days_given(self) -> None:
        secret = run_json("createapikey", EMAIL, "Key", "--expires-days", "30")["api_key"]
        expires_at = ApiKey.objects.get().expires_at
        assert expires_at is not None
        with time_machine.travel(expires_at - timedelta(seconds=1), tick=False):
            assert RestEntryPoint(secret).call("get_me").error is None
        with time_machine.travel(expires_at, tick=False):
            assert RestEntryPoint(secret).call("get_me").error == "unauthorized"

    def test_without_json_it_says_what_the_key_may_do(self) -> None:
        assert run("createapikey", EMAIL, "One").splitlines()[1] == "It may read and write."
        second = run("createapikey", EMAIL, "Two", "--scopes", "read", "--no-grades")
        assert second.splitlines()[1] == "It may only read; no grades."

    def test_it_can_be_created_without_expiry(self) -> None:
        run("createapikey", EMAIL, "Key", "--expires-days", "never")
        assert ApiKey.objects.get().expires_at is None

    @each(
        ("arguments", "message"),
        [
            (["nobody@example.org", "Key"], "There is no member nobody@example.org."),
            ([EMAIL, " "], "name: This field cannot be blank."),
            ([EMAIL, "x" * 61], "name: Ensure this value has at most 60 characters (it has 61)."),
            ([EMAIL, "Key", "--scopes", ""], "Error: argument --scopes: scopes are read and write, not ''"),
            (
                [EMAIL, "Key", "--expires-days", "36501"],
                "Error: argument --expires-days: a number of days from 30 to 36500, or never, not '36501'",
            ),
            (
                [EMAIL, "Key", "--expires-days", "29"],
                "Error: argument --expires-days: a number of days from 30 to 36500, or never, not '29'",
            ),
            ([EMAIL], "Error: the following arguments are required: name"),
        ],
    )
    def test_invalid_input_creates_nothing(self, arguments: list[str], message: str) -> None:
        assert refusal("createapikey", *arguments) == message
        assert not ApiKey.objects.exists()

    def test_ten_keys_are_the_maximum(self) -> None:
        """Spec, API keys. Expired and revoked keys do not count."""
        for number in range(11):
            run("createapikey", EMAIL, f"Key {number}", "--expires-days", "30")
            ApiKey.objects.filter(name="Key 0").update(expires_at=timezone.now())
        assert refusal("createapikey", EMAIL, "One more") == (
            "You have reached the limit of 10 active API keys. Revoke one first."
        )
        ApiKey.objects.filter(name="Key 1").update(revoked_at=timezone.now())
        run("createapikey", EMAIL, "One more")


@pytest.mark.django_db(transaction=True)
def test_parallel_keys_stop_at_ten(
    owner_member: Member, make_key: MakeKey, in_threads: Callable[..., list[Any]]
) -> None:
    for number in range(9):
        make_key(owner_member, f"Key {number}")

    def create(number: int) -> bool:
        try:
            run("createapikey", EMAIL, f"New {number}")
        except CommandError:
            return False
        return True

    assert in_threads(create, list(range(12))).count(True) == 1
    assert owner_member.api_keys.count() == 10


class TestSetMembership:
    def test_a_membership_can_be_ended(self, owner: RestEntryPoint) -> None:
        assert run_json("setmembership", EMAIL, "inactive") == {"email": EMAIL, "active": False, "until": None}
        assert owner.call("list_courses").error == "membership_required"

    def test_a_membership_can_be_renewed_open_ended(self, lapsed: RestEntryPoint) -> None:
        answer = run_json("setmembership", "Lapsed@example.org", "active")
        assert answer == {"email": "lapsed@example.org", "active": True, "until": None}
        assert lapsed.call("list_courses").error is None

    def test_its_last_day_is_included_in_the_members_time_zone(self, owner: RestEntryPoint) -> None:
        """Decisions, Fine print. The owner lives in Paris."""
        run("setmembership", EMAIL, "active", "--until", "2031-05-31")
        with time_machine.travel(datetime(2031, 5, 31, 21, 59, tzinfo=UTC), tick=False):
            assert owner.call("list_courses").error is None
        with time_machine.travel(datetime(2031, 5, 31, 22, 0, tzinfo=UTC), tick=False):
            assert owner.call("list_courses").error == "membership_required"

    def test_a_past_last_day_lapses_the_membership(self, owner: RestEntryPoint) -> None:
        answer = run_json("setmembership", EMAIL, "active", "--until", "2020-01-31")
        assert answer == {"email": EMAIL, "active": False, "until": "2020-01-31"}
        assert owner.call("list_courses").error == "membership_required"

    @pytest.mark.usefixtures("owner_member")
    def test_without_json_it_prints_sentences(self) -> None:
        assert run("setmembership", EMAIL, "active", "--until", "2031-05-31") == (
            f"The membership of {EMAIL} is active, last day 2031-05-31.\n"
        )
        assert run("setmembership", EMAIL, "inactive") == f"The membership of {EMAIL} is inactive.\n"

    @each(
        ("arguments", "message"),
        [
            (["nobody@example.org", "inactive"], "There is no member nobody@example.org."),
            ([EMAIL, "inactive", "--until", "2031-05-31"], "--until requires active."),
            (
                [EMAIL, "active", "--until", "31.05.2031"],
                "Error: argument --until: a date written YYYY-MM-DD, not '31.05.2031'",
            ),
            (
                [EMAIL, "active", "--until", "20200131"],
                "Error: argument --until: a date written YYYY-MM-DD, not '20200131'",
            ),
        ],
    )
    def test_invalid_input_changes_nothing(self, owner_member: Member, arguments: list[str], message: str) -> None:
        Member.objects.update(membership_until=date(2030, 1, 1))
        assert refusal("setmembership", *arguments) == message
        owner_member.refresh_from_db()
        assert (owner_member.membership_active, owner_member.membership_until) == (True, date(2030, 1, 1))


@pytest.mark.django_db
class TestPurgeExpired:
    def test_it_removes_only_expired_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(erasing, "BATCH", 2)
        now = timezone.now()
        for _ in range(5):
            SessionFactory.create(expire_date=now - timedelta(seconds=1))
        SessionFactory.create(session_key="live")
        assert run_json("purgeexpired")["sessions"] == 5
        assert [session.session_key for session in BrowserSession.objects.all()] == ["live"]
        assert "sessions" not in run("purgeexpired")

    def test_keys_are_deleted_90_days_after_their_end(
        self, owner_member: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(erasing, "BATCH", 2)
        now = timezone.now()
        long_ago, lately = now - timedelta(days=90, seconds=1), now - timedelta(days=89)
        ends = {
            "live": {},
            "will expire": {"expires_at": now + timedelta(days=1)},
            "lately revoked": {"revoked_at": lately},
            "lately expired": {"expires_at": lately},
            "long revoked": {"revoked_at": long_ago},
            "long expired": {"expires_at": long_ago},
            "long expired, lately revoked": {"expires_at": long_ago, "revoked_at": lately},
            "long revoked, would still live": {"expires_at": now + timedelta(days=1), "revoked_at": long_ago},
        }
        for name, end in ends.items():
            ApiKeyFactory.create(member=owner_member, name=name, **end)
        assert run_json("purgeexpired")["api_keys"] == 4
        assert set(ApiKey.objects.values_list("name", flat=True)) == {name for name in ends if "long" not in name}
