"""The pages of the guides, the index of their search, and the changelog as a page and as a feed (Atom, RFC 4287)."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from studyservice.guides.catalog import ADDRESSES, CHANGELOG, INDEXES, ROOT, SECTIONS, Index
from studyservice.guides.markdown import Heading, document
from studyservice.http.middleware import may_fetch
from studyservice.openapi.document import document as description
from studyservice.operations.codec import encode

HISTORY_SECONDS = 300
"""How long a cache may keep pages that change only with a new version."""

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


_ENTRY = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>\n(.*?)(?=<h2 |\Z)', re.DOTALL)
_RELEASE = re.compile(r"\[?([^\]\s]+)\]? +[-–] +(\d{4}-\d{2}-\d{2})")


class Entry(NamedTuple):
    """A version, or the unreleased changes.

    Attributes:
        anchor: of its heading on the page.
        html: the changes.
        changed_at: midnight (UTC) of the release day; for unreleased changes, the file's last change.
    """

    anchor: str
    title: str
    html: str
    changed_at: datetime


@cache
def entries() -> tuple[Entry, ...]:
    """Return all versions, the newest first."""
    file_changed_at = datetime.fromtimestamp(CHANGELOG.file.stat().st_mtime, UTC)
    found = []
    for anchor, heading, html in _ENTRY.findall(document(CHANGELOG, own_origin=False).html):
        release = _RELEASE.fullmatch(heading)
        title = f"Version {release[1]}" if release else "Not released yet"
        changed_at = datetime.fromisoformat(release[2]).replace(tzinfo=UTC) if release else file_changed_at
        found.append(Entry(anchor, title, html, changed_at))
    return tuple(found)


class ChangelogFeed(Feed):  # type: ignore[type-arg]  # generic only in the stubs
    """`/changelog.atom`."""

    feed_type = Atom1Feed
    title = f"{settings.SERVICE_NAME}: what changed"
    subtitle = "For those who call the API, connect an app or run the service."

    def __call__(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Answer with caching headers."""
        response = super().__call__(request, *args, **kwargs)
        response.headers["Cache-Control"] = f"public, max-age={HISTORY_SECONDS}"
        return response

    def link(self) -> str:
        """Return the page's URL."""
        return settings.BASE_URL + reverse("changelog")

    def feed_url(self) -> str:
        """Return the feed's URL at the service's own origin."""
        return settings.BASE_URL + reverse("changelog-feed")

    feed_guid = link

    def items(self) -> tuple[Entry, ...]:
        """Return the entries."""
        return entries()

    def item_title(self, item: Entry) -> str:
        """Return the version."""
        return item.title

    def item_description(self, item: Entry) -> str:
        """Return the changes, as HTML."""
        return item.html

    def item_link(self, item: Entry) -> str:
        """Return the URL of the version's heading, which is also the entry's identity."""
        return f"{self.link()}#{item.anchor}"

    def item_pubdate(self, item: Entry) -> datetime:
        """Return the day of the release."""
        return item.changed_at

    def item_updateddate(self, item: Entry) -> datetime:
        """Return the time of the last change."""
        return item.changed_at


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
