"""Template tags and filters of the pages."""

from collections.abc import Iterator
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django import forms
from django.template import Context, Library
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = Library()

NAVIGATION = (
    ("home", "Week", "practice"),
    ("upcoming", "Upcoming", None),
    ("courses", "Courses", "item"),
    ("study", "Study", None),
    ("decks", "Decks", None),
)
"""URL name and text of each entry in a member's navigation, and the name of another URL that belongs to it."""

MAX_SUMMARIZED = 10
"""Maximum number of errors in a summary."""


@register.filter(expects_localtime=True)
def machine_time(at: datetime) -> str:
    """Return the value of a `datetime` attribute, to the second, because HTML allows no microseconds."""
    return at.isoformat(timespec="seconds")


@register.filter
def number(value: float, places: int = 4) -> str:
    """Return a number with at most `places` decimals, rounded half up like those of answers, without trailing zeros."""
    rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{rounded:f}".rstrip("0").rstrip(".") if places else f"{rounded:f}"


@register.filter
def percent(value: float, places: int = 1) -> str:
    """Return an estimate in percent, by default with at most one decimal: `99.4%`, `99%`."""
    return f"{number(value, places)}%"


@register.filter
def uncut(field: forms.BoundField) -> SafeString:
    """Render a field without `maxlength`: a browser would cut a longer pasted text without a word."""
    shown = field.as_widget(attrs={"maxlength": False})
    return shown + field.as_hidden(only_initial=True) if field.field.show_hidden_initial else shown


@register.inclusion_tag("studyservice/error_summary.html")
def error_summary(*sent: Any, lead: str = "") -> dict[str, Any]:
    """Render the errors of a rejected form, each with a link to its field. The browser scrolls to the summary.

    Args:
        sent: forms, or lists of forms. Undefined template variables count as none.
        lead: a sentence above the errors.
    """
    given = [form for one in sent for form in (one if isinstance(one, list | tuple) else [one])]
    errors = [error for form in given if isinstance(form, forms.BaseForm) for error in _errors_of(form)]
    return {"lead": lead, "errors": errors[:MAX_SUMMARIZED], "more": len(errors[MAX_SUMMARIZED:])}


def _errors_of(form: forms.BaseForm) -> Iterator[tuple[str, str]]:
    """Yield the id of the wrong element (empty if there is none), and the error with the label of its field."""
    yield from (("", str(error)) for error in form.non_field_errors())
    for field in form:
        label = field.field.widget.attrs.get("aria-label", field.label)
        element = field.id_for_label or f"{field.auto_id}_0"  # of several radio buttons or boxes the first
        for error in field.errors:
            yield ("", str(error)) if field.is_hidden else (element, f"{label}: {error}")


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
