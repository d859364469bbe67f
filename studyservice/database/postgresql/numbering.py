"""Statements with PostgreSQL's own places for values."""

import re
from functools import lru_cache
from itertools import count

_PLACE = re.compile("%[s%]")


@lru_cache(maxsize=512)
def numbered(sql: str) -> bytes:
    """`sql` with PostgreSQL's own `$1`, `$2`, … where Django's `%s` stand, made once for each statement."""
    numbers = count(1)
    return _PLACE.sub(lambda place: "%" if place[0] == "%%" else f"${next(numbers)}", sql).encode()
