"""An app that connects members: it registers, asks for consent, exchanges codes and refreshes tokens."""

import base64
import hashlib
import secrets
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlencode, urlsplit

from django.test import Client

BASE = "http://127.0.0.1:8000"
CALLBACK = "https://app.example/callback"
FORM = "application/x-www-form-urlencoded"


def register(**metadata: Any) -> Any:
    """The raw answer of a registration. None leaves out the authentication method."""
    body = {"client_name": "Planner", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"} | metadata
    if body["token_endpoint_auth_method"] is None:
        del body["token_endpoint_auth_method"]
    return Client(raise_request_exception=False).post("/oauth/register", body, content_type="application/json")


def post_form(path: str, fields: dict[str, Any] | list[tuple[str, str]] | str, **headers: str) -> Any:
    """A raw form post without a browser."""
    encoded = fields if isinstance(fields, str) else urlencode(fields)
    client = Client(raise_request_exception=False)
    return client.post(path, encoded, content_type=FORM, headers=headers)


def challenge_of(verifier: str) -> str:
    """The code challenge of a verifier (RFC 7636, section 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def answer_in(response: Any) -> dict[str, str]:
    """The parameters of the redirect back to the app."""
    assert response.status_code == 302, response.content
    found = parse_qs(urlsplit(response.headers["Location"]).query, keep_blank_values=True)
    assert all(len(values) == 1 for values in found.values())
    return {name: values[0] for name, values in found.items()}


@dataclass
class Browser:
    """A browser with a signed-in member."""

    member: Any
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def __post_init__(self) -> None:
        self.client.force_login(self.member)

    def visit(self, query: str) -> Any:
        """Open the authorization endpoint."""
        return self.client.generic("GET", "/oauth/authorize", QUERY_STRING=query)

    def decide(self, query: str, decision: str = "allow", *, write: bool = True) -> Any:
        """Post the consent form."""
        fields = {"decision": decision} | ({"write": "yes"} if write else {})
        return self.client.generic("POST", "/oauth/authorize", urlencode(fields), content_type=FORM, QUERY_STRING=query)


@dataclass
class App:
    """A registered client."""

    registration: dict[str, Any]
    redirect_uri: str = CALLBACK
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @classmethod
    def registered(cls, **metadata: Any) -> "App":
        """Register a new app."""
        response = register(**metadata)
        assert response.status_code == 201, response.content
        return cls(response.json(), response.json()["redirect_uris"][0])

    def by(self, method: str, secret: str | None = None) -> "App":
        """The same app authenticating by `method`, with `secret` if given."""
        given = {} if secret is None else {"client_secret": secret}
        return replace(self, registration=self.registration | {"token_endpoint_auth_method": method} | given)

    @property
    def id(self) -> str:
        return str(self.registration["client_id"])

    def query(self, **changes: str | list[str] | None) -> str:
        """The query of an authorization request; None leaves a parameter out."""
        parameters: dict[str, Any] = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.redirect_uri,
            "scope": "read write",
            "state": "xyz",
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
        } | changes
        return urlencode({name: value for name, value in parameters.items() if value is not None}, doseq=True)

    def code(self, member: Any, *, write: bool = True, **changes: Any) -> str:
        """A fresh code, allowed by `member`."""
        return answer_in(Browser(member).decide(self.query(**changes), write=write))["code"]

    def authenticate(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the form fields and headers that authenticate this app."""
        secret = self.registration.get("client_secret", "")
        match self.registration["token_endpoint_auth_method"]:
            case "client_secret_basic":
                pair = f"{quote_plus(self.id)}:{quote_plus(secret)}".encode()
                return {}, {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
            case "client_secret_post":
                return {"client_id": self.id, "client_secret": secret}, {}
            case _:
                return {"client_id": self.id}, {}

    def post(self, path: str, fields: dict[str, Any]) -> Any:
        """An authenticated form post. None leaves a field out."""
        own, headers = self.authenticate()
        given = {name: value for name, value in (own | fields).items() if value is not None}
        return post_form(path, urlencode(given, doseq=True), **headers)

    def exchange(self, code: str, /, **changes: Any) -> Any:
        """The raw answer to exchanging a code."""
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
        }
        return self.post("/oauth/token", fields | changes)

    def refresh(self, refresh_token: str, /, **changes: Any) -> Any:
        """The raw answer to a refresh."""
        return self.post("/oauth/token", {"grant_type": "refresh_token", "refresh_token": refresh_token} | changes)

    def revoke(self, token: str, /, **changes: Any) -> Any:
        """The raw answer to a revocation."""
        return self.post("/oauth/revoke", {"token": token} | changes)

    def connect(self, member: Any, *, write: bool = True, **changes: Any) -> dict[str, Any]:
        """The tokens of a complete flow."""
        response = self.exchange(self.code(member, write=write, **changes))
        assert response.status_code == 200, response.content
        tokens: dict[str, Any] = response.json()
        return tokens


def status_of(access_token: str, path: str = "/v1/me") -> int:
    """Return the status of a call with this token."""
    return (
        Client(raise_request_exception=False).get(path, headers={"Authorization": f"Bearer {access_token}"}).status_code
    )


def error_of(response: Any) -> tuple[int, str]:
    """Status and code of an RFC 6749 error, after checking its shape."""
    body = response.json()
    assert set(body) == {"error", "error_description"}, body
    assert all(isinstance(value, str) and value.isascii() and '"' not in value for value in body.values())
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Request-Id"]
    return response.status_code, body["error"]
