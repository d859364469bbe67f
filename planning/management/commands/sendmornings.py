"""Send the morning e-mails that are due."""

from typing import Any

from django.core.management.base import CommandError

from accounts.members.last_runs import SEND_MORNINGS, note_run
from accounts.members.mornings import dropped_mornings
from planning.morning_run import Outcome, Run
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`sendmornings`; a timer runs it every 15 minutes."""

    help = (
        "Send the morning e-mail to members who asked for it, once a day from 7:00 and before 12:00 on their clock. "
        "Concurrent runs are safe."
    )

    def handle(self, *args: object, **options: Any) -> None:
        """Send them, and print the number of each outcome.

        Raises:
            CommandError: some could not be made because of an error of the service.
        """
        done = Run().send_all()
        note_run(SEND_MORNINGS)
        counts = {outcome.value: done[outcome] for outcome in Outcome}
        told = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in counts.items() if number)
        text = f"Morning e-mails: {told}." if told else "No morning e-mail was due."
        self.answer(options, counts | {"dropped": dropped_mornings()}, text=text)
        if done[Outcome.BROKEN]:
            raise CommandError(f"{done[Outcome.BROKEN]} failed because of an internal error. See the log.")
