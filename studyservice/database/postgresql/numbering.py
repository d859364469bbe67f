"""Convert Django's placeholders to PostgreSQL's."""

import re
from functools import lru_cache
from itertools import count

_PLACE = re.compile("%[s%]")


@lru_cache(maxsize=512)
def numbered(sql: str) -> bytes:
    """Return `sql` with `$1`, `$2`, … in place of Django's `%s`. Cached."""
    numbers = count(1)
    return _PLACE.sub(lambda place: "%" if place[0] == "%%" else f"${next(numbers)}", sql).encode()
