"""Remind members that their membership is about to end."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.template.loader import render_to_string

from accounts.management.arguments import delivered, members
from accounts.members import outbox
from accounts.members.last_runs import REMIND, note_run
from accounts.members.membership import ending_soon
from accounts.members.models import Member
from accounts.members.outbox import MailKind
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`remind`; for a timer, once a day."""

    help = "E-mail every member whose membership ends within 14 days, once for each end; safe to run twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only list the recipients")

    def handle(self, *args: object, **options: Any) -> None:
        """Send reminders, or list them with `--dry-run`. A refused address is reported and does not stop the others."""
        if options["dry_run"]:
            emails = list(due().values_list("email", flat=True))
            told = "\n".join([*emails, f"Would be sent to {members(len(emails))}."])
            self.answer(options, {"would_be_sent": len(emails)}, text=told)
            return
        sent, failed = delivered(remind(), self.stderr.write)
        note_run(REMIND)
        self.answer(options, {"sent": sent, "failed": len(failed)}, text=f"Reminded {members(sent)}.")
        if failed:
            retried = "" if all(one.final for one in failed) else "; delivermail will retry"
            raise CommandError(f"Not sent to {len(failed)}, listed above{retried}.")


def remind() -> Iterator[outbox.Delivery]:
    """Remind everybody whose membership ends within `membership.SOON`, unless already reminded.

    Each reminder is recorded on the member and stored in one transaction, so that simultaneous runs send it once. Then
    all due reminders are sent, including those of earlier runs.
    """
    for member in list(due()):
        with transaction.atomic():
            if _claim(member):
                outbox.store(MailKind.REMINDER, "Your membership ends soon", _text(member), [member.email])
    yield from outbox.deliver(outbox.due(MailKind.REMINDER))


def due() -> QuerySet[Member]:
    """Return the members to remind."""
    new_end = Q(reminded_until=None) | ~Q(reminded_until=F("membership_until"))
    return Member.objects.filter(ending_soon() & new_end, is_active=True).order_by("email")


def _claim(member: Member) -> bool:
    """Record the reminder. False if another run did, or the end has changed."""
    unclaimed = Q(reminded_until=None) | ~Q(reminded_until=member.membership_until)
    mine = Member.objects.filter(unclaimed, id=member.id, is_active=True, membership_until=member.membership_until)
    return bool(mine.update(reminded_until=member.membership_until))


def _text(member: Member) -> str:
    context = {"until": member.membership_until, "renew_url": settings.MEMBERSHIP_URL, "base_url": settings.BASE_URL}
    return render_to_string("accounts/email/membership_ends.txt", context)
