"""The table of routes leads where Django's own resolver leads."""

from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import URLResolver, get_resolver, include, path
from django.urls.exceptions import Resolver404
from django.urls.resolvers import ResolverMatch

from studyservice.http.routes import RouteTable
from tests.support.doors import routes
from tests.support.samples import UNKNOWN_ID

pytestmark = pytest.mark.database("sqlite", "routes, which are code")

ODD_IDS = ("17", "a b", "%2F", "a\nb", "é", "..", ".", "courses", "items", "mcp", "<course_id>")
ODD_PATHS = ("", "/", "v1", "v1/", "v1//", "v1//items", "/v1/items", "v1/items/", "v1/items\n", "V1/items", "v1/none")
MORE_PATHS = (
    "v1/items?x",
    "v1/me/me",
    "v1/courses//items",
    "mcp",
    "mcp/",
    "mcp//",
    "mcp/x",
    "mcp\n",
    "health",
    "a/b/c",
)


def table() -> RouteTable:
    [found] = [pattern for pattern in get_resolver().url_patterns if isinstance(pattern, RouteTable)]
    return found


def paths() -> list[str]:
    """Every route with a good id and with odd ones, each also with something before, behind and left out."""
    found = [*ODD_PATHS, *MORE_PATHS]
    for route in routes().values():
        for one in (UNKNOWN_ID, "", *ODD_IDS):
            filled = route.path.removeprefix("/").format_map(dict.fromkeys(route.path_ids, one))
            found += [filled, f"{filled}/", f"/{filled}", f"{filled}/x", f"{filled}\n", filled.rpartition("/")[0]]
    return found


def led(resolver: URLResolver, way: Any, to: str) -> tuple[Any, ...] | None:
    """What there is at `to`, by the function `way` of `resolver`; None for nothing."""
    try:
        match: ResolverMatch = way(resolver, to)
    except Resolver404:
        return None
    return (match.func, match.args, match.kwargs, match.url_name, match.view_name, match.route, match.namespaces)


def test_the_table_and_django_agree() -> None:
    found = {to: led(table(), RouteTable.resolve, to) for to in paths()}
    assert found == {to: led(table(), URLResolver.resolve, to) for to in paths()}
    assert len([match for match in found.values() if match]) >= len(routes())


def test_every_route_of_the_api_is_in_the_table() -> None:
    for route in routes().values():
        to = route.path.removeprefix("/").format_map(dict.fromkeys(route.path_ids, UNKNOWN_ID))
        assert led(table(), RouteTable.resolve, to) is not None


def nowhere(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


@pytest.mark.parametrize(
    "route",
    [
        path("a/<b>", nowhere),
        path("<a>", nowhere),
        path("a/b/<path:c>", nowhere),
        path("a/", include(([], "app"))),
        path("a/", include([path("b", nowhere)]), {"c": 1}),
    ],
)
def test_a_route_that_would_not_fit_stops_the_start(route: Any) -> None:
    with pytest.raises(ImproperlyConfigured):
        RouteTable([route]).check()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/v1/courses/", "Leave out the slash at its end: /v1/courses."),
        ("/v1/course", f"Every operation is listed at {settings.BASE_URL}/docs."),
        ("/v1/courses//", "Leave out the slash at its end: /v1/courses."),
        ("/v1/", f"Every operation is listed at {settings.BASE_URL}/docs."),
    ],
)
def test_a_wrong_address_is_told_where_the_right_one_is(client: Client, path: str, hint: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == f"There is nothing at this address. {hint}"
