"""What a token is for (RFC 8707): one resource of this service, or all of it."""

from collections.abc import Iterable

from django.conf import settings

from oauthserver.errors import InvalidTarget
from studyservice.http.paths import MCP_ROOT

EVERYWHERE = ""
"""Works on every path: no resource was named, or the origin."""

MCP = f"{settings.BASE_URL}{MCP_ROOT}"
"""Works at the MCP endpoint alone."""

_KNOWN = {
    settings.BASE_URL: EVERYWHERE,
    f"{settings.BASE_URL}/": EVERYWHERE,  # as URL parsers write the origin
    MCP: MCP,
}


def resource_from(named: Iterable[str]) -> str:
    """The one resource that `named` comes to.

    Raises:
        InvalidTarget: one of them is not a resource of this service.
    """
    found = set()
    for uri in named:
        if uri not in _KNOWN:
            raise InvalidTarget(f"The resource is {settings.BASE_URL} or {MCP}.")
        found.add(_KNOWN[uri])
    return MCP if found == {MCP} else EVERYWHERE


def narrowed(granted: str, named: Iterable[str]) -> str:
    """The resource of a token, asked for as `named` under a grant for `granted`.

    Raises:
        InvalidTarget: it goes beyond the grant, or is not a resource of this service.
    """
    wanted = list(named)
    if not wanted:
        return granted
    resource = resource_from(wanted)
    if granted not in (EVERYWHERE, resource):
        raise InvalidTarget("The resource goes beyond what the member allowed.")
    return resource
