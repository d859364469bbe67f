"""E-mail the members who use the API."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from accounts.credentials.connections import CONNECTED_APPS
from accounts.credentials.keys import active
from accounts.credentials.models import ApiKey
from accounts.management.arguments import delivered, members, text
from accounts.members import outbox
from accounts.members.models import Member
from accounts.members.outbox import MailKind
from studyservice.management.operators import OperatorCommand


class Command(OperatorCommand):
    """`announce --subject S --body-file F` (spec, Versioning 3). A link to the changelog is added below the text."""

    help = "E-mail every member who has an active API key, lapsed members too, one message each."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--subject", type=text, required=True)
        parser.add_argument("--body-file", required=True, type=Path)
        parser.add_argument("--with-apps", action="store_true", help="also send to members with connected apps")
        parser.add_argument("--dry-run", action="store_true", help="only list the recipients")

    def handle(self, *args: object, **options: Any) -> None:
        """Store and send the e-mails, or list them with `--dry-run`. A refused address does not stop the others."""
        subject = options["subject"].strip()
        if len(subject.splitlines()) != 1:
            raise CommandError("--subject must be one line.")
        try:
            body = options["body_file"].read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"--body-file cannot be read: {error}") from None
        if not body.strip():
            raise CommandError("--body-file is empty.")
        emails = _audience(with_apps=options["with_apps"])
        if options["dry_run"]:
            for email in emails.iterator():
                self.stdout.write(email)
            self.stdout.write(f"Would be sent to {members(emails.count())}.")
            return
        body = f"{body.rstrip()}\n\nWhat changed: {settings.BASE_URL}{reverse('changelog')}\n"
        ids = outbox.store(MailKind.ANNOUNCEMENT, subject, body, emails.iterator())
        sent, failed = delivered(outbox.deliver(ids), self.stderr.write)
        self.stdout.write(f"Sent to {members(sent)}.")
        if left := outbox.waiting(ids):
            raise CommandError(f"Not sent to {members(left)} yet; delivermail will retry.")
        if refused := sum(one.final for one in failed):
            raise CommandError(f"Refused for good: {members(refused)}, listed above.")


def _audience(*, with_apps: bool) -> QuerySet[Member, str]:
    """Return the addresses of members with API keys, and of those with connected apps if `with_apps`."""
    reached = Q(Exists(ApiKey.objects.filter(active(), member=OuterRef("pk"))))
    if with_apps:
        reached |= Q(pk__in=CONNECTED_APPS.get().members().values("pk"))
    return Member.objects.filter(reached, is_active=True).order_by("email").values_list("email", flat=True)
