"""Waits that double: some tries are free, and each further one makes the next wait twice as long.

Tries are counted in advance, and of simultaneous ones only one is admitted, so parallel tries gain nothing. The counts
are stored like all windows (`studyservice.rates.limiter`): in Redis, shared by every process, or else in this process,
which forgets them when it ends.
"""

import math

from studyservice.rates.limiter import Rate, Window, exceeded, shared_windows

LONGEST_SECONDS = 3600
"""The longest wait, so that nobody is locked out permanently."""


class DoublingWait:
    """The tries of `key`. Those within `rate` are free, and all are forgotten after its period."""

    def __init__(self, rate: Rate, key: str) -> None:
        self._rate = rate
        self._tries = rate.value.key_for(f"{rate.name}:{key}")
        self._wait = rate.value.key_for(f"{rate.name}:{key}:wait")
        self._let_in_late = False

    def begin(self) -> Window | None:
        """Count a try. Return None if it is admitted, else how long to wait; then it does not count."""
        free, expiry = self._rate.value.amount, self._rate.value.get_expiry()
        beyond = shared_windows().count(self._tries, expiry, 1).number - free
        if beyond <= 0:
            return None
        seconds = min(2 ** min(beyond, 32), LONGEST_SECONDS)
        claimed, seconds_left = shared_windows().count(self._wait, seconds, 1)
        if claimed == 1:
            self._let_in_late = True
            return None
        shared_windows().count(self._tries, expiry, -1)
        exceeded.send(self.begin, rate=self._rate)
        return Window(limit=free, remaining=0, reset=max(1, math.ceil(seconds_left)), exceeded=True)

    def withdraw(self) -> None:
        """Withdraw an admitted try that could not be made."""
        shared_windows().count(self._tries, self._rate.value.get_expiry(), -1)
        if self._let_in_late:
            shared_windows().count(self._wait, 1, -1)

    def forget(self) -> None:
        """Start over after a correct try."""
        for key in (self._tries, self._wait):
            made = shared_windows().count(key, 1, 0).number
            shared_windows().count(key, 1, -made)
