"""The operators' commands: what they do, what they print, and that a wrong input changes nothing."""

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from typing import Any
from unittest.mock import ANY

import pytest
import time_machine
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts import purging
from accounts.browser_sessions import BrowserSession
from accounts.models import ApiKey, Member
from tests import ROOT
from tests.conftest import MakeKey, MakeMember
from tests.support.databases import url_of
from tests.support.doors import RestDoor
from tests.support.factories import ApiKeyFactory, SessionFactory
from trial.prepare import prepare as trial

EMAIL = "owner@example.org"
TOO_SHORT = "This password is too short. It must contain at least 8 characters."


def run(*arguments: str) -> str:
    """What a command prints on standard output."""
    stdout, stderr = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=stdout, stderr=stderr)
    assert stderr.getvalue() == ""
    return stdout.getvalue()


def run_json(*arguments: str) -> Any:
    """The one JSON object that a command prints with `--json`."""
    return json.loads(run(*arguments, "--json"))


def refusal(*arguments: str) -> str:
    """The one line in which a command refuses."""
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    [line] = str(refused.value).splitlines()
    return line


class TestCreateMember:
    pytestmark = pytest.mark.django_db

    def test_the_least(self) -> None:
        answer = run_json("createmember", " New@Example.org ")
        member = Member.objects.get()
        assert answer == {"id": str(member.id), "email": "new@example.org", "api_key": None}
        assert (member.name, member.time_zone, member.is_staff, member.is_superuser) == ("", "UTC", False, False)
        assert member.membership_is_active()
        assert not member.has_usable_password()

    def test_every_option(self) -> None:
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
        me = RestDoor(answer["api_key"]).made("get_me")
        assert (me["email"], me["scopes"]) == (EMAIL, ["read"])
        assert me["membership"] == {"active": False, "until": None, "renew_url": None}

    def test_without_json_it_is_said_in_words(self) -> None:
        printed = run("createmember", EMAIL, "--api-key", "Key")
        member = Member.objects.get()
        first, second = printed.splitlines()
        assert first == f"Created {EMAIL} ({member.id})."
        assert RestDoor(second.removeprefix("API key, shown only now: ")).call("get_me").error is None

    @pytest.mark.parametrize(
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
    def test_a_wrong_input_creates_nothing(self, arguments: list[str], message: str) -> None:
        assert refusal("createmember", *arguments) == message
        assert not Member.objects.exists()

    def test_an_address_names_one_member(self, owner_member: Member) -> None:
        assert refusal("createmember", "OWNER@example.org") == "email: Member with this Email already exists."
        assert list(Member.objects.all()) == [owner_member]


@pytest.mark.django_db(transaction=True)
def test_of_parallel_creates_of_one_member_one_succeeds(in_threads: Callable[..., list[Any]]) -> None:
    def create(number: int) -> str:
        try:
            return run("createmember", EMAIL)[:7]
        except CommandError as error:
            return str(error)

    answers = in_threads(create, list(range(6)))
    assert sorted(answers) == ["Created"] + ["email: Member with this Email already exists."] * 5


@pytest.mark.usefixtures("owner_member")
class TestCreateApiKey:
    def test_the_least(self) -> None:
        answer = run_json("createapikey", "Owner@Example.org", " Calendar ")
        key = ApiKey.objects.get()
        assert answer == {"id": str(key.id), "api_key": ANY}
        assert (key.name, key.may_write, key.expires_at) == ("Calendar", True, None)
        assert RestDoor(answer["api_key"]).made("get_me")["scopes"] == ["read", "write"]

    @pytest.mark.parametrize(
        ("scopes", "granted"), [("read", ["read"]), ("write", ["read", "write"]), ("write read", ["read", "write"])]
    )
    def test_write_includes_read(self, scopes: str, granted: list[str]) -> None:
        answer = run_json("createapikey", EMAIL, "Key", "--scopes", scopes)
        assert RestDoor(answer["api_key"]).made("get_me")["scopes"] == granted

    def test_it_expires_after_the_days_given(self) -> None:
        secret = run_json("createapikey", EMAIL, "Key", "--expires-days", "30")["api_key"]
        expires_at = ApiKey.objects.get().expires_at
        assert expires_at is not None
        with time_machine.travel(expires_at - timedelta(seconds=1), tick=False):
            assert RestDoor(secret).call("get_me").error is None
        with time_machine.travel(expires_at, tick=False):
            assert RestDoor(secret).call("get_me").error == "unauthorized"

    def test_it_never_expires_when_told_so(self) -> None:
        run("createapikey", EMAIL, "Key", "--expires-days", "never")
        assert ApiKey.objects.get().expires_at is None

    @pytest.mark.parametrize(
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
    def test_a_wrong_input_creates_nothing(self, arguments: list[str], message: str) -> None:
        assert refusal("createapikey", *arguments) == message
        assert not ApiKey.objects.exists()

    def test_ten_keys_are_the_most(self) -> None:
        """Spec, API keys; an expired or revoked one does not count."""
        for number in range(11):
            run("createapikey", EMAIL, f"Key {number}", "--expires-days", "30")
            ApiKey.objects.filter(name="Key 0").update(expires_at=timezone.now())
        assert refusal("createapikey", EMAIL, "One more") == (
            "There are 10 active API keys, the most there can be. Revoke one first."
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
    def test_it_ends(self, owner: RestDoor) -> None:
        assert run_json("setmembership", EMAIL, "inactive") == {"email": EMAIL, "active": False, "until": None}
        assert owner.call("list_courses").error == "membership_required"

    def test_it_is_renewed_open_ended(self, lapsed: RestDoor) -> None:
        answer = run_json("setmembership", "Lapsed@example.org", "active")
        assert answer == {"email": "lapsed@example.org", "active": True, "until": None}
        assert lapsed.call("list_courses").error is None

    def test_its_last_day_is_included_where_the_member_lives(self, owner: RestDoor) -> None:
        """Decisions, Fine print; the owner lives in Paris."""
        run("setmembership", EMAIL, "active", "--until", "2031-05-31")
        with time_machine.travel(datetime(2031, 5, 31, 21, 59, tzinfo=UTC), tick=False):
            assert owner.call("list_courses").error is None
        with time_machine.travel(datetime(2031, 5, 31, 22, 0, tzinfo=UTC), tick=False):
            assert owner.call("list_courses").error == "membership_required"

    def test_a_last_day_in_the_past_lapses(self, owner: RestDoor) -> None:
        answer = run_json("setmembership", EMAIL, "active", "--until", "2020-01-31")
        assert answer == {"email": EMAIL, "active": False, "until": "2020-01-31"}
        assert owner.call("list_courses").error == "membership_required"

    @pytest.mark.usefixtures("owner_member")
    def test_without_json_it_is_said_in_words(self) -> None:
        assert run("setmembership", EMAIL, "active", "--until", "2031-05-31") == (
            f"The membership of {EMAIL} is active, last day 2031-05-31.\n"
        )
        assert run("setmembership", EMAIL, "inactive") == f"The membership of {EMAIL} is inactive.\n"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["nobody@example.org", "inactive"], "There is no member nobody@example.org."),
            ([EMAIL, "inactive", "--until", "2031-05-31"], "--until goes with active."),
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
    def test_a_wrong_input_changes_nothing(self, owner_member: Member, arguments: list[str], message: str) -> None:
        Member.objects.update(membership_until=date(2030, 1, 1))
        assert refusal("setmembership", *arguments) == message
        owner_member.refresh_from_db()
        assert (owner_member.membership_active, owner_member.membership_until) == (True, date(2030, 1, 1))


@pytest.mark.django_db
class TestPurgeExpired:
    def test_it_removes_what_has_expired_and_nothing_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(purging, "BATCH", 2)
        now = timezone.now()
        for _ in range(5):
            SessionFactory.create(expire_date=now - timedelta(seconds=1))
        SessionFactory.create(session_key="live")
        assert run_json("purgeexpired")["sessions"] == 5
        assert [session.session_key for session in BrowserSession.objects.all()] == ["live"]
        assert "0 sessions" in run("purgeexpired")

    def test_keys_go_90_days_after_their_end(self, owner_member: Member, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(purging, "BATCH", 2)
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


@pytest.fixture
def body(tmp_path: Path) -> str:
    """A file with a message."""
    file = tmp_path / "message.txt"
    file.write_text("Version 2 is coming.\n", encoding="utf-8")
    return str(file)


@pytest.fixture
def audience(make_member: MakeMember, make_key: MakeKey) -> None:
    """Two members with active keys, one of them lapsed, and four without."""
    for name in ("active", "lapsed", "expired", "revoked", "blocked"):
        make_key(make_member(f"{name}@example.org", membership_active=name != "lapsed"))
    make_member("without@example.org")
    make_key(Member.objects.get(email="active@example.org"), "second")
    ApiKey.objects.filter(member__email="expired@example.org").update(expires_at=timezone.now())
    ApiKey.objects.filter(member__email="revoked@example.org").update(revoked_at=timezone.now())
    Member.objects.filter(email="blocked@example.org").update(is_active=False)


@pytest.mark.usefixtures("audience")
class TestAnnounce:
    """Spec, Versioning 3: by e-mail to members with active keys."""

    def test_each_member_with_an_active_key_gets_one_message(self, body: str) -> None:
        assert run("announce", "--subject", "Version 2", "--body-file", body) == "Sent to 2 members.\n"
        assert [(message.to, message.subject, message.body) for message in mail.outbox] == [
            (["active@example.org"], "Version 2", "Version 2 is coming.\n"),
            (["lapsed@example.org"], "Version 2", "Version 2 is coming.\n"),
        ]

    def test_a_dry_run_sends_none(self, body: str) -> None:
        printed = run("announce", "--subject", "Version 2", "--body-file", body, "--dry-run")
        assert printed == "active@example.org\nlapsed@example.org\nWould be sent to 2 members.\n"
        assert mail.outbox == []

    def test_a_refused_address_keeps_nobody_else_from_theirs(self, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
        send = EmailBackend.send_messages

        def refusing(self: EmailBackend, messages: Any) -> int:
            if messages[0].to == ["active@example.org"]:
                raise SMTPRecipientsRefused({"active@example.org": (550, b"unknown")})
            return send(self, messages)

        monkeypatch.setattr(EmailBackend, "send_messages", refusing)
        stdout, stderr = io.StringIO(), io.StringIO()
        with pytest.raises(CommandError, match=r"^Not sent to 1 member, named above\.$"):
            call_command("announce", "--subject", "S", "--body-file", body, stdout=stdout, stderr=stderr)
        assert [message.to for message in mail.outbox] == [["lapsed@example.org"]]
        assert stdout.getvalue() == "Sent to 1 member.\n"
        assert stderr.getvalue().startswith("active@example.org: ")

    @pytest.mark.parametrize(
        ("subject", "content", "message"),
        [
            (" ", "text", "--subject must be one line."),
            ("a\rBcc: all", "text", "--subject must be one line."),
            ("a", " \n", "--body-file is empty."),
            ("a", None, "--body-file cannot be read: [Errno 2] No such file or directory: 'none.txt'"),
        ],
    )
    def test_a_wrong_input_sends_none(
        self, subject: str, content: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        if content is not None:
            Path("none.txt").write_text(content, encoding="utf-8")
        assert refusal("announce", "--subject", subject, "--body-file", "none.txt") == message
        assert mail.outbox == []


@pytest.mark.django_db
def test_trial_makes_one_member_with_data_around_today(
    settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.STATIC_ROOT = str(tmp_path)
    trial()
    printed = capsys.readouterr().out
    [curl] = [line for line in printed.splitlines() if "curl" in line]
    door = RestDoor(curl.split("Bearer ")[1].split("'")[0])
    assert curl.strip() == f"curl -H 'Authorization: Bearer {door.secret}' {settings.BASE_URL}/v1/agenda"
    agenda = door.made("get_agenda")
    assert agenda["items"]
    assert agenda["milestones"]
    [line] = [line for line in printed.splitlines() if line.strip().startswith("password")]
    assert Member.objects.get().check_password(line.split()[-1])
    trial()
    again = capsys.readouterr().out
    for path in ("/", "/keys", "/mcp", "/docs", "/admin"):
        assert f"{settings.BASE_URL}{path}" in again
        assert f"{settings.BASE_URL}{path}" in printed
    assert f"DATA_DIR='{settings.DATA_DIR}' .venv/bin/python manage.py createmember you@example.org --staff" in again
    assert "Careful" not in again
    assert Member.objects.count() == 1


@pytest.mark.django_db
def test_a_trial_on_a_network_says_what_it_risks(
    settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.STATIC_ROOT, settings.HOST = str(tmp_path), "0.0.0.0"  # noqa: S104
    trial()
    printed = capsys.readouterr().out
    assert "over http whoever is on the way reads what is sent, passwords and keys included" in printed
    assert f"BASE_URL names, which is {settings.BASE_URL}" in printed
    settings.BASE_URL = "http://192.168.1.20:8000"
    trial()
    printed = capsys.readouterr().out
    assert "Careful" in printed
    assert "BASE_URL" not in printed


def typed(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """A command with the settings of this run, as an operator would type it."""
    return subprocess.Popen(  # our own program
        [sys.executable, ROOT / "manage.py", *arguments],
        env=os.environ | {"DATABASE_URL": url_of(connection.settings_dict["NAME"])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def ended(command: "subprocess.Popen[str]", given: str | None = None) -> tuple[int, str, str]:
    """Its status, output and errors, after it was `given` its input."""
    stdout, stderr = command.communicate(given, timeout=60)
    return command.returncode, stdout, stderr


@pytest.mark.django_db(transaction=True)
class TestPasswordOffTheCommandLine:
    """What is typed after `--password` everybody on the machine can read in the list of processes."""

    def test_it_comes_on_standard_input(self) -> None:
        command = typed("createmember", EMAIL, "--password-stdin", stdin=subprocess.PIPE)
        status, _, errors = ended(command, "correct horse \nnot this\n")
        assert (status, errors) == (0, "")
        assert Member.objects.get().check_password("correct horse ")

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("", "CommandError: --password-stdin: must not be empty\n"),
            ("a\n", f"CommandError: password: {TOO_SHORT} This password is too common.\n"),
        ],
    )
    def test_a_wrong_one_creates_nothing(self, given: str, message: str) -> None:
        command = typed("createmember", EMAIL, "--password-stdin", stdin=subprocess.PIPE)
        assert ended(command, given) == (1, "", message)
        assert not Member.objects.exists()

    @pytest.mark.parametrize(
        ("again", "status", "said"),
        [("correct horse", 0, "\n"), ("correct house", 1, "\nCommandError: The passwords are not the same.\n")],
    )
    def test_it_is_asked_for_twice_and_not_shown(self, again: str, status: int, said: str) -> None:
        keyboard, terminal = pty.openpty()
        command = typed("createmember", EMAIL, "--password-prompt", stdin=terminal, start_new_session=True)
        os.close(terminal)
        assert command.stderr is not None
        for prompt, answer in (("Password: ", "correct horse"), ("\nPassword again: ", again)):
            assert command.stderr.read(len(prompt)) == prompt
            os.write(keyboard, f"{answer}\n".encode())
        assert ended(command) == (status, ANY, said)
        shown = b""
        with suppress(OSError):  # the end of a terminal that nobody holds
            shown = os.read(keyboard, 1024)
        os.close(keyboard)
        assert b"correct" not in shown
        assert [member.check_password("correct horse") for member in Member.objects.all()] == [True] * (status == 0)

    def test_without_a_terminal_nobody_is_asked(self) -> None:
        command = typed("createmember", EMAIL, "--password-prompt", stdin=subprocess.PIPE, start_new_session=True)
        refused = "CommandError: There is no terminal to ask on. Use --password-stdin.\n"
        assert ended(command, "correct horse\n") == (1, "", refused)
        assert not Member.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_command_line_prints_json_alone() -> None:
    status, printed, errors = ended(typed("createmember", EMAIL, "--api-key", "Key", "--json"))
    assert (status, errors) == (0, "")
    assert printed.count("\n") == 1
    assert RestDoor(json.loads(printed)["api_key"]).made("get_me")["email"] == EMAIL
