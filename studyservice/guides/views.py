"""The pages of the guides and of the changelog."""

from csp.constants import SELF
from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from studyservice.guides import served
from studyservice.guides.changelog import HISTORY_SECONDS


@gzip_page
@require_safe
def guide_list(request: HttpRequest) -> HttpResponseBase:
    """`/docs/guides`: every guide with what it is about."""
    return _page(request, "guides.html")


@gzip_page
@require_safe
def guide(request: HttpRequest, slug: str) -> HttpResponseBase:
    """`/docs/SLUG`."""
    found = served.guides().get(slug)
    if found is None:
        raise Http404
    return _page(request, "guide.html", guide=found)


@gzip_page
@require_safe
def changelog(request: HttpRequest) -> HttpResponseBase:
    """`/changelog`."""
    return _page(request, "changelog.html", guide=served.changelog())


@gzip_page
@cache_control(public=True, max_age=HISTORY_SECONDS)
@require_safe
def search_index(request: HttpRequest) -> HttpResponse:
    """`/docs/search.json`, which the search of these pages fetches once somebody uses it."""
    return HttpResponse(served.search_index(), content_type="application/json")


def _page(request: HttpRequest, template: str, **context: object) -> HttpResponseBase:
    """A page with the menu, whose search may fetch its index."""
    response = render(request, template, {"sections": served.sections()} | context)
    return csp_update({"connect-src": [SELF]})(lambda _: response)(request)
