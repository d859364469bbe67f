"""Template tags and filters of the pages."""

from datetime import datetime

from django.template import Context, Library
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = Library()


@register.filter(expects_localtime=True)
def machine_time(at: datetime) -> str:
    """Return the value of a `datetime` attribute, to the second: HTML knows no microseconds."""
    return at.isoformat(timespec="seconds")


@register.simple_tag(takes_context=True)
def site_link(context: Context, name: str, text: str, *, below: bool = True, also: str | None = None) -> SafeString:
    """A link of the site's menu; `aria-current` says that it is this page, or that this page belongs to it.

    Args:
        below: whether pages whose addresses lie below belong to it.
        also: the name of another address that does.
    """
    address = reverse(name)
    request = context.get("request")  # missing where an error is told whose request may be the trouble
    path, match = (request.path, request.resolver_match) if request else ("", None)
    if path == address:
        mark = format_html(' aria-current="{}"', "page")
    elif (below and path.startswith(f"{address}/")) or (match and match.url_name == also):
        mark = format_html(' aria-current="{}"', "true")
    else:
        mark = SafeString("")
    return format_html('<a href="{}"{}>{}</a>', address, mark, text)
