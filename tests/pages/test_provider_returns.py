"""Returns from the identity provider, what it publishes, and its failures."""

import json
import logging
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import Member, ProviderSignIn
from accounts.signing_in.provider import metadata
from tests.support.cases import each
from tests.support.identity_server import (
    CLIENT_SECRET,
    GONE,
    RETURN,
    IdentityServer,
    begin,
    finish,
    sign_in,
    signed,
)
from tests.support.model_server import answer, cut
from tests.support.signing_in import signed_in

pytestmark = [pytest.mark.same_statements, pytest.mark.usefixtures("member")]


def test_a_state_works_once(client: Client, provider: IdentityServer) -> None:
    asked = begin(client)
    cookies = client.cookies.output()
    assert finish(client, asked["state"], provider.code(asked)).status_code == 302
    again = Client()
    again.cookies.load("; ".join(line.removeprefix("Set-Cookie: ") for line in cookies.splitlines()))
    assert finish(again, asked["state"], provider.code(asked)).status_code == 400
    assert not signed_in(again)


def test_a_code_works_once(client: Client, provider: IdentityServer) -> None:
    asked = begin(client)
    code = provider.code(asked)
    finish(client, asked["state"], code)
    other = Client()
    assert finish(other, begin(other)["state"], code).status_code == 400


def test_a_code_of_another_sign_in_is_400(client: Client, provider: IdentityServer) -> None:
    """PKCE: only the browser that began has the verifier."""
    stolen = provider.code(begin(Client()))
    assert finish(client, begin(client)["state"], stolen).status_code == 400


@each("state", ["", "x", "é", "0" * 64, "\0"])
def test_a_state_that_this_browser_did_not_begin_is_400(client: Client, provider: IdentityServer, state: str) -> None:
    others = begin(Client())
    begin(client)
    assert finish(client, state, "code").status_code == 400
    assert finish(client, others["state"], provider.code(others)).status_code == 400
    assert client.get(RETURN).status_code == 400
    begun = begin(client)["state"]
    assert finish(client, f"{begun[:-1]}-", "code").status_code == 400
    assert "/token" not in provider.asked


def test_a_state_lasts_ten_minutes(client: Client, provider: IdentityServer) -> None:
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False) as clock:
        early, late = begin(client), begin(client)
        clock.shift(timedelta(minutes=9, seconds=59))
        assert finish(client, early["state"], provider.code(early)).status_code == 302
        clock.shift(timedelta(seconds=1))
        assert finish(client, late["state"], provider.code(late)).status_code == 400


def test_several_tabs_sign_in_at_once(client: Client, provider: IdentityServer) -> None:
    first, second = begin(client, "/courses"), begin(client, "/decks")
    for asked, target in ((second, "/decks"), (first, "/courses")):
        assert finish(client, asked["state"], provider.code(asked)).headers["Location"] == target


def test_the_secret_of_a_sign_in_is_not_stored(client: Client, provider: IdentityServer) -> None:
    begin(client)
    [cookie] = [cookie for name, cookie in client.cookies.items() if name.startswith("provider-")]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"], cookie["path"]) == (True, "Lax", 600, "/")
    assert cookie.value not in str(vars(ProviderSignIn.objects.get()))


@each(
    ("promised", "iss", "status"),
    [
        (True, "right", 302),
        (True, None, 400),
        (True, "https://evil.example", 400),
        (True, "", 400),
        (False, None, 302),
        (False, "right", 302),
        (False, "https://evil.example", 400),
    ],
)
def test_iss_of_the_return_is_checked(
    client: Client, provider: IdentityServer, promised: bool, iss: str | None, status: int
) -> None:
    provider.metadata["authorization_response_iss_parameter_supported"] = promised
    metadata.kept.clear()
    asked = begin(client)
    named = {} if iss is None else {"iss": provider.issuer if iss == "right" else iss}
    assert finish(client, asked["state"], provider.code(asked), **named).status_code == status


DISCOVERY = "/.well-known/openid-configuration"
LONG = json.dumps({"pad": "x" * 1024 * 1024}).encode()


@each(
    "told",
    [
        {"issuer": "https://evil.example"},
        {"issuer": GONE},
        {"authorization_endpoint": GONE},
        {"token_endpoint": "http://login.example.org/token"},
        {"token_endpoint": "file:///etc/passwd"},
        {"jwks_uri": "javascript:alert(1)"},
        {"jwks_uri": 7},
        {"authorization_endpoint": "https://me:pw@login.example.org/"},
        {"id_token_signing_alg_values_supported": ["HS256"]},
        {"id_token_signing_alg_values_supported": [["RS256"]]},
        {"token_endpoint_auth_methods_supported": ["private_key_jwt", "tls_client_auth"]},
    ],
)
def test_a_wrong_discovery_document_is_502(client: Client, provider: IdentityServer, told: Any) -> None:
    provider.metadata = told
    metadata.kept.clear()
    assert client.get("/sign-in/oidc").status_code == 502


ROOT = "https://college.example"


@each(
    "told",
    [
        {"token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"]},
        {"id_token_signing_alg_values_supported": ["HS256", "RS256"], "scopes_supported": ["openid"]},
        {"authorization_endpoint": f"{ROOT}/application/o/authorize/", "end_session_endpoint": None},
        {"userinfo_endpoint": GONE, "code_challenge_methods_supported": ["plain"]},
        {"id_token_signing_alg_values_supported": "RS256", "token_endpoint_auth_methods_supported": None},
        {"mtls_endpoint_aliases": {"token_endpoint": f"{ROOT}/mtls"}, "check_session_iframe": f"{ROOT}/iframe"},
    ],
)
def test_documents_like_those_of_known_providers_are_read(client: Client, provider: IdentityServer, told: Any) -> None:
    provider.metadata = told
    metadata.kept.clear()
    assert client.get("/sign-in/oidc").status_code == 302


@each(
    "handler",
    [
        cut,
        answer(b"<html>", 200),
        answer(b"[]"),
        answer(b"[" * 100_000),
        answer(b"{}", 404),
        answer(b"{}", 500),
        answer(LONG),
        answer(b"", 302, Location="http://127.0.0.1:1/"),
        answer(b"{", Content_Length="100"),
    ],
)
@each("path", [DISCOVERY, "/token", "/jwks"])
def test_an_answer_that_is_none_is_502(client: Client, provider: IdentityServer, path: str, handler: Any) -> None:
    provider.answers = {path: handler}
    metadata.kept.clear()
    if path == DISCOVERY:
        assert client.get("/sign-in/oidc").status_code == 502
    else:
        assert sign_in(client, provider).status_code == 502
    assert not signed_in(client)


def test_a_provider_that_is_slow_is_502_and_not_asked_for_ten_seconds(
    client: Client, provider: IdentityServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "SECONDS", 0.3)
    released = Event()

    def dripping(request: Any) -> None:
        request.send_response(200)
        request.end_headers()
        while not released.wait(0.02):
            request.wfile.write(b" ")

    provider.answers[DISCOVERY] = dripping
    response = client.get("/sign-in/oidc")
    assert response.status_code == 502
    assert "Example College does not answer" in response.content.decode()
    assert client.get("/sign-in/oidc").status_code == 502
    assert provider.asked == [DISCOVERY]
    released.set()
    del provider.answers[DISCOVERY]
    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=11)):
        assert client.get("/sign-in/oidc").status_code == 302


@pytest.mark.django_db(transaction=True)
def test_half_of_the_threads_wait_for_a_provider_that_hangs(
    provider: IdentityServer, member: Member, settings: Any, monkeypatch: pytest.MonkeyPatch, in_threads: Any
) -> None:
    settings.WEB_THREADS = 4
    metadata._turns.cache_clear()
    monkeypatch.setattr(metadata, "_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(metadata, "SECONDS", 3)
    released = Event()

    def silent(_: Any) -> None:
        released.wait(10)

    provider.answers[DISCOVERY] = silent
    found = in_threads(lambda _: Client().get("/sign-in/oidc").status_code, list(range(6)))
    released.set()
    metadata._turns.cache_clear()
    assert (found, len(provider.asked)) == ([502] * 6, 2)


@each(
    ("error", "status"),
    [("access_denied", 403), ("server_error", 502), ("temporarily_unavailable", 502), ("x" * 5000, 502), ("", 502)],
)
def test_an_error_of_the_provider_gets_a_page(
    client: Client, provider: IdentityServer, error: str, status: int
) -> None:
    asked = begin(client)
    response = client.get(RETURN, {"state": asked["state"], "error": error, "error_description": "<script>"})
    assert (response.status_code, b"<script>" in response.content) == (status, False)


def test_a_wrong_client_secret_is_502_and_logged(
    client: Client, provider: IdentityServer, caplog: pytest.LogCaptureFixture
) -> None:
    provider.answers["/token"] = answer(b'{"error": "invalid_client"}', 401)
    assert sign_in(client, provider).status_code == 502
    [line] = [one.getMessage() for one in caplog.records if one.name == "accounts.pages.provider"]
    assert line.endswith("the token endpoint answered with status 401 and the error 'invalid_client'")


def test_no_code_token_or_secret_is_logged(
    client: Client, provider: IdentityServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    texts: list[str] = [CLIENT_SECRET, "access-token-1", "code-", "person-1"]

    def noted(claims: dict[str, Any]) -> str:
        texts.append(signed(claims))
        return texts[-1]

    provider.signer = noted
    for claims in ({}, {"nonce": "another"}, {"sub": "other", "email_verified": False}):
        browser = Client()
        asked = begin(browser)
        texts += [asked["state"], asked["nonce"], *(cookie.value for cookie in browser.cookies.values())]
        finish(browser, asked["state"], provider.code(asked, **claims))
    assert [text for text in texts if text in caplog.text] == []


def test_expired_sign_ins_are_purged(client: Client, provider: IdentityServer, member: Member) -> None:
    from accounts.erasure.erasing import purge_all

    begin(client)
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=11)):
        assert purge_all()["provider_sign_ins"] == 1
