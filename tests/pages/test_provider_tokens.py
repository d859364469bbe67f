"""ID tokens of the identity provider and its keys: accepted, or refused with 400."""

import hashlib
import hmac
import json
import time
from typing import Any

import pytest
from django.test import Client
from joserfc.jwk import OctKey

from accounts.signing_in.provider import metadata
from tests.support.cases import each
from tests.support.identity_server import (
    CLIENT_ID,
    CLIENT_SECRET,
    GONE,
    RETURN,
    IdentityServer,
    begin,
    ec_key,
    encoded,
    rsa_key,
    sign_in,
    signed,
    signed_bytes,
)
from tests.support.model_server import answer
from tests.support.signing_in import signed_in

pytestmark = [pytest.mark.same_statements, pytest.mark.usefixtures("member")]


def now() -> int:
    return int(time.time())


def test_the_request_is_the_code_flow_with_pkce(client: Client, provider: IdentityServer) -> None:
    asked = begin(client)
    assert {name: asked[name] for name in asked.keys() - {"state", "nonce", "code_challenge"}} == {
        "kept": "1",
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": f"http://127.0.0.1:8000{RETURN}",
        "scope": "openid email profile",
        "code_challenge_method": "S256",
    }
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3


@each(
    "claims",
    [
        {},
        {"aud": [CLIENT_ID]},
        {"aud": [CLIENT_ID, "other"], "azp": CLIENT_ID},
        {"azp": CLIENT_ID},
        {"iat": now() + 55},
        {"sub": "x" * 255},
        {"sub": "π"},
    ],
)
def test_a_token_of_the_provider_signs_in(client: Client, provider: IdentityServer, claims: Any) -> None:
    assert sign_in(client, provider, **claims).status_code == 302
    assert signed_in(client)


@each(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": GONE},
        {"nonce": None},
        {"iss": "https://evil.example"},
        {"iss": "http://127.0.0.1"},
        {"iss": GONE},
        {"iss": ["http://127.0.0.1"]},
        {"aud": "other"},
        {"aud": ["other"]},
        {"aud": "other", "azp": CLIENT_ID},
        {"aud": []},
        {"aud": GONE},
        {"aud": {CLIENT_ID: 1}},
        {"aud": [CLIENT_ID, "other"]},
        {"aud": [CLIENT_ID, "other"], "azp": "other"},
        {"azp": "other"},
        {"azp": ""},
        {"azp": None},
        {"azp": [CLIENT_ID]},
        {"exp": now() - 1},
        {"exp": GONE},
        {"exp": "never"},
        {"exp": True},
        {"iat": now() + 3600},
        {"iat": GONE},
        {"iat": "today"},
        {"nbf": now() + 3600},
        {"sub": ""},
        {"sub": "x" * 256},
        {"sub": "a\0b"},
        {"sub": "\ud800"},
        {"sub": 7},
        {"sub": True},
        {"sub": ["person-1"]},
        {"sub": None},
        {"sub": GONE},
        {"at_hash": "wrong"},
        {"at_hash": 7},
    ],
)
def test_a_claim_that_does_not_check_is_400(client: Client, provider: IdentityServer, claims: Any) -> None:
    assert sign_in(client, provider, **claims).status_code == 400
    assert not signed_in(client)


def test_the_issuer_is_compared_exactly(client: Client, provider: IdentityServer) -> None:
    assert sign_in(client, provider, iss=f"{provider.issuer}/").status_code == 400


def unsigned(claims: dict[str, Any]) -> str:
    header = {"alg": "none", "kid": rsa_key().kid}
    return f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(claims).encode())}."


def keyed(secret: bytes) -> Any:
    """Sign with HS256, which a client might check with what it takes for a public key."""

    def sign(claims: dict[str, Any]) -> str:
        head = {"alg": "HS256", "kid": rsa_key().kid}
        text = f"{encoded(json.dumps(head).encode())}.{encoded(json.dumps(claims).encode())}"
        return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"

    return sign


def tampered(claims: dict[str, Any]) -> str:
    head, _, signature = signed(claims).split(".")
    return f"{head}.{encoded(json.dumps(claims | {'sub': 'admin'}).encode())}.{signature}"


@each(
    "signer",
    [
        unsigned,
        keyed(rsa_key().as_pem(private=False)),
        keyed(CLIENT_SECRET.encode()),
        tampered,
        lambda claims: signed(claims, key=rsa_key("other"), kid="first"),
        lambda claims: signed(claims, key=ec_key("other"), algorithm="ES256", kid="curve"),
        lambda claims: signed(claims, algorithm="RS512"),
        lambda claims: signed(claims, algorithm="PS256"),
        lambda claims: signed(claims, key=ec_key(), algorithm="ES256", kid="first"),
        lambda claims: signed(claims, key=OctKey.import_key("k" * 32), algorithm="HS256", kid="first"),
        lambda claims: signed(claims, crit=["x"], x=1),
        lambda claims: signed({"claims": "x" * 200_000}),
        lambda _: signed_bytes(b"[" * 90_000),
        lambda _: signed_bytes(b"[]"),
        lambda _: signed_bytes(b"\xff"),
        lambda _: "[" * 100_000,
        lambda _: f"{encoded(b'[' * 400)}.{encoded(b'[' * 90_000)}.x",
        lambda _: "not.a.token",
        lambda _: "",
        lambda _: "é",
        lambda claims: claims,
        lambda _: None,
    ],
)
def test_a_signature_that_does_not_check_is_400(client: Client, provider: IdentityServer, signer: Any) -> None:
    provider.signer = signer
    assert sign_in(client, provider).status_code == 400
    assert not signed_in(client)


@each(
    "signer",
    [
        lambda claims: signed(claims, key=ec_key(), algorithm="ES256"),
        lambda claims: signed(claims, unknown="header"),
    ],
)
def test_es256_and_unknown_headers_are_accepted(client: Client, provider: IdentityServer, signer: Any) -> None:
    provider.signer = signer
    assert sign_in(client, provider).status_code == 302


def test_an_unknown_key_reads_the_keys_once_more(client: Client, provider: IdentityServer) -> None:
    sign_in(Client(), provider)
    provider.keys = [rsa_key("new")]
    provider.signer = lambda claims: signed(claims, key=rsa_key("new"))
    assert sign_in(client, provider).status_code == 302
    assert provider.asked.count("/jwks") == 2


def test_a_key_that_stays_unknown_is_400(client: Client, provider: IdentityServer) -> None:
    provider.signer = lambda claims: signed(claims, key=rsa_key("new"))
    assert sign_in(client, provider).status_code == 400
    assert provider.asked.count("/jwks") == 2


@each(
    "keys",
    [
        {},
        {"keys": 7},
        {"keys": []},
        {"keys": [7]},
        {"keys": [{}]},
        {"keys": [{"kty": "RSA"}]},
        {"keys": [{"kty": "EC"}]},
    ],
)
def test_keys_that_are_none_are_400(client: Client, provider: IdentityServer, keys: Any) -> None:
    provider.answers["/jwks"] = answer(json.dumps(keys).encode())
    metadata.kept.clear()
    assert sign_in(client, provider).status_code == 400


@each(
    "other",
    [
        7,
        {"kid": "none"},
        {"kty": "AKP", "kid": "later", "alg": "ML-DSA-44", "pub": "AA"},
        {"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": "AA"},
        {"kty": "EC", "kid": "curve", "crv": "secp256k1", "x": "AA", "y": "AA"},
        {"kty": "RSA", "kid": "broken", "n": "AQAB", "e": "AQAB"},
        rsa_key("e").as_dict(private=False) | {"use": "enc", "alg": "RSA-OAEP", "x5c": ["MIIC"], "x5t": "abc"},
    ],
)
def test_a_key_that_cannot_be_used_harms_no_other(client: Client, provider: IdentityServer, other: Any) -> None:
    ours = rsa_key().as_dict(private=False) | {"x5c": ["MIIC"], "issuer": "https://login.example.org/{tenantid}"}
    provider.answers["/jwks"] = answer(json.dumps({"keys": [other, ours]}).encode())
    metadata.kept.clear()
    assert sign_in(client, provider).status_code == 302


def test_what_the_provider_publishes_is_read_once(client: Client, provider: IdentityServer) -> None:
    for browser in (Client(), client):
        sign_in(browser, provider)
    assert provider.asked == ["/.well-known/openid-configuration", "/token", "/jwks", "/token"]
