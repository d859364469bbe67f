"""The pages of the guides and of the changelog, and the index of their search."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from studyservice.guides.catalog import ADDRESSES, CHANGELOG, INDEXES, ROOT, SECTIONS, Index
from studyservice.guides.changelog import HISTORY_SECONDS
from studyservice.guides.markdown import Heading, document
from studyservice.http.middleware import may_fetch
from studyservice.openapi.document import document as description
from studyservice.operations.codec import encode

_GUIDES = {
    guide.slug: (guide, section, index) for index in INDEXES for section in index.sections for guide in section.guides
}


@gzip_page
@require_safe
def guide_list(request: HttpRequest, index: str = "") -> HttpResponseBase:
    """`/docs/guides` and `/docs/guides/INDEX`: the guides for one kind of reader."""
    found = next((one for one in INDEXES if one.slug == index), None)
    if found is None:
        raise Http404
    return _page(request, "studyservice/guides.html", found)


@gzip_page
@require_safe
def guide(request: HttpRequest, slug: str) -> HttpResponseBase:
    """`/docs/SLUG`."""
    if slug not in _GUIDES:
        raise Http404
    found, section, index = _GUIDES[slug]
    rendered = document(found, own_origin=section.own_origin)
    return _page(request, "studyservice/guide.html", index, guide=found, document=rendered)


@gzip_page
@require_safe
def changelog(request: HttpRequest) -> HttpResponseBase:
    """`/changelog`."""
    rendered = document(CHANGELOG, own_origin=False)
    return _page(request, "studyservice/changelog.html", INDEXES[0], guide=CHANGELOG, document=rendered)


def _page(request: HttpRequest, template: str, index: Index, **context: object) -> HttpResponseBase:
    """Render a page with the menu of `index`. Its policy allows fetching the search index."""
    response = render(request, template, {"index": index, "indexes": INDEXES} | context)
    return may_fetch(request, response)


@gzip_page
@cache_control(public=True, max_age=HISTORY_SECONDS)
@require_safe
def search_index(request: HttpRequest) -> HttpResponse:
    """`/docs/search.json`, fetched when somebody first uses the search of these pages."""
    return HttpResponse(_search_index(), content_type="application/json")


@cache
def _search_index() -> bytes:
    """Return `page`, `title`, `url`, `text` and `weight` of each entry, as JSON. Renders all guides."""
    return encode([*_sections(), *_operations()])


def _sections() -> Iterator[dict[str, Any]]:
    """Search entries of guides, one for each heading. Guides for members and scripts rank first."""
    for section in SECTIONS:
        weight = 2 if section.own_origin else 1
        for guide in section.guides:
            rendered, address = document(guide, own_origin=section.own_origin), ADDRESSES[guide.source]
            lead = Heading("", "", 1, f"{guide.about} {rendered.lead}")
            for part in (lead, *rendered.headings):
                url = f"{address}#{part.id}" if part.id else address
                yield {"page": guide.title, "title": part.title, "url": url, "text": part.text, "weight": weight}


def _operations() -> Iterator[dict[str, Any]]:
    """Search entries of the API reference."""
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            yield {
                "page": "API reference",
                "title": operation["summary"],
                "url": f"{ROOT}/reference/{operation['tags'][0].lower()}#{operation['operationId']}",
                "text": f"{operation['operationId']} {method.upper()} {path} {operation['description']}",
                "weight": 4,  # the exact name of an operation should come first
            }
