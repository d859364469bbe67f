"""`invite --file`: everybody in a CSV, each once."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.joining import Invitation, invite
from accounts.models import Member, OutgoingMail
from studyservice.identity_provider import IdentityProvider
from tests.support.cases import each
from tests.support.commands import refusal, run, run_json

pytestmark = pytest.mark.django_db

ADA, BEN, CLEO = "ada@example.org", "ben@example.org", "cleo@example.org"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)

Write = Callable[..., str]


@pytest.fixture(autouse=True)
def noon(time_machine: Any, settings: Any) -> Any:
    settings.SIGN_UP = "invited"
    time_machine.move_to(NOW, tick=False)
    return time_machine


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file, and returns its path."""

    def write_file(text: str | bytes, encoding: str = "utf-8") -> str:
        path = tmp_path / "students.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return str(path)

    return write_file


def invited() -> list[tuple[str, str, str, date | None]]:
    return list(Invitation.objects.order_by("email").values_list("email", "name", "time_zone", "until"))


def queued() -> list[str]:
    return sorted(OutgoingMail.objects.values_list("email", flat=True))


def answer_of(path: str, *options: str) -> tuple[Any, str]:
    """The JSON of a run that refuses lines, and its error."""
    out = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("invite", "--file", path, "--json", *options, stdout=out)
    return json.loads(out.getvalue()), str(refused.value)


def join(browser: Client, email: str) -> Member:
    """Join by the e-mailed link."""
    run("delivermail")
    [body] = [str(message.body) for message in mail.outbox if message.to == [email]]
    browser.get("/join", {"invitation": body.partition("invitation=")[2].split()[0]})
    assert browser.post("/join").headers["Location"] == "/"
    return Member.objects.get(email=email)


def test_it_invites_everybody_and_queues_the_e_mails(write: Write) -> None:
    path = write(f"email\n{ADA}\nBen@Example.org\n")
    assert run_json("invite", "--file", path) == {"invited": 2, "left": 0, "refused": []}
    assert [email for email, *_ in invited()] == queued() == [ADA, BEN]
    assert mail.outbox == []
    run("delivermail")
    assert sorted(message.to[0] for message in mail.outbox) == [ADA, BEN]


def test_the_new_member_has_the_name_the_time_zone_and_the_last_day(write: Write, client: Client) -> None:
    run("invite", "--file", write(f"until,time_zone,email,name\n2027-06-30,Europe/Paris,{ADA},Ada Martin\n"))
    member = join(client, ADA)
    assert (member.name, member.time_zone) == ("Ada Martin", "Europe/Paris")
    assert (member.membership_active, member.membership_until) == (True, date(2027, 6, 30))


def test_empty_cells_are_as_usual(write: Write, client: Client, settings: Any) -> None:
    settings.SIGN_UP_MEMBERSHIP_DAYS = 30
    run("invite", "--file", write(f"email,name,time_zone,until\n{ADA},,,\n"))
    member = join(client, ADA)
    assert (member.name, member.time_zone, member.membership_until) == ("", "UTC", date(2026, 12, 22))


def test_a_last_day_counts_where_joining_gives_no_membership(write: Write, client: Client, settings: Any) -> None:
    settings.SIGN_UP_MEMBERSHIP_DAYS = 0
    run("invite", "--file", write(f"email,until\n{ADA},2027-06-30\n{BEN},\n"))
    assert join(client, ADA).membership_is_active()
    assert not join(Client(), BEN).membership_is_active()


def test_another_run_leaves_who_joined_or_is_invited(write: Write, make_member: Any) -> None:
    make_member(ADA)
    run("invite", BEN)
    first = Invitation.objects.get(email=BEN).secret_hash
    path = write(f"email\n{ADA}\n{BEN}\n{CLEO}\n")
    assert run_json("invite", "--file", path) == {"invited": 1, "left": 2, "refused": []}
    assert run_json("invite", "--file", path) == {"invited": 0, "left": 3, "refused": []}
    assert Invitation.objects.get(email=BEN).secret_hash == first
    assert queued() == [CLEO]


def test_an_expired_invitation_is_renewed(write: Write, noon: Any) -> None:
    path = write(f"email,name\n{ADA},Ada\n")
    run("invite", "--file", path)
    noon.move_to(NOW + timedelta(days=7, seconds=1))
    assert run_json("invite", "--file", path)["invited"] == 1
    assert Invitation.objects.get().expires_at == NOW + timedelta(days=14, seconds=1)


def test_a_new_link_for_one_address_keeps_what_the_file_gave(write: Write) -> None:
    run("invite", "--file", write(f"email,name,until\n{ADA},Ada,2027-06-30\n"))
    run("invite", ADA)
    assert invited() == [(ADA, "Ada", "UTC", date(2027, 6, 30))]


def test_wrong_lines_are_told_and_the_others_invited(write: Write) -> None:
    path = write(
        "email,name,time_zone,until\n"
        f"{ADA},Ada,,\n"
        "ada@,Ada,,\n"
        f"{BEN},Ben,Mars/Olympus,\n"
        f"{BEN},Ben,,31.05.2027\n"
        f"{BEN},Ben,,2026-11-21\n"
        f"{BEN},{'x' * 151},,\n"
        f'{BEN},"Ben,,\n'
        f"{BEN},Ben\n"
        f"ADA@example.org,Ada,,\n"
        f"{CLEO},Cleo,,\n"
    )
    answer, error = answer_of(path)
    assert (answer["invited"], answer["left"]) == (2, 0)
    assert {one["line"]: one["message"] for one in answer["refused"]} == {
        3: "not an e-mail address: 'ada@'",
        4: "time_zone: Mars/Olympus is not an IANA time zone, such as Europe/Paris.",
        5: f"{BEN} is already in line 4",
        6: f"{BEN} is already in line 4",
        7: f"{BEN} is already in line 4",
        8: "the quotation marks are wrong: unexpected end of data",
        9: "2 values, not 4",
        10: f"{ADA} is already in line 2",
    }
    assert error.splitlines()[:2] == ["Refused 8:", "line 3: not an e-mail address: 'ada@'"]
    assert queued() == [ADA, CLEO]


@each(
    ("cells", "message"),
    [
        ("Ben,31.05.2027", "until is a date written YYYY-MM-DD, not '31.05.2027'"),
        ("Ben,2026-11-21", "until is 2026-11-21, which is over"),
        (f"{'x' * 151},", "name: Ensure this value has at most 150 characters (it has 151)."),
        ('"Ben" B,', "the quotation marks are wrong: ',' expected after '\"'"),
        ("Ben,,,2027-01-01", "5 values, not 3"),
    ],
)
def test_a_wrong_cell_is_explained(write: Write, cells: str, message: str) -> None:
    answer, _ = answer_of(write(f"email,name,until\n{BEN},{cells}\n"))
    assert answer == {"invited": 0, "left": 0, "refused": [{"line": 2, "message": message}]}


@each(
    ("text", "encoding"),
    [
        ("Email;Name;Until\r\nada@example.org;Zoë Müller;\r\n", "utf-8-sig"),
        ("EMAIL;NAME;UNTIL;;\r\nada@example.org;Zoë Müller;;;\r\n;;;;\r\n", "cp1252"),
        ("email\tname\r\nada@example.org\tZoë Müller\r\n\r\n", "utf-16"),
        ('"name","email"\n"Zoë Müller", "ada@example.org"\n', "latin-1"),
        ("sep=;\r\nemail;name\r\nada@example.org;Zoë Müller\r\n", "utf-8"),
        ("email,name\rada@example.org, Zoë Müller\r\r\r", "utf-8"),
        ("\ufeffemail,name\n\xa0ada@example.org ,Zoë Müller\n \n", "utf-8"),
    ],
)
def test_it_reads_what_spreadsheets_write(write: Write, text: str, encoding: str) -> None:
    assert run_json("invite", "--file", write(text, encoding)) == {"invited": 1, "left": 0, "refused": []}
    assert invited() == [(ADA, "Zoë Müller", "UTC", None)]


def test_a_quoted_name_may_have_a_comma(write: Write) -> None:
    run("invite", "--file", write(f'email,name\n{ADA},"Martin, Ada ""A."" Dr."\n'))
    assert invited()[0][1] == 'Martin, Ada "A." Dr.'


@each(
    ("text", "told"),
    [
        (f"{ADA}\n{BEN}\n", ADA),
        ("name,until\nAda,\n", "name, until"),
        ("email,untill\n", "email, untill"),
        ("email,email\n", "email, email"),
        ("", "missing"),
    ],
)
def test_a_file_with_other_columns_is_refused(write: Write, text: str, told: str) -> None:
    answer, _ = answer_of(write(text))
    message = f"the columns are email, and optionally name, time_zone, until, not {told}"
    assert answer == {"invited": 0, "left": 0, "refused": [{"line": 1, "message": message}]}


def test_a_workbook_is_not_a_csv_file(write: Write) -> None:
    assert refusal("invite", "--file", write(b"PK\x03\x04\x14\x00\x06\x00" + b"\x00" * 50)) == (
        "--file is not a CSV file. Save the table as CSV, with the encoding UTF-8."
    )


def test_a_name_that_cannot_be_read_is_refused(write: Write) -> None:
    """One broken byte in UTF-8."""
    answer, _ = answer_of(write(f"email,name\n{ADA},Zoë Müller Ångström\n{BEN},B".encode() + b"\xffn\n"))
    told = "it has characters that cannot be read; save the file with the encoding UTF-8"
    assert answer == {"invited": 1, "left": 0, "refused": [{"line": 3, "message": told}]}


def test_a_dry_run_says_the_same_and_changes_nothing(write: Write, make_member: Any) -> None:
    make_member(ADA)
    path = write(f"email\n{ADA}\n{BEN}\nx\n")
    assert answer_of(path, "--dry-run") == answer_of(path, "--dry-run")
    assert (invited(), queued()) == ([], [])
    assert answer_of(path, "--dry-run") == answer_of(path)
    assert queued() == [BEN]


def test_a_dry_run_says_so(write: Write) -> None:
    assert run("invite", "--file", write(f"email\n{ADA}\n"), "--dry-run") == (
        "Would invite 1; 0 are members or invited already.\n"
    )


def test_nothing_is_read_while_nobody_can_join(write: Write, settings: Any) -> None:
    settings.SIGN_UP = "closed"
    assert refusal("invite", "--file", write(f"email\n{ADA}\n")) == "Nobody can join: SIGN_UP is closed."


@each("arguments", [(), (ADA, "--file", "x.csv"), (ADA, "--dry-run")])
def test_an_address_and_a_file_exclude_each_other(arguments: tuple[str, ...]) -> None:
    assert refusal("invite", *arguments) in {"Name an address or --file, not both.", "--dry-run requires --file."}


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    assert refusal("invite", "--file", str(tmp_path / "none.csv")).startswith("--file cannot be read: ")


@pytest.mark.django_db(transaction=True)
def test_an_interrupted_run_is_resumed(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends between storing an invitation and its e-mail: neither stays, and the next run sends both."""
    from django.db.models.query import QuerySet

    create = QuerySet.bulk_create

    def ended(self: Any, rows: Any, **options: Any) -> Any:
        if self.model is OutgoingMail and rows[0].email == BEN:
            raise KeyboardInterrupt
        return create(self, rows, **options)

    path = write(f"email\n{ADA}\n{BEN}\n{CLEO}\n")
    with monkeypatch.context() as patch:
        patch.setattr(QuerySet, "bulk_create", ended)
        with pytest.raises(KeyboardInterrupt):
            run("invite", "--file", path)
    assert ([email for email, *_ in invited()], queued()) == ([ADA], [ADA])
    run("delivermail")
    assert run_json("invite", "--file", path) == {"invited": 2, "left": 1, "refused": []}
    run("delivermail")
    assert sorted(message.to[0] for message in mail.outbox) == [ADA, BEN, CLEO]


@pytest.mark.django_db(transaction=True)
def test_concurrent_runs_invite_everybody_once(write: Write, in_threads: Callable[..., list[Any]]) -> None:
    emails = [f"student{number:02}@example.org" for number in range(12)]
    path = write("email\n" + "\n".join(emails) + "\n")
    told = in_threads(lambda _: run_json("invite", "--file", path), [0, 1, 2])
    assert sum(one["invited"] for one in told) == len(emails)
    assert sum(one["left"] for one in told) == 2 * len(emails)
    assert queued() == emails


class TestLetter:
    """The e-mail of an invitation, which says who invites, for what, and how else to come in."""

    @staticmethod
    def letter(**given: Any) -> str:
        invite(ADA, **given)
        run("delivermail")
        return str(mail.outbox[-1].body)

    def test_it_names_the_student_the_service_and_the_contact(self, settings: Any) -> None:
        settings.CONTACT_URL = "mailto:help@example.edu"
        text = self.letter(name="Martin, Ada")
        assert text.startswith(f"Hello Martin, Ada,\n\nyou are invited to Study Data Service at {settings.BASE_URL}.")
        assert "Questions: help@example.edu\n" in text
        assert "sign in with" not in text

    def test_it_names_the_provider(self, settings: Any) -> None:
        settings.IDENTITY_PROVIDER = IdentityProvider("https://login.example.edu", "id", "secret", "Example & College")
        text = self.letter()
        assert text.startswith("You are invited")
        assert f"Or sign in with Example & College at {settings.BASE_URL}/sign-in." in text

    @each("name", ["https://evil.example", "www.evil.example", "<b>Ada</b>", "a@b.example", "A" * 81, "Ada\u202e"])
    def test_a_name_that_could_mislead_is_left_out(self, name: str) -> None:
        text = self.letter(name=name)
        assert text.startswith("You are invited")
        assert name not in text

    @each("name", ["Ada\nMartin", "J.R.R. O'Neil-Núñez", "李 明"])
    def test_other_names_are_one_line(self, name: str) -> None:
        assert self.letter(name=name).startswith(f"Hello {' '.join(name.split())},\n\n")

    def test_a_second_invitation_greets_by_the_name_of_the_first(self) -> None:
        self.letter(name="Ada Martin")
        assert self.letter().startswith("Hello Ada Martin,")
