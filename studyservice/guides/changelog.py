"""The changelog as a feed (Atom, RFC 4287), with an entry for each version."""

import re
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from studyservice.guides.catalog import CHANGELOG
from studyservice.guides.markdown import document

HISTORY_SECONDS = 300
"""How long a cache may keep pages that change only with a new version."""

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
