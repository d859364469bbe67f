"""Send e-mails from the outbox."""

from typing import Any

from django.core.management.base import CommandError

from accounts.management.arguments import delivered
from accounts.members import outbox
from accounts.members.last_runs import DELIVER_MAIL, note_run
from accounts.members.outbox import OutgoingMail
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`delivermail`; for a timer, every few minutes."""

    help = "Retry announcements, reminders and invitations that could not be sent, when they are due."

    def handle(self, *args: object, **options: Any) -> None:
        """Send the e-mails that are due. A refused address is reported and does not stop the others."""
        failures: list[str] = []
        sent, _ = delivered(outbox.deliver(outbox.due()), failures.append)
        note_run(DELIVER_MAIL)
        left = OutgoingMail.objects.count()
        text = f"Sent {sent}, {left} remaining."
        self.answer(options, {"sent": sent, "failed": len(failures), "left": left}, text=text)
        if failures:
            raise CommandError("\n".join(failures))
