"""Lets a Python process live DRILL_CLOCK_SHIFT seconds ahead; its directory is put on PYTHONPATH for that."""

import os
from datetime import UTC, datetime, timedelta

import time_machine

_shift = timedelta(seconds=float(os.environ["DRILL_CLOCK_SHIFT"]))
time_machine.travel(datetime.now(UTC) + _shift, tick=True).start()
