"""Independent clients complete the whole flow against a live server, from a 401 to a call."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from authlib.integrations.requests_client import OAuth2Session
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from tests.support.event_loops import run_async
from tests.support.server import ADA, PASSWORD, Server

pytestmark = pytest.mark.database("sqlite", "client libraries")

CALLBACK = "http://127.0.0.1:33418/callback"


class Ada:
    """A member's browser, which signs in and consents."""

    def __init__(self, http: httpx2.Client) -> None:
        self.http = http

    def allow(self, url: str, **decision: str) -> str:
        """Follow an app to the consent page and decide. Return the redirect URL to the app."""
        page = self.http.get(url)
        if page.status_code == 302:
            sign_in = urlsplit(page.headers["Location"])
            fields = {"email": ADA, "password": PASSWORD, "next": parse_qs(sign_in.query)["next"][0]}
            signed_in = self._post(page.headers["Location"], "/sign-in", fields)
            page = self.http.get(signed_in.headers["Location"])
        assert page.status_code == 200, page.text
        answer = self._post(page.url, str(page.url), {"decision": "allow", "write": "yes"} | decision)
        return str(answer.headers["Location"])

    def _post(self, form_page: Any, action: str, fields: dict[str, str]) -> httpx2.Response:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.http.get(form_page).text)
        assert token
        origin = str(self.http.base_url).rstrip("/")
        answer = self.http.post(action, data=fields | {"csrfmiddlewaretoken": token[1]}, headers={"Origin": origin})
        assert answer.status_code == 302, answer.text
        return answer


@pytest.fixture(scope="session")
def ada(server: Server) -> Iterator[Ada]:
    """Sign in once: sign-in attempts are limited per address, and all tests on the shared server have the same one."""
    with httpx2.Client(base_url=server.url, follow_redirects=False) as http:
        yield Ada(http)


class Memory(TokenStorage):
    """The SDK's storage, in memory."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.mark.parametrize("method", ["none", "client_secret_post", "client_secret_basic"])
def test_the_mcp_sdk_connects_from_a_401_to_a_call(server: Server, ada: Ada, method: Any) -> None:
    """The SDK does it all: discovery, registration, consent with checks of state and issuer, PKCE, and refresh."""
    storage = Memory()
    answered: list[str] = []

    async def redirect(url: str) -> None:
        answered.append(ada.allow(url))

    async def callback() -> AuthorizationCodeResult:
        answer = {name: values[0] for name, values in parse_qs(urlsplit(answered[-1]).query).items()}
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    metadata = OAuthClientMetadata.model_validate(
        {
            "client_name": "SDK",
            "redirect_uris": [CALLBACK],
            "token_endpoint_auth_method": method,
            "grant_types": ["authorization_code", "refresh_token"],
        }
    )

    async def flow() -> list[int]:
        provider = OAuthClientProvider(f"{server.url}/v1/me", metadata, storage, redirect, callback)
        async with httpx2.AsyncClient(auth=provider) as http:
            first = await http.get(f"{server.url}/v1/me")
            provider.context.token_expiry_time = 1.0
            second = await http.get(f"{server.url}/v1/me")
            assert first.json()["email"] == second.json()["email"] == "ada@example.org"
            return [first.status_code, second.status_code]

    assert run_async(flow) == [200, 200]
    assert len(answered) == 1, "the second call refreshed"
    assert storage.client is not None
    assert storage.client.client_id.startswith("svcclient_")


@pytest.mark.parametrize("method", ["none", "client_secret_post", "client_secret_basic"])
def test_authlib_connects_refreshes_and_revokes(server: Server, ada: Ada, method: str) -> None:
    """The client revokes by Basic, whatever its method at the token endpoint."""
    registration = httpx2.post(
        f"{server.url}/oauth/register",
        json={"client_name": "Authlib", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": method},
    ).json()
    verifier = "v" * 64
    with OAuth2Session(
        registration["client_id"],
        registration.get("client_secret"),
        token_endpoint_auth_method=method,
        redirect_uri=CALLBACK,
        scope="read write",
        code_challenge_method="S256",
    ) as session:
        url, state = session.create_authorization_url(f"{server.url}/oauth/authorize", code_verifier=verifier)
        token = session.fetch_token(
            f"{server.url}/oauth/token",
            authorization_response=ada.allow(url),
            state=state,
            code_verifier=verifier,
        )
        assert (token["token_type"], token["expires_in"], token["scope"]) == ("Bearer", 3600, "read write")
        assert session.post(f"{server.url}/v1/courses", json={"name": f"By {method}"}).status_code == 201
        refreshed = session.refresh_token(f"{server.url}/oauth/token")
        assert refreshed["refresh_token"] != token["refresh_token"]
        assert session.get(f"{server.url}/v1/me").json()["scopes"] == ["read", "write"]
        assert session.revoke_token(f"{server.url}/oauth/revoke", refreshed["refresh_token"]).status_code == 200
    me = httpx2.get(f"{server.url}/v1/me", headers={"Authorization": f"Bearer {refreshed['access_token']}"})
    assert me.status_code == 401
