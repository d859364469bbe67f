"""The endpoints (OpenID Connect Discovery 1.0) and keys that the provider publishes.

The operator chose the provider, so unlike addresses that members name it may be in a private network. Every request
ends after five seconds, takes at most 1 MiB, and follows no redirect. A provider that hangs holds half of the threads
for that time, and none for the next ten seconds.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.client import HTTPException
from threading import BoundedSemaphore
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from django.urls import reverse

from accounts.signing_in.provider.outcomes import ProviderDown
from studyservice.fetching.connecting import Deadline, FetchError
from studyservice.fetching.exchanging import answered, body_of
from studyservice.identity_provider import IdentityProvider

SECONDS: Final = 5
_WAIT_SECONDS: Final = 1
_SILENT_SECONDS: Final = 10
_SILENT: Final = "silent"
"""Kept for so long after a request that ended without an answer. Meanwhile no thread waits for the next."""

MAX_BYTES: Final = 1024 * 1024
_KEPT_SECONDS: Final = 600

ALGORITHMS: Final = frozenset({"RS256", "ES256"})
"""The only signatures of an ID token that are accepted."""

_USABLE: Final = {
    "id_token_signing_alg_values_supported": ALGORITHMS,
    "token_endpoint_auth_methods_supported": frozenset({"client_secret_basic", "client_secret_post"}),
}
"""Values of discovery, of which a provider that lists its own must have one."""

kept = LocMemCache("identity provider", {"TIMEOUT": _KEPT_SECONDS})
"""The newest documents by address, in this process."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in JSON.

    Attributes:
        content: the value; None if it is not JSON.
    """

    status: int
    content: Any


@dataclass(frozen=True, slots=True)
class Metadata:
    """The provider's endpoints.

    Attributes:
        userinfo_endpoint: empty if there is none.
        authenticates_in_body: whether the client's secret goes into the body of a token request.
        names_itself: whether every return has `iss` (RFC 9207).
    """

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    authenticates_in_body: bool
    names_itself: bool


def ask(url: str, headers: Mapping[str, str] | None = None, body: bytes | None = None) -> Answer:
    """GET `url`, or POST a body to it.

    Raises:
        ProviderDown: there is no whole answer in time, or there was none a moment ago.
    """
    parts, turns = urlsplit(url), _turns()
    if kept.get(_SILENT):
        raise ProviderDown(f"{parts.hostname} did not answer in time a moment ago")
    if not turns.acquire(timeout=_WAIT_SECONDS):
        raise ProviderDown(f"too many sign-ins wait for {parts.hostname}")
    try:
        return _asked(parts, headers, body)
    except TimeoutError:
        kept.set(_SILENT, True, _SILENT_SECONDS)
        raise ProviderDown(f"{parts.hostname} did not answer within {SECONDS} seconds") from None
    finally:
        turns.release()


@cache
def _turns() -> BoundedSemaphore:
    """Let at most half of the threads wait for the provider, so that the others answer everybody else."""
    return BoundedSemaphore(max(1, settings.WEB_THREADS // 2))


def _asked(parts: SplitResult, headers: Mapping[str, str] | None, body: bytes | None) -> Answer:
    method, sent = "GET" if body is None else "POST", {"Accept": "application/json", **(headers or {})}
    try:
        with answered(parts, Deadline(SECONDS), sent, method=method, body=body, is_trusted=True) as response:
            status, text = response.status, body_of(response, MAX_BYTES)
    except TimeoutError:
        raise
    except (OSError, HTTPException, FetchError, ValueError) as error:
        raise ProviderDown(f"{parts.hostname}: {type(error).__name__}: {error}") from None
    try:
        return Answer(status, json.loads(text))
    except (ValueError, RecursionError):
        return Answer(status, None)


def document(url: str, *, anew: bool = False) -> dict[str, Any]:
    """Return the JSON object at `url`, which is kept for ten minutes.

    Args:
        anew: whether to read it now.

    Raises:
        ProviderDown: there is none.
    """
    found: dict[str, Any] | None = None if anew else kept.get(url)
    if found is not None:
        return found
    answer = ask(url)
    if answer.status != HTTPStatus.OK or not isinstance(answer.content, dict):
        raise ProviderDown(f"{url} is not a JSON object (status {answer.status})")
    kept.set(url, answer.content)
    return answer.content


def redirect_uri() -> str:
    """Return the address that the provider sends people back to."""
    return f"{settings.BASE_URL}{reverse('provider-return')}"


def discovery_url(provider: IdentityProvider) -> str:
    """Return the address of the document (OpenID Connect Discovery 1.0, 4)."""
    return f"{provider.issuer.removesuffix('/')}/.well-known/openid-configuration"


def discover(provider: IdentityProvider, *, anew: bool = False) -> Metadata:
    """Return the provider's endpoints.

    Raises:
        ProviderDown: it does not answer, is another issuer, or has no usable endpoints.
    """
    url = discovery_url(provider)
    try:
        return _metadata(provider, url, document(url, anew=anew))
    except ProviderDown:
        kept.delete(url)  # so that a corrected one is used at once
        raise


def _metadata(provider: IdentityProvider, url: str, found: dict[str, Any]) -> Metadata:
    if found.get("issuer") != provider.issuer:
        raise ProviderDown(f"{url} is of the issuer {found.get('issuer')!r}, and OIDC_ISSUER is {provider.issuer!r}")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not provider.allows(found.get(name)):
            raise ProviderDown(f"{url} has no usable {name}: {found.get(name)!r}")
    for name, usable in _USABLE.items():
        offered = found.get(name)
        if isinstance(offered, list) and not usable.intersection(map(str, offered)):
            raise ProviderDown(f"{url} has {name} {offered!r:.100}, and one of {', '.join(sorted(usable))} is needed")
    userinfo, methods = found.get("userinfo_endpoint"), found.get("token_endpoint_auth_methods_supported")
    return Metadata(
        found["authorization_endpoint"],
        found["token_endpoint"],
        found["jwks_uri"],
        userinfo if isinstance(userinfo, str) and provider.allows(userinfo) else "",
        authenticates_in_body=isinstance(methods, list) and "client_secret_basic" not in methods,
        names_itself=found.get("authorization_response_iss_parameter_supported") is True,
    )
