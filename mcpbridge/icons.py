"""The icons that assistants show, served by this service under stable names."""

from django.conf import settings
from mcp.types import Icon


def icon(name: str) -> Icon:
    """Return `name`.svg from the service's static files, which is sharp at any size."""
    source = f"{settings.BASE_URL}{settings.STATIC_URL}studyservice/{name}.svg"
    return Icon(src=source, mime_type="image/svg+xml", sizes=["any"])
