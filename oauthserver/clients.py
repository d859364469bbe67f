"""Which app is asking, and by which method it proves that (RFC 6749 section 2.3)."""

import base64
import binascii
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote_plus

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts.secrets import sha256
from oauthserver.client_metadata import AuthMethod
from oauthserver.errors import InvalidClient, InvalidRequest
from oauthserver.models import Application
from oauthserver.parameters import Parameters


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """What a request shows of its client."""

    client_id: str | None
    secret: str | None
    method: AuthMethod

    @classmethod
    def parse(cls, request: HttpRequest, form: Parameters) -> Self:
        """The credentials in the header or the body of `request`.

        Raises:
            InvalidRequest: there are two of them (RFC 6749 section 2.3).
            InvalidClient: the header cannot be read.
        """
        client_id, secret = form.get("client_id"), form.get("client_secret")
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return cls(client_id, secret, AuthMethod.NONE if secret is None else AuthMethod.POST)
        if secret is not None:
            raise InvalidRequest("The client authenticates in the header and in the body; use one of them.")
        named, secret = _basic(header)
        if client_id not in (None, named):
            raise InvalidRequest("The header and the body name different clients.")
        return cls(named, secret, AuthMethod.BASIC)


def _basic(header: str) -> tuple[str, str]:
    """Client id and secret, each form-encoded, in HTTP Basic authentication (RFC 6749 section 2.3.1)."""
    scheme, _, encoded = header.partition(" ")
    try:
        client_id, separator, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise InvalidClient from None
    if scheme.lower() != "basic" or not separator or "\0" in unquote_plus(client_id):
        raise InvalidClient
    return unquote_plus(client_id), unquote_plus(secret)


def authenticated(credentials: ClientCredentials) -> Application | None:
    """The app, if it authenticated by the method it is registered for."""
    if credentials.client_id is None:
        return None
    app: Application | None = Application.objects.filter(client_id=credentials.client_id).first()
    if app is None or app.token_endpoint_auth_method != credentials.method:
        return None
    if credentials.method is AuthMethod.NONE:
        return app
    matches: bool = constant_time_compare(sha256(credentials.secret or ""), app.client_secret)
    return app if matches else None
