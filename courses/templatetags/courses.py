"""Template tags of pages with courses."""

from uuid import UUID

from django.http import HttpRequest
from django.template import Context, Library

from courses.pages.colors import hues_here

register = Library()


@register.simple_tag(takes_context=True)
def course_color(context: Context, course_id: UUID | None) -> str:
    """Return the CSS class for a course's color; empty without a course."""
    if course_id is None:
        return ""
    request: HttpRequest = context["request"]
    hue = hues_here(request).get(course_id)
    return "" if hue is None else f"hue-{hue}"  # none for a course deleted since the page read it
