"""Windows in Redis, shared by all processes while it answers, else in this process.

A hanging Redis costs each thread one wait of `ANSWER_SECONDS`. After that, requests are counted in this process at
once, and one thread checks whether Redis is back.

The library's fixed window needs three round trips: for the count, for the remainder, and for the end, rounded to whole
seconds. One script returns everything at once, to the millisecond.
"""

import logging
import threading
import time
from hashlib import sha1
from typing import TYPE_CHECKING, Any, cast

from django.dispatch import Signal
from limits.storage import RedisStorage

from studyservice.rates.limiter import Count, MemoryWindows

if TYPE_CHECKING:  # the library imports the client only where there is a Redis
    from redis import Redis
    from redis.connection import AbstractConnection

ANSWER_SECONDS = 0.5
"""Timeout for connecting to Redis and for its answers."""

# Redis ends a key in the millisecond after its last one (`keyIsExpired`: now > when): a window of 60 s has 59,999 left
# when it opens, and one more than PTTL until it ends. A key without an expiry was set by something else, and gets one.
_SCRIPT = b"""
if ARGV[2] == '0' and redis.call('EXISTS', KEYS[1]) == 0 then
    return {0, 0}
end
local number = redis.call('INCRBY', KEYS[1], ARGV[2])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    left = tonumber(ARGV[1])
end
return {number, left + 1}
"""
_SHA = sha1(_SCRIPT, usedforsecurity=False).hexdigest()


class RedisWindows(RedisStorage):
    """The library's Redis connection, used once per request (`studyservice.rates.limiter.Windows`).

    Every thread has its own connection. The client's shared pool locks and checks the connection's socket before each
    use, which costs a thread as much time as Redis itself. A connection that Redis has closed is detected on use and
    replaced.
    """

    STORAGE_SCHEME = ["redis-windows"]  # noqa: RUF012  # declared so by the library

    def __init__(self, url: str) -> None:
        super().__init__(url, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS)
        self._pool = cast("Redis", self.get_connection()).connection_pool
        self._own = threading.local()

    def count(self, key: str, expiry: int, amount: int) -> Count:
        """Add `amount` to the window of `key`. The first call opens it for `expiry` seconds; 0 only reads.

        Raises:
            redis.RedisError: Redis is unreachable, hangs or refuses (`base_exceptions`).
        """
        arguments = (1, self.prefixed_key(key), expiry * 1000 - 1, amount)
        connection = self._connection()
        was_connected = connection.is_connected
        try:
            number, milliseconds = self._answer(connection, arguments)
        except self.dependency.exceptions.ConnectionError:
            if not was_connected:
                raise
            number, milliseconds = self._answer(connection, arguments)
        return Count(int(number), milliseconds / 1000)

    def _connection(self) -> "AbstractConnection":
        """Return this thread's connection, which connects on use. It is closed after its thread ends."""
        connection: AbstractConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = self._pool.connection_class(**self._pool.connection_kwargs)
        return connection

    def _answer(self, connection: Any, arguments: tuple[int | str, ...]) -> tuple[int, int]:
        """Run the script. Loads it first if Redis does not have it."""
        try:
            connection.send_command("EVALSHA", _SHA, *arguments)
            number, milliseconds = connection.read_response()
        except self.dependency.exceptions.NoScriptError:
            connection.send_command("EVAL", _SCRIPT, *arguments)
            number, milliseconds = connection.read_response()
        return number, milliseconds


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
    """Counters of all processes, or of this one while Redis does not answer (`studyservice.rates.limiter.Windows`)."""

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
