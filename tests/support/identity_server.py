"""An identity provider on loopback, which lies as a test tells it to, and a browser's way through it."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, cast
from urllib.parse import parse_qs, unquote_plus, urlsplit

from django.test import Client
from joserfc.jwk import ECKey, RSAKey
from joserfc.jws import JWSRegistry, serialize_compact
from joserfc.registry import HeaderParameter

from studyservice.identity_provider import IdentityProvider
from tests.support.model_server import Handler, answer

CLIENT_ID: Final = "study"
CLIENT_SECRET: Final = "a secret: 50% + more"
RETURN: Final = "/sign-in/oidc/callback"
GONE: Final = object()
"""The value of a claim that is left out."""

Signer = Callable[[dict[str, Any]], str]
"""Makes an ID token of claims."""


@cache
def rsa_key(kid: str = "first") -> RSAKey:
    """A key for RS256. It takes long to make."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


@cache
def ec_key(kid: str = "curve") -> ECKey:
    """A key for ES256."""
    return ECKey.generate_key("P-256", {"kid": kid, "use": "sig"})


def signed(claims: dict[str, Any], *, key: Any = None, algorithm: str = "RS256", **header: Any) -> str:
    """Return a token with this signature."""
    return signed_bytes(json.dumps(claims).encode(), key=key, algorithm=algorithm, **header)


def signed_bytes(payload: bytes, *, key: Any = None, algorithm: str = "RS256", **header: Any) -> str:
    """Return a token of anything."""
    key = key or rsa_key()
    head = {"alg": algorithm, "kid": key.kid, **header}
    registry = JWSRegistry({"x": HeaderParameter("x", "int")}, [algorithm], strict_check_header=False)
    return serialize_compact(head, payload, key, registry=registry)


def encoded(value: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


@dataclass
class Grant:
    """A code and what its token says.

    Attributes:
        asked: the authorization request.
        claims: that differ from the usual ones.
    """

    asked: dict[str, str]
    claims: dict[str, Any] = field(default_factory=dict)


class IdentityServer:
    """The provider.

    Attributes:
        metadata: what differs in its discovery document; `GONE` leaves a name out.
        keys: the published keys.
        signer: signs ID tokens.
        userinfo: the answer of that endpoint.
        answers: by path, what is answered instead.
        asked: the paths of the requests so far.
    """

    def __init__(self) -> None:
        self.metadata: dict[str, Any] = {}
        self.keys: list[Any] = [rsa_key(), ec_key()]
        self.signer: Signer = signed
        self.userinfo: dict[str, Any] = {}
        self.answers: dict[str, Handler] = {}
        self.asked: list[str] = []
        self._grants: dict[str, Grant] = {}
        self._lock = threading.Lock()
        stub = self

        class Requests(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stub._handle(self, "")

            def do_POST(self) -> None:
                stub._handle(self, self.rfile.read(int(self.headers["Content-Length"])).decode())

            def log_message(self, *_: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that give up are expected
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{cast('tuple[str, int]', self._server.server_address)[1]}"

    def setting(self, **changes: Any) -> IdentityProvider:
        """The setting that names it."""
        return IdentityProvider(self.issuer, CLIENT_ID, CLIENT_SECRET, "Example College", **changes)

    def code(self, asked: dict[str, str], **claims: Any) -> str:
        """Let the person in. Return the code."""
        code = f"code-{len(self._grants)}"
        self._grants[code] = Grant(asked, claims)
        return code

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, request: BaseHTTPRequestHandler, body: str) -> None:
        path = urlsplit(request.path).path
        self.asked.append(path)
        if path in self.answers:
            self.answers[path](request)
        elif path == "/token":
            status, told = self._exchange(request.headers["Authorization"], parse_qs(body))
            answer(json.dumps(told).encode(), status)(request)
        else:
            found = {
                "/.well-known/openid-configuration": self._discovery(),
                "/jwks": {"keys": [key.as_dict(private=False) for key in self.keys]},
                "/userinfo": self.userinfo,
            }[path]
            answer(json.dumps(found).encode())(request)

    def _discovery(self) -> dict[str, Any]:
        told = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize?kept=1",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            **self.metadata,
        }
        return {name: value for name, value in told.items() if value is not GONE}

    def _exchange(self, authorization: str, form: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        """Check the client, the code and PKCE, and answer with a token. A code works once."""
        client = base64.b64decode(authorization.removeprefix("Basic ")).decode().split(":")
        if [unquote_plus(part) for part in client] != [CLIENT_ID, CLIENT_SECRET]:
            return 401, {"error": "invalid_client"}
        with self._lock:
            grant = self._grants.pop(form["code"][0], None)
        if grant is None or grant.asked["redirect_uri"] != form["redirect_uri"][0]:
            return 400, {"error": "invalid_grant"}
        challenge = encoded(hashlib.sha256(form["code_verifier"][0].encode()).digest())
        if (grant.asked["code_challenge"], grant.asked["code_challenge_method"]) != (challenge, "S256"):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": "person-1",
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": grant.asked["nonce"],
            "email": "ada@example.org",
            "email_verified": True,
            **grant.claims,
        }
        told = {name: value for name, value in claims.items() if value is not GONE}
        return 200, {"token_type": "Bearer", "access_token": "access-token-1", "id_token": self.signer(told)}


@contextmanager
def identity_server() -> Iterator[IdentityServer]:
    """A running provider."""
    server = IdentityServer()
    try:
        yield server
    finally:
        server.stop()


def begin(client: Client, target: str = "") -> dict[str, str]:
    """Press the button. Return the parameters that the provider gets."""
    response = client.get("/sign-in/oidc", {"next": target} if target else {})
    assert response.status_code == 302, response.content.decode()
    return asked_of(response)


def asked_of(response: Any) -> dict[str, str]:
    """Return the parameters of a redirect to the provider."""
    query = parse_qs(urlsplit(response.headers["Location"]).query)
    return {name: value for name, [value] in query.items()}


def finish(client: Client, state: str, code: str, **more: str) -> Any:
    """Come back from the provider."""
    return client.get(RETURN, {"state": state, "code": code, **more})


def sign_in(client: Client, server: IdentityServer, *, target: str = "", **claims: Any) -> Any:
    """Go there and come back, with these claims in the token."""
    asked = begin(client, target)
    return finish(client, asked["state"], server.code(asked, **claims))
