"""The routes of the pages whose forms hold study data or settings, and no secrets."""

from collections.abc import Iterator
from typing import Any

from django.test import Client
from django.urls import get_resolver, reverse

from tests.support.samples import UNKNOWN_ID

_VALID = {"month": "2026-12"}
"""Values of parameters that are not ids."""


def form_paths(browser: Client) -> dict[str, str]:
    """The path of each route whose view takes a form (`returns_input`), by its name. Ids are of no object."""
    paths = {}
    for route in _routes(get_resolver().url_patterns):
        if getattr(route.callback, "returns_input", False):
            path = reverse(
                route.name, kwargs={one: _VALID.get(one, UNKNOWN_ID) for one in route.pattern.regex.groupindex}
            )
            if browser.post(path).status_code != 405:
                paths[str(route.name)] = path
    return paths


def _routes(patterns: Any) -> Iterator[Any]:
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            yield from _routes(pattern.url_patterns)
        else:
            yield pattern
