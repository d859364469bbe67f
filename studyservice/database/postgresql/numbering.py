"""Convert Django's placeholders to PostgreSQL's."""

import re
from functools import lru_cache
from itertools import count

_PLACE = re.compile("%[s%]")
_NUMBERED = re.compile(r"\$([0-9]+)")


@lru_cache(maxsize=512)
def numbered(sql: str) -> bytes:
    """`sql` with PostgreSQL's own `$1`, `$2`, … where Django's `%s` stand, made once for each statement.

    Those that it has already stay, and come first.
    """
    numbers = count(max(map(int, _NUMBERED.findall(sql)), default=0) + 1)
    return _PLACE.sub(lambda place: "%" if place[0] == "%%" else f"${next(numbers)}", sql).encode()
