"""Apps identified by a document that they publish (draft-ietf-oauth-client-id-metadata-document).

The toolkit requests a document, caches it as long as its host allows, and remembers a failure for a minute. This module
fetches the document, decides which metadata to accept, and keeps the reason for a refusal. The toolkit itself reports
every failure as an unknown client.
"""

import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import orjson
from django.core.cache import cache
from oauth2_provider.cimd import CIMDError, is_cimd_client_id
from oauth2_provider.settings import oauth2_settings
from oauthlib.oauth2.rfc6749.errors import InvalidClientIdError, OAuth2Error

from oauthserver.client_metadata import GRANT_TYPES, AuthMethod, ClientMetadata, name_from
from oauthserver.endpoints import InvalidClientMetadata
from oauthserver.models import Application
from studyservice.fetching.connecting import FetchError
from studyservice.fetching.guarded import FetchBounds, fetch
from studyservice.rates.limiter import Rate, Window, hit
from studyservice.secrets.generated import sha256

MAX_CLIENT_ID = 255
"""Maximum characters of a document's URL, the size of the toolkit's column."""

_BY_KEY = frozenset({"private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"})
"""Methods by which a client proves that it has a private key (RFC 7523, RFC 8705)."""

_JSON: Final = re.compile(r"application/(?:json|[^/]+\+json)")
_MAX_AGE: Final = re.compile(r"max-age\s*=\s*(\d{1,9})")


@dataclass(frozen=True, slots=True)
class DocumentRefusal:
    """Why an app's document was refused, in words for a page.

    Attributes:
        lasting: whether it also applies to apps connected before the document changed.
    """

    title: str
    text: str
    status: HTTPStatus = HTTPStatus.BAD_REQUEST
    headers: dict[str, str] = field(default_factory=dict)
    lasting: bool = False


class DocumentRefused(InvalidClientIdError):
    """The authorization request names a client document that was refused.

    Attributes:
        refusal: the reason.
    """

    def __init__(self, refusal: DocumentRefusal, request: Any) -> None:
        self.refusal = refusal
        super().__init__(request=request)


class _PrivateKeysOnly(Exception):
    """The document offers only methods with private keys. It is never treated as a public client."""


class Fetcher:
    """Fetches documents for the toolkit, reduced to supported metadata, and remembers why one was refused."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """Return the accepted metadata of the document at `client_id`, and for how many seconds it is valid.

        Raises:
            CIMDError: it cannot be read, or is invalid.
        """
        host = client_id.split("/")[2].rpartition("@")[2]
        try:
            document, seconds = _fetched(client_id)
        except (FetchError, ValueError) as error:
            _remember(client_id, _unreadable(host))
            raise CIMDError(str(error)) from error
        try:
            taken = taken_of(document, client_id)
        except _PrivateKeysOnly as error:
            _remember(client_id, _private_keys_only(host))
            raise CIMDError("only private keys") from error
        except OAuth2Error as error:
            _remember(client_id, _against_the_rules(host, error.description))
            raise CIMDError(error.description) from error
        cache.delete(_key(client_id))
        return taken, seconds


def _fetched(client_id: str) -> tuple[dict[str, Any], int]:
    """Return the document at `client_id`, and for how many seconds it is valid.

    Raises:
        FetchError: the fetch failed.
        ValueError: the address cannot be that of a document, or the answer is not a document.
    """
    path = urlsplit(client_id).path
    if not path or "#" in client_id or not {".", ".."}.isdisjoint(path.split("/")):
        raise ValueError("the address has no path, a fragment, or dots for a path")
    limits = FetchBounds(
        seconds=oauth2_settings.CIMD_FETCH_TIMEOUT_SECONDS,
        size=oauth2_settings.CIMD_MAX_DOCUMENT_SIZE,
        any_port=True,
    )
    answer = fetch(client_id, limits, accept="application/json, application/*+json")
    if not _JSON.fullmatch(answer.media_type):
        raise ValueError(f"the document is {answer.media_type}, not JSON")
    document = orjson.loads(answer.body)
    if not isinstance(document, dict):
        raise ValueError("the document is not a JSON object")  # noqa: TRY004  # an error in the document, not in the code
    return document, _seconds_of(answer.cache_control.lower())


def _seconds_of(cache_control: str) -> int:
    """Return the seconds that a document is valid, within the toolkit's limits. The maximum if its host sends none."""
    shortest: int = oauth2_settings.CIMD_METADATA_MIN_AGE_SECONDS
    longest: int = oauth2_settings.CIMD_METADATA_MAX_AGE_SECONDS
    if "no-store" in cache_control or "no-cache" in cache_control:
        return shortest
    told = _MAX_AGE.search(cache_control)
    return max(shortest, min(int(told[1]), longest)) if told else longest


def taken_of(document: dict[str, Any], client_id: str) -> dict[str, Any]:
    """Return the supported metadata. Other grant types and methods in the document are ignored.

    Raises:
        _PrivateKeysOnly: the client authenticates only with private keys.
        OAuth2Error: it breaks a rule of such documents or of registration.
    """
    if document.get("client_id") != client_id or len(client_id) > MAX_CLIENT_ID:
        raise InvalidClientMetadata(f"client_id is the address of the document, at most {MAX_CLIENT_ID} characters.")
    if "client_secret" in document or "client_secret_expires_at" in document:
        raise InvalidClientMetadata("The document holds no client_secret.")
    _require_public(document)
    named = document if document.get("client_name") else document | {"client_name": name_from(client_id)}
    metadata = ClientMetadata.parse(named | {"token_endpoint_auth_method": AuthMethod.NONE.value})
    return {
        "client_id": client_id,
        "client_name": metadata.name,
        "redirect_uris": list(metadata.redirect_uris),
        "token_endpoint_auth_method": metadata.auth_method.value,
        "grant_types": list(GRANT_TYPES),
    }


def _require_public(document: dict[str, Any]) -> None:
    """Require the method `none`, named by the document or by default."""
    named, supported = "token_endpoint_auth_method", "token_endpoint_auth_methods_supported"
    listed = document.get(supported, [])
    if not isinstance(listed, list):
        raise InvalidClientMetadata(f"{supported} is an array of strings.")
    offered = [document[named], *listed] if named in document else listed
    if not all(isinstance(method, str) for method in offered):
        raise InvalidClientMetadata(f"{named} is a string.")
    if offered and AuthMethod.NONE not in offered:
        if _BY_KEY.issuperset(offered):
            raise _PrivateKeysOnly
        raise InvalidClientMetadata(f"{named} is none: a document that anybody can read holds no secret.")


class WithinRegistrationRate:
    """Limits new apps by document, per address, to the rate of registrations."""

    def has_permission(self, request: Any, client_id: str) -> bool:
        """Return whether the document may be fetched. `request` is oauthlib's, which stores the window."""
        request.registrations = hit(Rate.REGISTRATION, request.client_address)
        return not request.registrations.exceeded


def refusal_of(client_id: str, request: Any) -> DocumentRefusal | None:
    """Return why an unknown `client_id` was refused. None if it is not a URL, or documents are turned off."""
    if not oauth2_settings.CIMD_ENABLED or not is_cimd_client_id(client_id):
        return None
    window: Window | None = getattr(request, "registrations", None)
    if window is not None and window.exceeded:
        return _too_many(window)
    remembered: DocumentRefusal | None = cache.get(_key(client_id))
    return remembered or _busy()


def lasting_refusal_of(app: Application) -> DocumentRefusal | None:
    """Return why `app` is refused, whose document was valid before and has changed."""
    if app.registration_source != app.RegistrationSource.CIMD:
        return None
    remembered: DocumentRefusal | None = cache.get(_key(app.client_id))
    return remembered if remembered is not None and remembered.lasting else None


def _remember(client_id: str, refusal: DocumentRefusal) -> None:
    """Remember it slightly longer than the toolkit does."""
    cache.set(_key(client_id), refusal, oauth2_settings.CIMD_FAILURE_BACKOFF_SECONDS + 5)


def _key(client_id: str) -> str:
    return f"oauthserver:document:{sha256(client_id)}"


_DEVELOPERS = "Nothing was shared. Tell the app's developers."


def _unreadable(host: str) -> DocumentRefusal:
    return DocumentRefusal(
        "The app's description could not be read",
        f"The app identifies itself with a document at {host}, which could not be read. Nothing was shared. "
        "Wait a minute, then go back to the app and start again.",
    )


def _private_keys_only(host: str) -> DocumentRefusal:
    return DocumentRefusal(
        "This app cannot be connected here",
        f"The document at {host} says that the app authenticates only with a private key (private_key_jwt). "
        f"This service does not support that; it accepts apps without a secret (none), with PKCE. {_DEVELOPERS}",
        lasting=True,
    )


def _against_the_rules(host: str, fault: str) -> DocumentRefusal:
    return DocumentRefusal(
        "The app's description was refused",
        f"The app identifies itself with a document at {host}, which breaks a rule of this service: {fault} "
        f"{_DEVELOPERS}",
    )


def _too_many(window: Window) -> DocumentRefusal:
    return DocumentRefusal(
        "Too many new apps from your network",
        f"Wait {-(-window.reset // 60)} minutes, then go back to the app and start again. Nothing was shared.",
        HTTPStatus.TOO_MANY_REQUESTS,
        {"Retry-After": str(window.reset)},
    )


def _busy() -> DocumentRefusal:
    return DocumentRefusal(
        "The app's description could not be requested",
        "Too many apps are being looked up right now. Go back to the app and start again. Nothing was shared.",
        HTTPStatus.SERVICE_UNAVAILABLE,
        {"Retry-After": "5"},
    )
