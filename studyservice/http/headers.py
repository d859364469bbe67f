"""Headers shared by many answers, validated and encoded once."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.http.response import ResponseHeaders


class PreparedHeaders:
    """The same headers for many answers.

    Django validates and converts each header of each answer, which takes 1 µs. These are copied into its internal
    dictionary, which has no public interface; `tests/server/test_header_sets.py` fails if Django changes it.
    """

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._entries: dict[str, tuple[str, str]] = ResponseHeaders(dict(headers))._store  # noqa: SLF001  # see above

    def put_on(self, response: HttpResponse) -> None:
        """Set these headers, except those that the answer already has."""
        own = response.headers
        own._store = self._entries | own._store  # noqa: SLF001  # see above
