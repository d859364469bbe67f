"""The icons that assistants show: ours, served from here under the names that they keep."""

from django.conf import settings
from mcp.types import Icon


def icon(name: str) -> Icon:
    """The drawing `name`.svg of the service's static files, which is sharp in any size."""
    source = f"{settings.BASE_URL}{settings.STATIC_URL}studyservice/{name}.svg"
    return Icon(src=source, mime_type="image/svg+xml", sizes=["any"])
