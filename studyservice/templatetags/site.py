"""Template tags and filters of the pages."""

from datetime import datetime
from uuid import UUID

from django.template import Context, Library
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = Library()

NAVIGATION = (
    ("home", "Week", "practice"),
    ("courses", "Courses", "item"),
    ("study", "Study", None),
    ("decks", "Decks", None),
    ("activity", "Activity", None),
)
"""URL name and text of each entry in a member's navigation, and the name of another URL that belongs to it."""

HUES = 12
"""Number of course colors. `pages.css` has a class for each."""


@register.filter(expects_localtime=True)
def machine_time(at: datetime) -> str:
    """Return the value of a `datetime` attribute, to the second, because HTML allows no microseconds."""
    return at.isoformat(timespec="seconds")


@register.filter
def number(value: float) -> str:
    """Return a number with at most four decimals, without trailing zeros."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


@register.filter
def percent(value: float) -> str:
    """Return an estimate in percent with at most one decimal: `99.4%`, `99%`."""
    return f"{value:.1f}".removesuffix(".0") + "%"


@register.filter
def course_color(course_id: UUID | str | None) -> str:
    """Return the CSS class for a course's color, derived from its id; empty without a course."""
    return f"hue-{UUID(str(course_id)).int % HUES}" if course_id else ""


@register.simple_tag(takes_context=True)
def navigation(context: Context) -> SafeString:
    """Return the links of a member's navigation."""
    return format_html_join("", "{}", ((site_link(context, name, text, also=also),) for name, text, also in NAVIGATION))


@register.simple_tag(takes_context=True)
def site_link(context: Context, name: str, text: str, *, below: bool = True, also: str | None = None) -> SafeString:
    """Return a link. `aria-current` marks the current page, or the section that the page belongs to.

    Args:
        below: whether pages below the address belong to it.
        also: the name of another address that belongs to it.
    """
    address = reverse(name)
    request = context.get("request")  # missing while an error is rendered that the request may have caused
    path, match = (request.path, request.resolver_match) if request else ("", None)
    if path == address:
        mark = format_html(' aria-current="{}"', "page")
    elif (below and path.startswith(f"{address}/")) or (match and match.url_name == also):
        mark = format_html(' aria-current="{}"', "true")
    else:
        mark = SafeString("")
    return format_html('<a href="{}"{}>{}</a>', address, mark, text)
