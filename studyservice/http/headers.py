"""Headers that many answers share, checked and encoded once instead of with each of them."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.http.response import ResponseHeaders


class PreparedHeaders:
    """The same headers for many answers.

    Django checks and converts every header that is set on an answer, 1 µs each. These are taken over as they are in its
    dictionary, which has no public way in; `tests/server/test_header_sets.py` fails should Django change it.
    """

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._entries: dict[str, tuple[str, str]] = ResponseHeaders(dict(headers))._store  # noqa: SLF001  # see above

    def put_on(self, response: HttpResponse) -> None:
        """Set these headers. Those that the answer already has win."""
        own = response.headers
        own._store = self._entries | own._store  # noqa: SLF001  # see above
