"""Windows in Redis while it answers, else in this process.

A hanging Redis costs each thread one wait of `ANSWER_SECONDS`. After that, requests are counted in this process at
once, and one thread checks whether Redis is back.
"""

import logging
import threading
import time

from django.dispatch import Signal

from studyservice.rates.memory import MemoryWindows
from studyservice.rates.redis_script import RedisWindows
from studyservice.rates.windows import Count

logger = logging.getLogger(__name__)

fallback = Signal()
"""Sent with `away`: whether this process now counts separately, or in Redis again."""

FIRST_PROBE_SECONDS = 0.5
"""Delay before the first probe after the start of an outage. Each further pause is twice as long."""

LAST_PROBE_SECONDS = 8.0
"""The longest pause between two probes, which bounds how long a recovered Redis stays unused."""

_CALM_SECONDS = 60.0
"""An outage that starts sooner than this after the last one continues with its pauses."""

_LOG_EVERY_SECONDS = 60.0

_PROBE = "probe"
"""The key that a probe counts, like a request, because a read-only Redis is not enough."""


class SharedWindows:
    """Counters of all processes, or of this one while Redis does not answer (`studyservice.rates.windows.Windows`)."""

    def __init__(self, url: str) -> None:
        self._redis = RedisWindows(url)
        self._own = MemoryWindows()
        self._lock = threading.Lock()
        self._away = False
        self._back_at = float("-inf")
        self._pause = FIRST_PROBE_SECONDS
        self._log_at = float("-inf")

    def count(self, key: str, expiry: int, amount: int) -> Count:
        """Add `amount` to the window of `key`. The first call opens it for `expiry` seconds; 0 only reads."""
        if not self._away:
            try:
                return self._redis.count(key, expiry, amount)
            except self._redis.base_exceptions as error:
                self._lost(error)
        return self._own.count(key, expiry, amount)

    def _lost(self, error: Exception) -> None:
        """Stop using Redis, and let one thread probe it. Only the first of concurrent failures starts it."""
        with self._lock:
            if self._away:
                return
            self._away = True
            if time.monotonic() - self._back_at >= _CALM_SECONDS:
                self._pause = FIRST_PROBE_SECONDS
            fallback.send(type(self), away=True)
            self._log(error)
            threading.Thread(target=self._probe, name="redis-probe", daemon=True).start()

    def _probe(self) -> None:
        """Try Redis, less and less often, until it counts again. Then requests use it."""
        try:
            while not self._answers_after(self._pause):
                self._pause = min(2 * self._pause, LAST_PROBE_SECONDS)
            logger.info("Redis answers again; counting together")
        finally:
            self._back_at = time.monotonic()
            self._away = False
            fallback.send(type(self), away=False)

    def _answers_after(self, pause: float) -> bool:
        time.sleep(pause)
        try:
            self._redis.count(_PROBE, 1, 1)
        except self._redis.base_exceptions as error:
            self._log(error)
            return False
        return True

    def _log(self, error: Exception) -> None:
        now = time.monotonic()
        if now >= self._log_at:
            self._log_at = now + _LOG_EVERY_SECONDS
            logger.error("Redis does not answer; counting per process", exc_info=error)

    def reset(self) -> None:
        """Forget every window in both stores."""
        self._own.reset()
        self._redis.reset()
