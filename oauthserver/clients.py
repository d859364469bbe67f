"""Parse the parameters of a request, and identify its resources and its client (RFC 8707, RFC 6749 section 2.3).

Parameters are parsed strictly: each at most once, in UTF-8, without a NUL. An empty one counts as omitted, an unknown
one is ignored (RFC 6749 sections 3.1 and 3.2). A token is for one resource of this service, or for all.
"""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl, unquote_plus, urlencode
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.utils.crypto import constant_time_compare
from oauthlib.oauth2.rfc6749.errors import InvalidClientError, InvalidRequestError

from oauthserver.client_metadata import AuthMethod
from oauthserver.endpoints import InvalidTarget
from oauthserver.models import Application
from oauthserver.server import is_generated
from studyservice.http.bodies import read_raw
from studyservice.http.requests import MCP_ROOT
from studyservice.secrets.generated import sha256

FORM_TYPE = "application/x-www-form-urlencoded"

REPEATABLE = "resource"
"""The only parameter that may be repeated (RFC 8707 section 2)."""


class Parameters(dict[str, str]):
    """The parameters of one request.

    Attributes:
        resources: the values of `resource`.
    """

    def __init__(self, encoded: str) -> None:
        """Decode `encoded`.

        Raises:
            InvalidRequestError: it is not UTF-8, has too many parameters, repeats one, or contains a NUL.
        """
        try:
            pairs = parse_qsl(encoded, errors="strict", max_num_fields=100)
        except ValueError:
            raise InvalidRequestError("The parameters are not form-encoded UTF-8, or too many.") from None
        self.resources = tuple(value for name, value in pairs if name == REPEATABLE)
        single = [(name, value) for name, value in pairs if name != REPEATABLE]
        super().__init__(single)
        if any("\0" in value for _, value in pairs):
            raise InvalidRequestError("A parameter holds a NUL.")
        if len(single) != len(self):
            raise InvalidRequestError("A parameter is repeated.")

    def require(self, name: str) -> str:
        """Return the value of `name`.

        Raises:
            InvalidRequestError: it is missing.
        """
        if name not in self:
            raise InvalidRequestError(f"The parameter {name} is missing.")
        return self[name]

    def only(self, *names: str, **ours: str) -> HttpRequest:
        """Return a request with the parameters `names` and `ours`, for django-oauth-toolkit.

        It never sees the client's own request, so no other parameter, header or query reaches it or oauthlib.
        """
        request = HttpRequest()
        request.method = "POST"
        request.POST = QueryDict(urlencode({name: self[name] for name in names if name in self} | ours))
        return request


def form_parameters(request: HttpRequest) -> Parameters:
    """Return the parameters in the body of `request` (RFC 6749 section 3.2, appendix B).

    Raises:
        InvalidRequestError: the body is not form-encoded, or is malformed.
        studyservice.operations.errors.InvalidRequest: it is too large.
    """
    raw = read_raw(request)
    if request.content_type != FORM_TYPE:
        raise InvalidRequestError(f"Send the parameters as a form, with the header Content-Type: {FORM_TYPE}.")
    try:
        encoded = raw.decode()
    except UnicodeDecodeError:
        raise InvalidRequestError("The body is not form-encoded.") from None
    return Parameters(encoded)


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """The client credentials in a request."""

    client_id: str | None
    secret: str | None
    method: AuthMethod

    @classmethod
    def parse(cls, request: HttpRequest, form: Parameters) -> Self:
        """Return the credentials in the header or the body of `request`.

        Raises:
            InvalidRequestError: there are two of them (RFC 6749 section 2.3).
            InvalidClientError: the header cannot be parsed.
        """
        client_id, secret = form.get("client_id"), form.get("client_secret")
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return cls(client_id, secret, AuthMethod.NONE if secret is None else AuthMethod.POST)
        if secret is not None:
            raise InvalidRequestError("The client authenticates in the header and in the body; use one of them.")
        named, secret = _basic(header)
        if client_id not in (None, named):
            raise InvalidRequestError("The header and the body name different clients.")
        return cls(named, secret, AuthMethod.BASIC)

    def prove(self, app: Application) -> bool:
        """Return whether they prove the identity of `app`, by either method of sending its secret."""
        if self.method is AuthMethod.NONE:
            return app.token_endpoint_auth_method == AuthMethod.NONE
        return constant_time_compare(sha256(self.secret or ""), app.client_secret)

    def authenticate(self, app: Application) -> bool:
        """Return whether they authenticate `app` at the token endpoint, only by its registered method."""
        return self.prove(app) and (not app.auth_method_named or self.method == app.token_endpoint_auth_method)


def _basic(header: str) -> tuple[str, str]:
    """Return client id and secret, each form-encoded in HTTP Basic authentication (RFC 6749 section 2.3.1)."""
    scheme, _, encoded = header.partition(" ")
    try:
        client_id, separator, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError:
        raise InvalidClientError from None
    if scheme.lower() != "basic" or not separator or "\0" in unquote_plus(client_id):
        raise InvalidClientError
    return unquote_plus(client_id), unquote_plus(secret)


def named_client(client_id: str | None) -> dict[str, UUID | str]:
    """Return the client id for a log line, if we generated it. Nothing else from an unknown client is logged."""
    return {"client_id": client_id} if client_id is not None and is_generated(client_id) else {}


def locked_app(client_id: str | None) -> Application | None:
    """Return the app, and lock it until the end of this transaction.

    Call it under the member's lock, before reading, storing or ending the member's codes and tokens of the app. So its
    deletion (`oauthserver.connections`) comes entirely before or after, and nobody waits in a circle.
    """
    app: Application | None = Application.objects.select_for_update(no_key=True).filter(client_id=client_id).first()
    return app


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
