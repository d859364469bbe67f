"""A system check: the service does not start if a tool violates a limit."""

from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured


@register()
def check_tools(**kwargs: Any) -> list[CheckMessage]:
    """Create the tools, which each process caches."""
    # Imported here, because the protocol's types take half a second and most commands do not need them.
    from mcpbridge.tools import tools  # noqa: PLC0415

    try:
        tools()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="mcpbridge.E001")]
    return []
