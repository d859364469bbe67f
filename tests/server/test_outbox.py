"""E-mails are stored until sent, tested through the commands that cause and send them."""

import json
import logging
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from smtplib import (
    SMTPAuthenticationError,
    SMTPDataError,
    SMTPRecipientsRefused,
    SMTPSenderRefused,
    SMTPServerDisconnected,
)
from typing import Any, cast
from uuid import uuid4

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError
from django.test import Client

from accounts import mail as posted
from accounts.joining import invite
from accounts.members import outbox
from accounts.members.membership import renew
from accounts.members.outbox import MailKind
from accounts.models import Member, OutgoingMail
from tests.conftest import MakeKey, MakeMember
from tests.support.browsers import form_of
from tests.support.commands import refusal, run, run_json
from tests.support.signing_in import newest_code

pytestmark = pytest.mark.django_db

NOON = "2026-11-22T12:00:00Z"
ANN, BOB = "ann@example.org", "bob@example.org"


@pytest.fixture(autouse=True)
def noon(time_machine: Any, settings: Any) -> Any:
    settings.SIGN_UP = "invited"
    time_machine.move_to(NOON, tick=False)
    return time_machine


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> dict[str, Exception]:
    """Errors of the mail server by address. Tests change it."""
    refusals: dict[str, Exception] = {}
    send = EmailBackend.send_messages

    def sending(self: EmailBackend, messages: Any) -> int:
        if error := refusals.get(messages[0].to[0]):
            raise error
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", sending)
    return refusals


@pytest.fixture
def announce(make_member: MakeMember, make_key: MakeKey, tmp_path: Path) -> Callable[[], None]:
    """Announces to Ann and Bob."""
    for email in (ANN, BOB):
        make_key(make_member(email))
    body = tmp_path / "body.txt"
    body.write_text("Version 2 is coming.\n")

    def announce_it() -> None:
        run("announce", "--subject", "Version 2", "--body-file", str(body))

    return announce_it


def addressed() -> list[str]:
    return [message.to[0] for message in mail.outbox]


def gone() -> Exception:
    return SMTPServerDisconnected("Connection unexpectedly closed")


def refused(email: str) -> Exception:
    return SMTPRecipientsRefused({email: (450, b"try later")})


def test_the_command_sends_what_a_process_left(
    announce: Callable[[], None], server: dict[str, Exception], noon: Any
) -> None:
    """The process stops between two e-mails, as at a restart."""
    server[BOB] = cast("Exception", KeyboardInterrupt())  # nothing catches it
    with pytest.raises(KeyboardInterrupt):
        announce()
    assert addressed() == [ANN]
    del server[BOB]
    noon.shift(timedelta(minutes=6))
    assert run_json("delivermail") == {"sent": 1, "failed": 0, "left": 0}
    assert addressed() == [ANN, BOB]
    assert run_json("delivermail") == {"sent": 0, "failed": 0, "left": 0}


@pytest.mark.same_statements
def test_a_rejected_address_waits_longer_each_time(
    announce: Callable[[], None], server: dict[str, Exception], noon: Any
) -> None:
    server[ANN] = refused(ANN)
    with pytest.raises(CommandError):
        announce()
    assert addressed() == [BOB]
    for minutes in (5, 10, 20, 40, 80, 160, 320, 360, 360):
        noon.shift(timedelta(minutes=minutes, seconds=-1))
        assert run_json("delivermail") == {"sent": 0, "failed": 0, "left": 1}
        noon.shift(timedelta(seconds=1))
        assert ANN in refusal("delivermail")
    server.clear()
    noon.shift(timedelta(hours=6))
    assert run_json("delivermail")["sent"] == 1
    assert addressed() == [BOB, ANN]


@pytest.mark.parametrize(
    "reply",
    [
        (550, b"5.1.1 <ann@example.org>: Recipient address rejected: User unknown in local recipient table"),
        (550, b"No such user here"),
        (550, b"Mailbox not found or access denied"),
        (550, b"#5.1.0 Address rejected."),
        (501, b"5.1.5 Recipient address reserved by RFC 2606"),
        (550, b"5.5.0 Requested action not taken: mailbox unavailable"),
        (552, b"5.2.2 Over quota"),
    ],
)
def test_an_address_that_is_refused_for_good_is_not_retried(
    reply: tuple[int, bytes],
    announce: Callable[[], None],
    server: dict[str, Exception],
    caplog: pytest.LogCaptureFixture,
) -> None:
    server[ANN] = SMTPRecipientsRefused({ANN: reply})
    with pytest.raises(CommandError, match="Refused for good: 1 member"):
        announce()
    assert (addressed(), OutgoingMail.objects.count()) == ([BOB], 0)
    assert "A stored e-mail was dropped: the mail server refuses its address or content for good" in caplog.messages


def test_content_that_is_refused_for_good_is_not_retried(server: dict[str, Exception]) -> None:
    server[ANN] = SMTPDataError(554, b"5.6.0 Message contains invalid header")
    with pytest.raises(CommandError, match="The link works but could not be sent: "):
        run("invite", ANN)
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize(
    "failure",
    [
        SMTPRecipientsRefused({ANN: (554, b"5.7.1 <ann@example.org>: Relay access denied")}),
        SMTPRecipientsRefused({ANN: (550, b"relay access denied - please authenticate")}),
        SMTPRecipientsRefused({ANN: (550, b"Relay not permitted")}),
        SMTPDataError(554, b"Message rejected: Email address is not verified."),
        SMTPDataError(550, b"The from address does not match a verified Sender Identity."),
        SMTPDataError(553, b"Mail from 192.0.2.2 not allowed - 5.7.1 [BL23] Connections not accepted"),
        SMTPRecipientsRefused({ANN: (452, b"4.2.2 The email account that you tried to reach is over quota")}),
        SMTPDataError(451, b"4.7.1 Greylisting in action, please come back later"),
        SMTPSenderRefused(530, b"5.7.0 Authentication Required", "study@example.org"),
        SMTPAuthenticationError(535, b"5.7.8 Username and Password not accepted"),
    ],
)
def test_what_the_operator_or_time_can_correct_is_retried(failure: Exception, server: dict[str, Exception]) -> None:
    server[ANN] = failure
    with pytest.raises(CommandError, match="delivermail will retry"):
        run("invite", ANN)
    assert OutgoingMail.objects.count() == 1


def test_a_server_that_is_down_is_asked_once(announce: Callable[[], None], server: dict[str, Exception]) -> None:
    server |= {ANN: gone(), BOB: gone()}
    with pytest.raises(CommandError, match="Not sent to 2 members yet"):
        announce()
    assert sorted(OutgoingMail.objects.values_list("attempts", flat=True)) == [0, 1]


def test_after_four_days_it_is_abandoned(
    announce: Callable[[], None], server: dict[str, Exception], noon: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server[ANN] = refused(ANN)
    with pytest.raises(CommandError):
        announce()
    noon.shift(timedelta(days=4, seconds=-1))
    assert run_json("purgeexpired")["unsent_mail"] == 0
    noon.shift(timedelta(seconds=1))
    server.clear()
    assert run_json("delivermail") == {"sent": 0, "failed": 0, "left": 1}
    assert run_json("purgeexpired")["unsent_mail"] == 1
    assert "Dropped 1 e-mails that could not be sent for 4 days" in caplog.messages


def test_waiting_e_mails_are_encrypted_with_the_secret_key(
    server: dict[str, Exception], settings: Any, noon: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The link of an invitation is a secret. Fallback keys can still decrypt it, other keys cannot: then it waits."""
    server[ANN] = gone()
    with pytest.raises(CommandError, match="The link works but could not be sent; delivermail will retry"):
        run("invite", ANN)
    [row] = OutgoingMail.objects.values()
    assert "join?invitation" not in json.dumps(row, default=str)
    server.clear()
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another-key-0123456789-another-key-0123456789-another"
    settings.SECRET_KEY_FALLBACKS = [old]
    noon.shift(timedelta(minutes=6))
    assert run_json("delivermail")["sent"] == 1
    assert "/join?invitation=svc_inv_" in mail.outbox[0].body
    OutgoingMail.objects.create(**row)
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(CommandError, match=ANN):
        run("delivermail")
    assert "A stored e-mail waits: it was encrypted under another SECRET_KEY" in caplog.messages
    settings.SECRET_KEY = old
    noon.shift(timedelta(minutes=11))
    assert run_json("delivermail") == {"sent": 1, "failed": 0, "left": 0}


def test_an_invitation_is_sent_once_and_not_after_its_replacement(server: dict[str, Exception], noon: Any) -> None:
    server[ANN] = gone()
    for _ in range(2):
        with pytest.raises(CommandError):
            run("invite", ANN)
    server.clear()
    noon.shift(timedelta(minutes=6))
    assert run_json("delivermail") == {"sent": 1, "failed": 0, "left": 0}


def test_an_accepted_invitation_is_not_sent(client: Client) -> None:
    """Accepted by the link that the operator saw."""
    client.get(invite(ANN).url.removeprefix("http://127.0.0.1:8000"))
    assert OutgoingMail.objects.count() == 1
    assert client.post("/join").headers["Location"] == "/"
    assert not OutgoingMail.objects.exists()


def test_a_withdrawn_invitation_is_not_sent(server: dict[str, Exception], admin: Client) -> None:
    from accounts.joining import Invitation

    server |= {ANN: gone(), BOB: gone()}
    for email in (ANN, BOB):
        with pytest.raises(CommandError):
            run("invite", email)
    row = Invitation.objects.get(email=ANN)
    admin.post(f"/admin/accounts/invitation/{row.id}/delete/", {"post": "yes"})
    assert list(OutgoingMail.objects.values_list("email", flat=True)) == [BOB]


@pytest.mark.django_db(transaction=True)
def test_e_mails_are_deleted_with_the_member(make_member: MakeMember, server: dict[str, Exception]) -> None:
    member = make_member(ANN)
    renew(member, member.today() + timedelta(days=3))
    server[ANN] = gone()
    with pytest.raises(CommandError):
        run("remind")
    assert OutgoingMail.objects.count() == 1
    member.delete()
    assert not OutgoingMail.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", [MailKind.ANNOUNCEMENT, MailKind.REMINDER])
def test_an_e_mail_stored_during_its_members_deletion_is_not_sent(make_member: MakeMember, kind: MailKind) -> None:
    """The deletion could not see it yet."""
    for email in (ANN, BOB):
        make_member(email)
    Member.objects.get(email=ANN).delete()
    outbox.store(kind, "Subject", "Text", [ANN, BOB])
    assert run_json("delivermail") == {"sent": 1, "failed": 0, "left": 0}
    assert addressed() == [BOB]


def test_no_retry_is_announced_for_a_member_deleted_meanwhile(
    announce: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    send = EmailBackend.send_messages

    def sending(self: EmailBackend, messages: Any) -> int:
        Member.objects.filter(email=BOB).update(is_active=False)
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", sending)
    announce()
    assert addressed() == [ANN]
    assert not OutgoingMail.objects.exists()


@pytest.fixture
def reminder(make_member: MakeMember, server: dict[str, Exception]) -> Member:
    """A member whom a reminder did not reach at the old address."""
    member = make_member(ANN)
    renew(member, member.today() + timedelta(days=3))
    server[ANN] = gone()
    with pytest.raises(CommandError):
        run("remind")
    return member


@pytest.mark.same_statements
def test_it_is_sent_to_the_current_address(reminder: Member, client: Client) -> None:
    """The old address may belong to somebody else now."""
    reminder.set_password("correct horse battery")
    reminder.save(update_fields=["password"])
    client.force_login(reminder)
    client.post("/account/email", {"email": BOB, "current_password": "correct horse battery"})
    client.post("/account/email/code", {"code": newest_code()})
    assert list(OutgoingMail.objects.values_list("email", flat=True)) == [BOB]


@pytest.mark.same_statements
def test_it_is_sent_to_the_address_set_by_an_operator(reminder: Member, admin: Client) -> None:
    page = f"/admin/accounts/member/{reminder.id}/change/"
    admin.post(page, form_of(admin, page) | {"email": BOB})
    assert list(OutgoingMail.objects.values_list("email", flat=True)) == [BOB]


@pytest.mark.django_db(transaction=True)
def test_concurrent_runs_send_one_each(
    announce: Callable[[], None], server: dict[str, Exception], noon: Any, in_threads: Callable[..., list[Any]]
) -> None:
    server |= {ANN: refused(ANN), BOB: refused(BOB)}
    with pytest.raises(CommandError):
        announce()
    server.clear()
    noon.shift(timedelta(minutes=6))
    in_threads(lambda _: run("delivermail"), [0, 1, 2, 3])
    assert sorted(addressed()) == [ANN, BOB]


def test_codes_are_never_stored(client: Client, make_member: MakeMember, server: dict[str, Exception]) -> None:
    make_member(ANN)
    server[ANN] = gone()
    client.post("/sign-in", {"email": ANN})
    posted.drain()
    assert not OutgoingMail.objects.exists()


@pytest.mark.same_statements
def test_every_e_mail_has_an_id_in_the_domain_of_the_service(
    announce: Callable[[], None], make_member: MakeMember, client: Client, settings: Any
) -> None:
    settings.BASE_URL = "https://study.example.org:8443"
    member = make_member("cleo@example.org", password="correct horse battery")
    renew(member, member.today() + timedelta(days=3))
    announce()
    run("remind")
    run("invite", "new@example.org")
    client.post("/sign-in", {"email": ANN})
    posted.drain()
    names = [str(message.message()["Message-ID"]) for message in mail.outbox]
    assert len(set(names)) == 5
    assert all(re.fullmatch(r"<[^@\s]+@study\.example\.org>", name) for name in names)
    settings.BASE_URL = "http://[::1]:8000"
    assert posted.domain() == "[::1]"


def test_a_repeated_attempt_has_the_same_id(
    announce: Callable[[], None], server: dict[str, Exception], noon: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mail server accepted it, and the process ended before recording that."""
    server[BOB] = refused(BOB)

    def ended(self: OutgoingMail) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OutgoingMail, "delete", ended)
        with pytest.raises(KeyboardInterrupt):
            announce()
    noon.shift(timedelta(minutes=6))
    with pytest.raises(CommandError):
        run("delivermail")
    first, second = (message for message in mail.outbox if message.to == [ANN])
    assert first.message()["Message-ID"] == second.message()["Message-ID"]


def test_more_e_mails_than_a_statement_has_parameters_are_counted(
    server: dict[str, Exception], announce: Callable[[], None]
) -> None:
    """PostgreSQL accepts 65,535 values."""
    server[ANN] = refused(ANN)
    with pytest.raises(CommandError):
        announce()
    assert outbox.waiting([*OutgoingMail.objects.values_list("id", flat=True), *(uuid4() for _ in range(70_000))]) == 1


def test_a_failing_thread_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise RuntimeError("no database")

    posted.do_soon(fail)
    posted.drain()
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == [
        "A thread for e-mails failed"
    ]
