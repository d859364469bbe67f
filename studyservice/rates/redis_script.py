"""Fixed windows in Redis, shared by all processes.

The library's fixed window needs three round trips: for the count, for the remainder, and for the end, rounded to whole
seconds. One script returns everything at once, to the millisecond.
"""

import threading
from hashlib import sha1
from typing import TYPE_CHECKING, Any, cast

from limits.storage import RedisStorage

from studyservice.rates.windows import Count

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
    """The library's Redis connection, used once per request (`studyservice.rates.windows.Windows`).

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
