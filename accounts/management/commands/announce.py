"""E-mail the members who build on the API."""

from pathlib import Path
from typing import Any

from django.core.mail import EmailMessage, get_connection
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Exists, OuterRef

from accounts.api_keys import active
from accounts.models import ApiKey, Member


class Command(BaseCommand):
    """`announce --subject S --body-file F` (spec, Versioning 3)."""

    help = "E-mail every member who has an active API key, lapsed members too, one message each."

    def add_arguments(self, parser: CommandParser) -> None:
        """The command's arguments."""
        parser.add_argument("--subject", required=True)
        parser.add_argument("--body-file", required=True, type=Path)
        parser.add_argument("--dry-run", action="store_true", help="only say who would get it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Send, or with `--dry-run` list."""
        subject = options["subject"].strip()
        if not subject or "\n" in subject:
            raise CommandError("--subject must be one line.")
        try:
            body = options["body_file"].read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"--body-file cannot be read: {error}") from None
        if not body.strip():
            raise CommandError("--body-file is empty.")
        keys = ApiKey.objects.filter(active(), member=OuterRef("pk"))
        emails = Member.objects.filter(Exists(keys), is_active=True).order_by("email").values_list("email", flat=True)
        sent = 0
        with get_connection() as connection:
            for email in emails.iterator():
                if options["dry_run"]:
                    self.stdout.write(email)
                else:
                    EmailMessage(subject, body, to=[email], connection=connection).send()
                sent += 1
        verb = "would get" if options["dry_run"] else "got"
        self.stdout.write(f"{sent} {'member' if sent == 1 else 'members'} {verb} it.")
