"""Convert Django's placeholders to PostgreSQL's."""

import re
from functools import lru_cache
from itertools import count

_PLACE = re.compile("%[s%]")
_NUMBERED = re.compile(r"\$([0-9]+)")


@lru_cache(maxsize=512)
def numbered(sql: str) -> bytes:
    """Replace Django's `%s` with PostgreSQL's `$1`, `$2`, … Numbers that `sql` already has come first."""
    numbers = count(max(map(int, _NUMBERED.findall(sql)), default=0) + 1)
    return _PLACE.sub(lambda place: "%" if place[0] == "%%" else f"${next(numbers)}", sql).encode()
