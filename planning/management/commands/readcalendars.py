"""Read the school calendars that are due."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from accounts.members.last_runs import READ_CALENDARS, note_run
from planning.school_calendars.running import BROKEN, Run
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`readcalendars`; a timer runs it every 15 minutes."""

    help = "Read all due school calendars. Concurrent runs are safe. Does nothing if SCHOOL_CALENDARS=off."

    def handle(self, *args: object, **options: Any) -> None:
        """Read calendars, and print the number of each outcome.

        Raises:
            CommandError: some could not be read because of an error of the service.
        """
        run = Run()
        if settings.SCHOOL_CALENDARS:
            run.read_all()
        note_run(READ_CALENDARS)
        told = ", ".join(f"{number} {outcome}" for outcome, number in sorted(run.done.items()))
        text = f"Read: {told}." if told else "Nothing was due." if settings.SCHOOL_CALENDARS else "Turned off."
        self.answer(options, {"read": run.done.total(), **run.done}, text=text)
        if run.done[BROKEN]:
            raise CommandError(f"{run.done[BROKEN]} could not be read because of an internal error. See the log.")
