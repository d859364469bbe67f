"""Routes that are found in a table, however many there are.

Django tries one route after another, and goes down into each `include` on the way: what a request costs grows with the
number of apps. The table is made of the apps' own `urls.py`, and what it finds is matched by Django's own patterns.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver
from django.urls.exceptions import Resolver404
from django.urls.resolvers import ResolverMatch, RoutePattern

_Place = tuple[int, str, str]
"""How many slashes a path has, and its first two segments."""


class RouteTable(URLResolver):
    """`path("", include(patterns))` with a table in it; the first of several routes that fit counts, as with Django.

    Args:
        patterns: made with `path` and `include`, without namespaces. The first two segments of a route are literal, and
            no parameter takes a slash.
    """

    def __init__(self, patterns: Sequence[URLPattern | URLResolver]) -> None:
        super().__init__(RoutePattern(""), patterns)

    @cached_property
    def _table(self) -> dict[_Place, list[URLPattern]]:
        """The few routes that a path can mean.

        Raises:
            ImproperlyConfigured: a route is not of the kind that this table takes.
        """
        table: dict[_Place, list[URLPattern]] = {}
        for flat in _flat(self.url_patterns, ""):
            table.setdefault(_place(str(flat.pattern)), []).append(flat)
        return table

    def check(self) -> list[CheckMessage]:
        """The checks of the routes, with a table made of them: a route that does not fit stops the start.

        Raises:
            ImproperlyConfigured: there is one.
        """
        _ = self._table
        return list(super().check())

    def resolve(self, path: str) -> ResolverMatch:
        """What `path` leads to.

        Raises:
            Resolver404: to nothing.
        """
        for route in self._table.get(_place(path), ()):
            match = route.resolve(path)
            if match is not None:
                return match
        raise Resolver404({"tried": [], "path": path})


def _place(path: str) -> _Place:
    first, _, rest = path.partition("/")
    return path.count("/"), first, rest.partition("/")[0]


def _flat(patterns: Sequence[URLPattern | URLResolver], above: str) -> Iterator[URLPattern]:
    """Each route with all that stands above it in its own pattern."""
    for found in patterns:
        route = f"{above}{found.pattern}"
        if isinstance(found, URLResolver):
            if found.namespace or found.app_name or found.default_kwargs:
                raise ImproperlyConfigured(f"{route!r} has a namespace or values of its own, which a table has not.")
            yield from _flat(found.url_patterns, route)
            continue
        pattern = RoutePattern(route, name=found.name, is_endpoint=True)
        if "<" in "".join(_place(route)[1:]) or any(re.fullmatch(c.regex, "a/b") for c in pattern.converters.values()):
            raise ImproperlyConfigured(f"{route!r} has a parameter where a table needs a literal, or one with slashes.")
        yield URLPattern(pattern, found.callback, found.default_args, found.name)
