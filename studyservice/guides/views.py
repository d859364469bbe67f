"""The pages of the guides and of the changelog."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from studyservice.guides import served
from studyservice.guides.changelog import HISTORY_SECONDS
from studyservice.guides.served import ServedIndex
from studyservice.http.pages import may_fetch


@gzip_page
@require_safe
def guide_list(request: HttpRequest, index: str = "") -> HttpResponseBase:
    """`/docs/guides` and `/docs/guides/INDEX`: the guides for one kind of reader."""
    found = next((one for one in served.indexes() if one.slug == index), None)
    if found is None:
        raise Http404
    return _page(request, "studyservice/guides.html", found)


@gzip_page
@require_safe
def guide(request: HttpRequest, slug: str) -> HttpResponseBase:
    """`/docs/SLUG`."""
    found = served.guides().get(slug)
    if found is None:
        raise Http404
    return _page(request, "studyservice/guide.html", found[1], guide=found[0])


@gzip_page
@require_safe
def changelog(request: HttpRequest) -> HttpResponseBase:
    """`/changelog`."""
    return _page(request, "studyservice/changelog.html", served.indexes()[0], guide=served.changelog())


@gzip_page
@cache_control(public=True, max_age=HISTORY_SECONDS)
@require_safe
def search_index(request: HttpRequest) -> HttpResponse:
    """`/docs/search.json`, fetched when somebody first uses the search of these pages."""
    return HttpResponse(served.search_index(), content_type="application/json")


def _page(request: HttpRequest, template: str, index: ServedIndex, **context: object) -> HttpResponseBase:
    """Render a page with the menu of `index`. Its policy allows fetching the search index."""
    response = render(request, template, {"index": index, "indexes": served.indexes()} | context)
    return may_fetch(request, response)
