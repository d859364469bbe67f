"""`setmembership --file` and `remind`, which billing and a timer run."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError

from accounts.members.membership import renew
from accounts.models import AccountEvent, Member
from tests.support.commands import run, run_json

pytestmark = pytest.mark.django_db

Write = Callable[..., str]


@pytest.fixture
def members(make_member: Any) -> list[Member]:
    return [make_member(f"{name}@example.org", membership_until=date(2030, 1, 1)) for name in ("ada", "ben", "cleo")]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines into a file, and returns its path."""

    def write_lines(*lines: str, encoding: str = "utf-8") -> str:
        path = tmp_path / "memberships.csv"
        path.write_text("\r\n".join(lines) + "\r\n", encoding=encoding)
        return str(path)

    return write_lines


def states() -> list[tuple[str, bool, date | None]]:
    return list(Member.objects.order_by("email").values_list("email", "membership_active", "membership_until"))


BEFORE = [(f"{name}@example.org", True, date(2030, 1, 1)) for name in ("ada", "ben", "cleo")]


def recorded_events() -> list[tuple[str, str, str, str]]:
    events = AccountEvent.objects.order_by("member__email", "id")
    return list(events.values_list("member__email", "kind", "by_name", "detail"))


@pytest.mark.usefixtures("members")
def test_a_change_is_an_event_of_the_member() -> None:
    run("setmembership", "ada@example.org", "active", "--until", "2031-05-31")
    run("setmembership", "ada@example.org", "active")
    run("setmembership", "ada@example.org", "inactive")
    assert recorded_events() == [
        ("ada@example.org", "operator_action", "setmembership", detail)
        for detail in ("Membership active until 2031-05-31.", "Membership active, no end date.", "Membership ended.")
    ]


@pytest.mark.usefixtures("members")
def test_only_changes_in_a_daily_file_are_events(write: Write) -> None:
    path = write("email,state,until", "ada@example.org,active,2030-01-01", "ben@example.org,inactive,")
    for _ in range(2):
        run("setmembership", "--file", path)
    assert recorded_events() == [("ben@example.org", "operator_action", "setmembership", "Membership ended.")]


@pytest.mark.usefixtures("members")
class TestFile:
    def test_it_sets_every_membership(self, write: Write) -> None:
        path = write(
            "email,state,until",
            "Ada@Example.org,active,2031-05-31",
            '"ben@example.org",inactive,',
            "",
            "cleo@example.org,active,",
        )
        assert run_json("setmembership", "--file", path) == {"members": 3, "waiting": 0}
        assert states() == [
            ("ada@example.org", True, date(2031, 5, 31)),
            ("ben@example.org", False, None),
            ("cleo@example.org", True, None),
        ]

    def test_columns_may_be_in_any_order_and_a_byte_order_mark_is_skipped(self, write: Write) -> None:
        path = write("state,until,email", "inactive,,ada@example.org", encoding="utf-8-sig")
        assert run("setmembership", "--file", path) == "Set the memberships of 1.\n"
        assert states()[0] == ("ada@example.org", False, None)

    def test_every_invalid_line_is_named_and_nothing_changes(self, write: Write) -> None:
        path = write(
            "email,state,until",
            "ada@example.org,inactive,",
            "nobody@,active,",
            "ben@example.org,lapsed,",
            "cleo@example.org,active,31.05.2031",
            "ADA@example.org,active,",
            "dora@example.org,active",
            "emil@example.org,inactive,2031-05-31",
        )
        with pytest.raises(CommandError) as refused:
            run("setmembership", "--file", path)
        assert str(refused.value).splitlines() == [
            "Nothing was changed.",
            "line 3: not an e-mail address: 'nobody@'",
            "line 4: state is active or inactive, not 'lapsed'",
            "line 5: until is a date written YYYY-MM-DD, not '31.05.2031'",
            "line 6: ada@example.org is already in line 2",
            "line 7: 2 values, not 3",
            "line 8: until requires active",
        ]
        assert states() == BEFORE

    @pytest.mark.parametrize("lines", [["ada@example.org,inactive,"], [""], ["email,state"]])
    def test_a_file_without_its_columns_is_rejected(self, write: Write, lines: list[str]) -> None:
        with pytest.raises(CommandError, match="line 1: the columns are email, state, until"):
            run("setmembership", "--file", write(*lines, "ada@example.org,inactive,"))
        assert states() == BEFORE

    def test_an_unreadable_file_is_reported(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="--file cannot be read"):
            run("setmembership", "--file", str(tmp_path / "none.csv"))

    def test_it_cannot_be_combined_with_other_options(self, write: Write) -> None:
        path = write("email,state,until")
        with pytest.raises(CommandError, match="cannot be combined with a member"):
            run("setmembership", "ada@example.org", "active", "--file", path)
        with pytest.raises(CommandError, match="Name a member"):
            run("setmembership")

    def test_at_most_twenty_invalid_lines_are_named(self, write: Write) -> None:
        path = write("email,state,until", *(f"x{number}@example.org,on," for number in range(50)))
        with pytest.raises(CommandError) as refused:
            run("setmembership", "--file", path)
        assert len(str(refused.value).splitlines()) == 22
        assert str(refused.value).endswith("and 30 more")


def ending(make_member: Any, email: str = "ada@example.org", days: int = 14, **fields: Any) -> Member:
    """A member whose membership ends in this many days."""
    member: Member = make_member(email, **fields)
    renew(member, member.today() + timedelta(days=days))
    return member


def addressed() -> list[str]:
    return [message.to[0] for message in mail.outbox]


class TestRemind:
    def test_it_reminds_once_of_an_end_within_fourteen_days(self, make_member: Any, settings: Any) -> None:
        settings.MEMBERSHIP_URL = "https://billing.example.org/renew"
        member = ending(make_member)
        ending(make_member, "later@example.org", days=15)
        ending(make_member, "lapsed@example.org", days=-1)
        ending(make_member, "out@example.org", is_active=False)
        make_member("open@example.org")
        assert run_json("remind") == {"sent": 1, "failed": 0}
        assert run_json("remind") == {"sent": 0, "failed": 0}
        [message] = mail.outbox
        assert message.to == ["ada@example.org"]
        assert f"ends after {member.membership_until:%-d %B %Y}" in message.body
        assert "https://billing.example.org/renew" in message.body

    def test_a_new_end_causes_another_reminder(self, make_member: Any, time_machine: Any) -> None:
        time_machine.move_to("2026-11-22T12:00:00Z")
        member = ending(make_member)
        run("remind")
        renew(member, date(2027, 11, 30))
        assert run_json("remind")["sent"] == 0
        time_machine.move_to("2027-11-20T12:00:00Z")
        assert run_json("remind")["sent"] == 1
        assert addressed() == ["ada@example.org"] * 2

    def test_a_dry_run_sends_nothing(self, make_member: Any) -> None:
        ending(make_member)
        assert run("remind", "--dry-run") == "ada@example.org\nWould be sent to 1 member.\n"
        assert mail.outbox == []
        assert run_json("remind")["sent"] == 1

    def test_a_rejected_e_mail_is_sent_by_the_next_run(
        self, make_member: Any, monkeypatch: pytest.MonkeyPatch, time_machine: Any
    ) -> None:
        time_machine.move_to("2026-11-22T12:00:00Z")
        ending(make_member, "ada@example.org")
        ending(make_member, "ben@example.org")
        send = EmailBackend.send_messages

        def refusing(self: EmailBackend, messages: Any) -> int:
            if messages[0].to == ["ada@example.org"]:
                raise SMTPRecipientsRefused({"ada@example.org": (450, b"try later")})
            return send(self, messages)

        with monkeypatch.context() as patch:
            patch.setattr(EmailBackend, "send_messages", refusing)
            with pytest.raises(CommandError, match="Not sent to 1, listed above"):
                run("remind")
        assert addressed() == ["ben@example.org"]
        time_machine.move_to("2026-11-23T12:00:00Z")
        assert json.loads(run("remind", "--json")) == {"sent": 1, "failed": 0}
        assert addressed() == ["ben@example.org", "ada@example.org"]

    @pytest.mark.django_db(transaction=True)
    def test_concurrent_runs_send_one_each(self, make_member: Any, in_threads: Callable[..., list[Any]]) -> None:
        emails = [ending(make_member, f"member{number}@example.org").email for number in range(8)]
        in_threads(lambda _: run("remind"), [0, 1, 2, 3])
        assert sorted(addressed()) == sorted(emails)
