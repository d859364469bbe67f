"""Remind members that their membership is about to end."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.management.arguments import add_json_option, answer, members
from accounts.members.last_runs import REMIND, note_run
from accounts.operators.reminders import due, remind
from studyservice.management.operators import OperatorCommand


class Command(OperatorCommand):
    """`remind`; for a timer, once a day."""

    help = "E-mail every member whose membership ends within 14 days, once for each end; safe to run twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only list the recipients")
        add_json_option(parser)

    def handle(self, *args: object, **options: Any) -> None:
        """Send reminders, or list them with `--dry-run`. A refused address is reported and does not stop the others."""
        if options["dry_run"]:
            emails = list(due().values_list("email", flat=True))
            told = "\n".join([*emails, f"Would be sent to {members(len(emails))}."])
            answer(self, {"would_be_sent": len(emails)}, as_json=options["json"], text=told)
            return
        sent, failed, retried = 0, 0, False
        for reminded in remind():
            if reminded.failure is None:
                sent += 1
            else:
                failed += 1
                retried |= not reminded.final
                self.stderr.write(f"{reminded.email}: {reminded.failure}")
        note_run(REMIND)
        answer(self, {"sent": sent, "failed": failed}, as_json=options["json"], text=f"Reminded {members(sent)}.")
        if failed:
            raise CommandError(f"Not sent to {failed}, listed above{'; delivermail will retry' if retried else ''}.")
