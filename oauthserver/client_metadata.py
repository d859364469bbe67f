"""The metadata of an app's registration (RFC 7591 section 2)."""

from dataclasses import dataclass
from typing import Any, Self

from django.db import models

from oauthserver.app_names import fault_of_name, mixes_scripts, name_from, normalized
from oauthserver.errors import InvalidClientMetadata, InvalidRedirectUri
from oauthserver.redirect_uris import MAX_REDIRECT_URIS, fault_of

GRANT_TYPES = ("authorization_code", "refresh_token")
RESPONSE_TYPES = ("code",)
AUTH_METHOD = "token_endpoint_auth_method"


class AuthMethod(models.TextChoices):
    """Client authentication methods of the token endpoint (RFC 7591 section 2)."""

    NONE = "none"
    BASIC = "client_secret_basic"
    POST = "client_secret_post"


@dataclass(frozen=True, slots=True)
class ClientMetadata:
    """A valid registration.

    Requests beyond these fields are answered with the granted values (RFC 7591 section 3.2.1).

    Attributes:
        name: the app's own, or the host of its callback (`oauthserver.app_names`).
        auth_method_named: whether the registration named `auth_method`; if not, it is the default of RFC 7591.
    """

    name: str
    redirect_uris: tuple[str, ...]
    auth_method: AuthMethod
    auth_method_named: bool

    @classmethod
    def parse(cls, body: Any) -> Self:
        """Return the registration in a JSON body.

        Raises:
            InvalidRedirectUri: `redirect_uris` is missing or invalid.
            InvalidClientMetadata: anything else is wrong.
        """
        if not isinstance(body, dict):
            raise InvalidClientMetadata("The body is a JSON object.")
        redirect_uris = _redirect_uris(body.get("redirect_uris"))
        _require_offered(body, "grant_types", GRANT_TYPES)
        _require_offered(body, "response_types", RESPONSE_TYPES)
        _text(body, "scope", "")
        method = _text(body, AUTH_METHOD, AuthMethod.BASIC)
        if method not in AuthMethod.values:
            raise InvalidClientMetadata(f"{AUTH_METHOD} is one of {', '.join(AuthMethod.values)}.")
        name = normalized(_text(body, "client_name", name_from(redirect_uris[0])))
        if fault := fault_of_name(name):
            raise InvalidClientMetadata(fault)
        return cls(
            name=name_from(redirect_uris[0]) if mixes_scripts(name) else name,
            redirect_uris=redirect_uris,
            auth_method=AuthMethod(method),
            auth_method_named=AUTH_METHOD in body,
        )


def _redirect_uris(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidRedirectUri("redirect_uris is an array of strings.")
    if not 1 <= len(value) <= MAX_REDIRECT_URIS:
        raise InvalidRedirectUri(f"There must be 1 to {MAX_REDIRECT_URIS} redirect_uris.")
    if not all(isinstance(uri, str) for uri in value):
        raise InvalidRedirectUri("redirect_uris is an array of strings.")
    for uri in value:
        if fault := fault_of(uri):
            raise InvalidRedirectUri(fault)
    return tuple(value)


def _text(body: dict[str, Any], name: str, default: str) -> str:
    value = body.get(name, default)
    if not isinstance(value, str):
        raise InvalidClientMetadata(f"{name} is a string.")
    return value


def _require_offered(body: dict[str, Any], name: str, offered: tuple[str, ...]) -> None:
    """Refuse a client that could not use its tokens."""
    value = body.get(name, list(offered))
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise InvalidClientMetadata(f"{name} is an array of strings.")
    if offered[0] not in value:
        raise InvalidClientMetadata(f"{name} includes {offered[0]}.")
