"""Run the scheduled commands."""

import logging
import signal
import threading
import time
from types import FrameType
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import close_old_connections

from studyservice.management.operators import OperatorCommand

logger = logging.getLogger(__name__)

DAY = 24 * 3600.0
SCHEDULE = {"delivermail": 300.0, "readcalendars": 900.0, "sendmornings": 900.0, "remind": DAY, "purgeexpired": DAY}
"""Seconds between runs of each command. All may run at any time, even simultaneously."""


class Command(OperatorCommand):
    """`runschedule`: for systems without timers, like a composition of containers."""

    help = (
        "Run delivermail every five minutes, readcalendars and sendmornings every quarter of an hour, remind and "
        "purgeexpired at the start and every day, until SIGTERM."
    )

    def handle(self, *args: object, **options: Any) -> None:
        """Run until the process is told to stop. A running command is completed."""
        stopped = threading.Event()

        def stop(_number: int, _frame: FrameType | None) -> None:
            stopped.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        due = dict.fromkeys(SCHEDULE, time.monotonic())
        while not stopped.is_set():
            name = min(due, key=due.__getitem__)
            if stopped.wait(max(0.0, due[name] - time.monotonic())):
                return
            close_old_connections()  # a broken connection is replaced
            self._run(name)
            due[name] = time.monotonic() + SCHEDULE[name]

    def _run(self, name: str) -> None:
        """Run one command. Errors are logged, and the next run may succeed."""
        try:
            call_command(name, stdout=self.stdout, stderr=self.stderr)
        except CommandError as error:
            logger.error("%s: %s", name, error)  # noqa: TRY400  # the message is enough
        except Exception:
            logger.exception("%s failed", name)
        self.stdout.flush()
