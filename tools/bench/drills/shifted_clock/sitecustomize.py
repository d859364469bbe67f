"""Sets the clock of a Python process DRILL_CLOCK_SHIFT seconds ahead, if its directory is on PYTHONPATH."""

import os
from datetime import UTC, datetime, timedelta

import time_machine

_shift = timedelta(seconds=float(os.environ["DRILL_CLOCK_SHIFT"]))
time_machine.travel(datetime.now(UTC) + _shift, tick=True).start()
