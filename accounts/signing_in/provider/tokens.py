"""The code flow with PKCE: the request, the exchange of the code, and the checks of the ID token.

authlib prepares the requests and checks the claims, joserfc the signature. What they leave to the caller is here: which
algorithms, the exact expiry, the length of `sub`, and `azp` and `nonce` as text.
"""

from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote_plus, urlencode

from authlib.oauth2 import ClientAuth, OAuth2Client
from authlib.oidc.core import CodeIDToken
from django.utils import timezone
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet
from joserfc.jws import JWSRegistry

from accounts.signing_in.models import MAX_SUBJECT
from accounts.signing_in.provider.flows import Flow
from accounts.signing_in.provider.metadata import ALGORITHMS, Metadata, ask, discover, document, redirect_uri
from accounts.signing_in.provider.outcomes import Identity, InvalidReturn, ProviderDown
from studyservice.identity_provider import IdentityProvider

_SIGNED: Final = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
"""Unknown headers are ignored (RFC 7515 4)."""

_SCOPE: Final = "openid email profile"
_CLOCK_SECONDS: Final = 60
"""Seconds in the future at which a token may be issued, since clocks differ."""

_FAULTS: Final = (JoseError, ValueError, TypeError, KeyError, RecursionError)
"""Errors of the libraries for an invalid token or key."""


def authorization_url(provider: IdentityProvider, flow: Flow) -> str:
    """Return the provider's address for this sign-in.

    Raises:
        ProviderDown: its endpoints are unknown.
    """
    endpoint = discover(provider).authorization_endpoint
    client = OAuth2Client(
        None, provider.client_id, scope=_SCOPE, redirect_uri=redirect_uri(), code_challenge_method="S256"
    )
    url, _ = client.create_authorization_url(endpoint, state=flow.state, nonce=flow.nonce, code_verifier=flow.secret)
    return str(url)


def require_issuer(provider: IdentityProvider, named: str | None) -> None:
    """Check `iss` of a return (RFC 9207 2.4). It may be missing only if the provider does not promise it.

    Raises:
        InvalidReturn: it is another's, or missing.
        ProviderDown: what it promises is unknown.
    """
    if named is None and not discover(provider).names_itself:
        return
    if named != provider.issuer:
        raise InvalidReturn("iss of the return is not the issuer")


def identity_of(provider: IdentityProvider, flow: Flow, code: str) -> Identity:
    """Exchange the code, and check the ID token.

    Raises:
        InvalidReturn: the code is not accepted, or the token does not check.
        ProviderDown: the provider does not answer as it must.
    """
    metadata = discover(provider)
    answer = _exchange(provider, metadata, flow, code)
    claims = _checked(provider, metadata, flow, answer)
    access_token = answer.get("access_token")

    def profile() -> Mapping[str, Any]:
        if "email" in claims or not (metadata.userinfo_endpoint and isinstance(access_token, str)):
            return claims
        return _userinfo(metadata.userinfo_endpoint, access_token, claims["sub"])

    return Identity(provider.issuer, claims["sub"], claims, profile)


def _exchange(provider: IdentityProvider, metadata: Metadata, flow: Flow, code: str) -> dict[str, Any]:
    """Return the answer to the token request (OpenID Connect Core 1.0, 3.1.3)."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri(),
        "code_verifier": flow.secret,
    }
    credentials = (provider.client_id, provider.client_secret)
    if metadata.authenticates_in_body:
        client = ClientAuth(*credentials, "client_secret_post")
    else:  # authlib does not encode them as RFC 6749 2.3.1 has it
        client = ClientAuth(*map(quote_plus, credentials), "client_secret_basic")
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    url, headers, body = client.prepare("POST", metadata.token_endpoint, headers, urlencode(form))
    answer = ask(url, headers, body.encode())
    content = answer.content if isinstance(answer.content, dict) else {}
    if answer.status == HTTPStatus.OK and content:
        return content
    error = content.get("error")
    if error == "invalid_grant":
        raise InvalidReturn("the provider does not accept the code")
    raise ProviderDown(f"the token endpoint answered with status {answer.status} and the error {error!r:.100}")


def _checked(
    provider: IdentityProvider, metadata: Metadata, flow: Flow, answer: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the claims of the ID token (OpenID Connect Core 1.0, 3.1.3.7)."""
    text, access_token = answer.get("id_token"), answer.get("access_token")
    if not (isinstance(text, str) and isinstance(access_token, str | None)):
        raise InvalidReturn("there is no ID token, or no usable access token")
    try:
        token = _verified(text, metadata.jwks_uri)
        claims: Mapping[str, Any] = CodeIDToken(
            token.claims,
            token.header,
            {
                "iss": {"essential": True, "value": provider.issuer},
                "aud": {"essential": True, "value": provider.client_id},
            },
            {"nonce": flow.nonce, "client_id": provider.client_id, "access_token": access_token},
        )
        claims.validate(leeway=_CLOCK_SECONDS)  # type: ignore[attr-defined]  # authlib is untyped
    except _FAULTS as error:
        raise InvalidReturn(f"the ID token does not check: {type(error).__name__}: {error}") from None
    if claims["exp"] <= timezone.now().timestamp():
        raise InvalidReturn("the ID token has expired")
    if "azp" in claims and claims["azp"] != provider.client_id:
        raise InvalidReturn("azp of the ID token is another client")
    if not (claims["sub"].isprintable() and 1 <= len(claims["sub"]) <= MAX_SUBJECT):
        raise InvalidReturn(f"sub of the ID token does not have 1 to {MAX_SUBJECT} printable characters")
    return claims


def _verified(text: str, jwks_uri: str) -> jwt.Token:
    """Return the signed token. A key that is unknown may be new, so the keys are read once more."""
    try:
        return jwt.decode(text, _keys(document(jwks_uri)), registry=_SIGNED)
    except InvalidKeyIdError:
        return jwt.decode(text, _keys(document(jwks_uri, anew=True)), registry=_SIGNED)


def _keys(published: dict[str, Any]) -> KeySet:
    """Return the public keys for the algorithms, without those that cannot be read (RFC 7517 5)."""
    keys: list[Key] = []
    for key in published["keys"]:
        with suppress(*_FAULTS):
            if key["kty"] in {"RSA", "EC"}:
                keys.append(JWKRegistry.import_key(key))
    return KeySet(keys)


def _userinfo(url: str, access_token: str, subject: str) -> Mapping[str, Any]:
    """Return the claims at the userinfo endpoint, about the same person (OpenID Connect Core 1.0, 5.3.2)."""
    answer = ask(url, {"Authorization": f"Bearer {access_token}"})
    if answer.status != HTTPStatus.OK or not isinstance(answer.content, dict):
        raise ProviderDown(f"the userinfo endpoint answered with status {answer.status}, or not with a JSON object")
    if answer.content.get("sub") != subject:
        raise InvalidReturn("the userinfo endpoint answered about somebody else")
    return answer.content
