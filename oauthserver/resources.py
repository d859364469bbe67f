"""Resource indicators (RFC 8707): a token is for one resource of this service, or for all."""

import re
from collections.abc import Iterable

from django.conf import settings

from oauthserver.endpoints import InvalidTarget
from studyservice.http.requests import MCP_ROOT

EVERYWHERE = ""
"""Valid on every path: no resource was named, or the origin."""

MCP = f"{settings.BASE_URL}{MCP_ROOT}"
"""Valid only at the MCP endpoint."""

_URL = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._\-]+)(?::([0-9]*))?((?:/[^?#]*)?)", re.IGNORECASE)
_DEFAULT_PORTS = {"https": "443", "http": "80"}


def normalized(uri: str) -> str:
    """Normalize `uri`, since clients pass it through different URL parsers.

    Scheme and host become lower case. A default port (RFC 3986 section 6.2) and one trailing slash are dropped.
    Anything but a plain http or https address stays unchanged.
    """
    found = _URL.fullmatch(uri)
    if found is None:
        return uri
    scheme, host, port, path = found[1].lower(), found[2].lower(), found[3], found[4]
    authority = host if port in (None, "", _DEFAULT_PORTS[scheme]) else f"{host}:{port}"
    return f"{scheme}://{authority}{path.removesuffix('/')}"


_KNOWN = {normalized(settings.BASE_URL): EVERYWHERE, normalized(MCP): MCP}


def resource_from(named: Iterable[str]) -> str:
    """Return the resource that `named` selects.

    Raises:
        InvalidTarget: one of them is not a resource of this service.
    """
    found = set()
    for uri in named:
        known = _KNOWN.get(normalized(uri))
        if known is None:
            raise InvalidTarget(f"The resource is {settings.BASE_URL} or {MCP}.")
        found.add(known)
    return MCP if found == {MCP} else EVERYWHERE


def narrowed(granted: str, named: Iterable[str]) -> str:
    """Return the resource of a token requested for `named` under a grant for `granted`.

    Raises:
        InvalidTarget: it exceeds the grant, or is not a resource of this service.
    """
    wanted = list(named)
    if not wanted:
        return granted
    resource = resource_from(wanted)
    if granted not in (EVERYWHERE, resource):
        raise InvalidTarget("The resource goes beyond what the member allowed.")
    return resource
