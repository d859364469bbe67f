"""The built guides, read once per process."""

import json
import re
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static

from studyservice.guides.catalog import BUILT, CHANGELOG, EXAMPLE_ORIGIN, INDEXES, SECTIONS, STATIC_MARK, Section

_MARK = re.compile(rf'src="{STATIC_MARK}([^"]+)"')


class ServedHeading(NamedTuple):
    """A heading in the menu."""

    id: str
    title: str


class ServedGuide(NamedTuple):
    """A guide, ready for its page.

    Attributes:
        html: trusted, since it was rendered from our own files; without the title.
        headings: those of the first level below the title.
    """

    slug: str
    title: str
    about: str
    html: str
    headings: tuple[ServedHeading, ...]


class ServedSection(NamedTuple):
    """Guides about one subject."""

    title: str
    guides: tuple[ServedGuide, ...]


class ServedIndex(NamedTuple):
    """The guides for one kind of reader.

    Attributes:
        slug: empty for members and scripts.
    """

    slug: str
    title: str
    about: str
    sections: tuple[ServedSection, ...]


def is_built() -> bool:
    """Return whether the guides were built."""
    return (BUILT / "guides.json").exists()


@cache
def indexes() -> tuple[ServedIndex, ...]:
    """Return all guides in order.

    Raises:
        ImproperlyConfigured: the guides were not built.
    """
    built = built_pages()
    return tuple(
        ServedIndex(*index, tuple(_section(section, built) for section in SECTIONS if section.index_slug == index.slug))
        for index in INDEXES
    )


def _section(section: Section, built: dict[str, Any]) -> ServedSection:
    return ServedSection(
        section.title,
        tuple(
            _served(guide.slug, guide.about, built[guide.slug], own_origin=section.own_origin)
            for guide in section.guides
        ),
    )


@cache
def guides() -> dict[str, tuple[ServedGuide, ServedIndex]]:
    """Return each guide by its slug, with the index that lists it."""
    return {guide.slug: (guide, index) for index in indexes() for section in index.sections for guide in section.guides}


@cache
def changelog() -> ServedGuide:
    """Return the changelog, as a guide."""
    return _served(CHANGELOG, "", built_pages()[CHANGELOG], own_origin=False)


@cache
def search_index() -> str:
    """Return the search index as JSON: `page`, `title`, `url`, `text`, `weight` of each entry."""
    return (BUILT / "search.json").read_text(encoding="utf-8")


@cache
def built_pages() -> dict[str, Any]:
    """Return the output of `building.build`.

    Raises:
        ImproperlyConfigured: the guides were not built.
    """
    if not is_built():
        raise ImproperlyConfigured("The guides are not built. Run: manage.py buildguides")
    pages: dict[str, Any] = json.loads((BUILT / "guides.json").read_text(encoding="utf-8"))
    return pages


def _served(slug: str, about: str, page: dict[str, Any], *, own_origin: bool) -> ServedGuide:
    html = _MARK.sub(lambda found: f'src="{static(found[1])}"', page["html"])
    if own_origin:
        html = html.replace(EXAMPLE_ORIGIN, settings.BASE_URL)
    headings = tuple(
        ServedHeading(heading["id"], heading["title"]) for heading in page["headings"] if heading["level"] == 2
    )
    return ServedGuide(slug, page["title"], about, html, headings)
