"""Identify and authenticate the client of a request (RFC 6749 section 2.3)."""

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Self, TypedDict
from urllib.parse import unquote_plus
from uuid import UUID

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from oauthserver.client_metadata import AuthMethod
from oauthserver.errors import InvalidClient, InvalidRequest
from oauthserver.generators import is_generated
from oauthserver.models import Application
from oauthserver.parameters import Parameters
from studyservice.database.statements import Param, Select
from studyservice.secrets.generated import sha256


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
            InvalidRequest: there are two of them (RFC 6749 section 2.3).
            InvalidClient: the header cannot be parsed.
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
    """Return client id and secret, each form-encoded in HTTP Basic authentication (RFC 6749 section 2.3.1)."""
    scheme, _, encoded = header.partition(" ")
    try:
        client_id, separator, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise InvalidClient from None
    if scheme.lower() != "basic" or not separator or "\0" in unquote_plus(client_id):
        raise InvalidClient
    return unquote_plus(client_id), unquote_plus(secret)


class ClientColumns(TypedDict):
    """The app in a row with `client_columns`, in the order of the model's fields, which `from_db` needs."""

    client_client_id: str
    client_client_type: str
    client_authorization_grant_type: str
    client_id: UUID
    client_client_secret: str
    client_token_endpoint_auth_method: str
    client_auth_method_named: bool
    client_first_token_at: datetime | None


class _IdColumns(TypedDict):
    id: UUID


_CLIENT_FIELDS = tuple(name.removeprefix("client_") for name in ClientColumns.__annotations__)
_client_values = itemgetter(*ClientColumns.__annotations__)

_KEPT = Select[_IdColumns](Application.objects.filter(id=Param("id")), {"id": "id"}, key_share=True)


def client_columns(path: str) -> dict[str, str]:
    """Return the columns that `client_of` needs. `path` is the model's foreign key to the app."""
    return {f"client_{name}": f"{path}__{name}" for name in _CLIENT_FIELDS}


def client_of(row: ClientColumns) -> Application:
    """Return the app from a row with `client_columns`. Costs no query."""
    return Application.from_db("default", _CLIENT_FIELDS, _client_values(row))


def proves(credentials: ClientCredentials, app: Application) -> bool:
    """Return whether `credentials` prove the identity of `app`, by either method of sending its secret."""
    if credentials.client_id != app.client_id:
        return False
    if credentials.method is AuthMethod.NONE:
        return app.token_endpoint_auth_method == AuthMethod.NONE
    return constant_time_compare(sha256(credentials.secret or ""), app.client_secret)


def authenticates(credentials: ClientCredentials, app: Application) -> bool:
    """Return whether `credentials` authenticate `app` at the token endpoint, only by its registered method."""
    if app.auth_method_named and credentials.method != app.token_endpoint_auth_method:
        return False
    return proves(credentials, app)


def app_of(credentials: ClientCredentials) -> Application | None:
    """Return the app that `credentials` name, authenticated or not. Costs a query."""
    if credentials.client_id is None:
        return None
    app: Application | None = Application.objects.filter(client_id=credentials.client_id).first()
    return app


def named_client(client_id: str | None) -> dict[str, UUID | str]:
    """Return the client id for a log line, if we generated it. Nothing else from an unknown client is logged."""
    return {"client_id": client_id} if client_id is not None and is_generated(client_id) else {}


def stays(app: Application) -> bool:
    """Return whether `app` exists, and keep it until the end of this transaction. Costs a query.

    Call it before storing rows that refer to the app, so that its deletion (`oauthserver.deletion`) comes entirely
    before or after. Concurrent callers do not wait for each other.
    """
    return _KEPT.first(id=app.pk) is not None
