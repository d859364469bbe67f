"""Template tags of pages with courses."""

from uuid import UUID

from django.http import HttpRequest
from django.template import Context, Library

from courses.pages.colors import hues_here
from courses.pages.course_forms import given_texts
from courses.serializers import CourseRow

register = Library()


@register.simple_tag(takes_context=True)
def course_color(context: Context, course_id: UUID | None) -> str:
    """Return the CSS class for a course's color; empty without a course."""
    if course_id is None:
        return ""
    request: HttpRequest = context["request"]
    hue = hues_here(request).get(course_id)
    return "" if hue is None else f"hue-{hue}"  # none for a course deleted since the page read it


@register.filter
def facts(course: CourseRow, names: str = "code term meets") -> str:
    """Return the named details of a course in one line, without those that nobody gave."""
    given = given_texts(course)
    return " · ".join(filter(None, (given[name] for name in names.split())))
