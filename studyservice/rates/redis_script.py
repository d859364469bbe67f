"""Fixed windows in Redis, which all processes share.

The library's fixed window asks Redis three times: for the count, then for what is left, then for the end in whole
seconds, rounded to the nearest. One script answers all of it at once, to the millisecond.
"""

from limits.storage import RedisStorage

from studyservice.rates.windows import Count

ANSWER_SECONDS = 0.5
"""How long Redis may take to accept a connection, or to answer."""

# Redis ends a key in the millisecond after its last one (`keyIsExpired`: now > when): a window of 60 s has 59,999 left
# when it opens, and one more than PTTL says until it is gone. A key without an end can only come from elsewhere; it
# gets one.
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


class RedisWindows(RedisStorage):
    """The library's connection to Redis, asked once for each request (`studyservice.rates.windows.Windows`)."""

    STORAGE_SCHEME = ["redis-windows"]  # noqa: RUF012  # declared so by the library

    def __init__(self, url: str) -> None:
        super().__init__(url, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS)
        self._script = self.get_connection().register_script(_SCRIPT)

    def count(self, key: str, expiry: int, amount: int) -> Count:
        """Add `amount` to the window of `key`, which a first one opens for `expiry` seconds; 0 only looks.

        Raises:
            redis.RedisError: Redis is gone, hangs or refuses (`base_exceptions`).
        """
        number, milliseconds = self._script([self.prefixed_key(key)], [expiry * 1000 - 1, amount])
        return Count(int(number), milliseconds / 1000)
