"""announce: its recipients, and its report of failures."""

import io
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import ApiKey, Member
from oauthserver.connections import end_consents
from tests.conftest import MakeKey, MakeMember
from tests.support.commands import refusal, run
from tests.support.oauth import App

TEXT = "Version 2 is coming.\n\nWhat changed: http://127.0.0.1:8000/changelog\n"


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
            (["active@example.org"], "Version 2", TEXT),
            (["lapsed@example.org"], "Version 2", TEXT),
        ]

    def test_members_with_connected_apps_are_included_on_request(self, body: str) -> None:
        """Each once, even with a key as well. Members who disconnected the app or are deactivated are left out."""
        app = App.registered()
        blocked = Member.objects.filter(email="blocked@example.org")
        blocked.update(is_active=True)
        for name in ("without", "active", "blocked", "expired"):
            app.connect(Member.objects.get(email=f"{name}@example.org"))
        blocked.update(is_active=False)
        former = Member.objects.get(email="expired@example.org")
        end_consents(former.id)
        assert run("announce", "--subject", "S", "--body-file", body) == "Sent to 2 members.\n"
        mail.outbox.clear()
        assert run("announce", "--subject", "S", "--body-file", body, "--with-apps") == "Sent to 3 members.\n"
        assert [to for message in mail.outbox for to in message.to] == [
            "active@example.org",
            "lapsed@example.org",
            "without@example.org",
        ]

    def test_a_dry_run_sends_nothing(self, body: str) -> None:
        printed = run("announce", "--subject", "Version 2", "--body-file", body, "--dry-run")
        assert printed == "active@example.org\nlapsed@example.org\nWould be sent to 2 members.\n"
        assert mail.outbox == []

    def test_a_rejected_address_does_not_affect_others(self, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
        send = EmailBackend.send_messages

        def refusing(self: EmailBackend, messages: Any) -> int:
            if messages[0].to == ["active@example.org"]:
                raise SMTPRecipientsRefused({"active@example.org": (450, b"try later")})
            return send(self, messages)

        monkeypatch.setattr(EmailBackend, "send_messages", refusing)
        stdout, stderr = io.StringIO(), io.StringIO()
        with pytest.raises(CommandError, match=r"^Not sent to 1 member yet; delivermail will retry\.$"):
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
    def test_invalid_input_sends_nothing(
        self, subject: str, content: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        if content is not None:
            Path("none.txt").write_text(content, encoding="utf-8")
        assert refusal("announce", "--subject", subject, "--body-file", "none.txt") == message
        assert mail.outbox == []
