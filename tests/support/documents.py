"""Client ID Metadata Documents: one invented for tests, and some like those of known clients.

The latter are quoted from public issues of 2026.
"""

import json
import ssl
from typing import Any

from tests.support.internet import Internet, answer
from tests.support.oauth import App

CLIENT_ID = "https://assistant.example/client.json"
DOCUMENT: dict[str, Any] = {
    "client_id": CLIENT_ID,
    "client_name": "Published",
    "redirect_uris": ["http://localhost/callback", "https://assistant.example/cb"],
    "token_endpoint_auth_method": "none",
    "grant_types": ["authorization_code", "refresh_token"],
}

CODE = ["authorization_code", "refresh_token"]
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"

DOCUMENTS: dict[str, dict[str, Any]] = {
    "Claude": {
        "client_id": "https://claude.ai/oauth/mcp-oauth-client-metadata",
        "client_name": "Claude",
        "client_uri": "https://claude.ai",
        "redirect_uris": ["https://claude.ai/api/mcp/auth_callback"],
        "grant_types": [*CODE, JWT_BEARER],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "Claude Code": {
        "client_id": "https://claude.ai/oauth/claude-code-client-metadata",
        "client_name": "Claude Code",
        "client_uri": "https://claude.ai",
        "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
        "grant_types": CODE,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "VS Code": {
        "client_id": "https://vscode.dev/oauth/client-metadata.json",
        "client_name": "Visual Studio Code",
        "client_uri": "https://vscode.dev/product",
        "redirect_uris": ["https://vscode.dev/redirect", "http://127.0.0.1:33418/", "http://127.0.0.1/"],
        "grant_types": [*CODE, DEVICE_CODE],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    },
    "ChatGPT": {
        "client_id": "https://chatgpt.com/oauth/client.json",
        "client_name": "ChatGPT",
        "client_uri": "https://chatgpt.com",
        "redirect_uris": ["https://chatgpt.com/connector_platform_oauth_redirect"],
        "grant_types": CODE,
        "response_types": ["code"],
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "token_endpoint_auth_signing_alg": "RS256",
        "jwks_uri": "https://chatgpt.com/oauth/jwks.json",
    },
    "Codex": {
        "client_id": "https://chatgpt.com/oauth/codex/client.json",
        "client_name": "Codex",
        "client_uri": "https://chatgpt.com/codex",
        "redirect_uris": ["http://127.0.0.1/callback", "http://localhost/callback"],
        "grant_types": CODE,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "Zed": {
        "client_id": "https://zed.dev/oauth/client-metadata.json",
        "client_name": "Zed",
        "client_uri": "https://zed.dev",
        "logo_uri": "https://zed.dev/logo_icon.webp",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "grant_types": CODE,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "opencode": {
        "client_id": "https://opencode.ai/oauth/opencode/client.json",
        "client_name": "opencode",
        "client_uri": "https://opencode.ai",
        "logo_uri": "https://opencode.ai/web-app-manifest-512x512.png",
        "application_type": "native",
        "redirect_uris": ["http://127.0.0.1/callback", "http://localhost/callback"],
        "grant_types": CODE,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "token_endpoint_auth_methods_supported": ["none"],
    },
}


class Web:
    """Publishes documents on servers of the test's internet.

    Attributes:
        documents: the published documents, by address.
        fetched: the requested addresses.
    """

    def __init__(self, internet: Internet, *hosts: str) -> None:
        self.documents: dict[str, Any] = {}
        self.fetched: list[str] = []
        for host in hosts:
            internet.serve(host, self._answer)

    def _answer(self, head: str, connection: ssl.SSLSocket) -> None:
        path, host = head.split()[1], head.split("Host: ")[1].split(maxsplit=1)[0]
        self.fetched.append(f"https://{host}{path}")
        document = self.documents.get(self.fetched[-1])
        if document is None:
            answer(status="404 Not Found")(head, connection)
            return
        body = json.dumps(document).encode()
        answer(body, Content_Type="application/json", Cache_Control="max-age=3600")(head, connection)


def published(client_id: str = CLIENT_ID, redirect_uri: str = "http://localhost:3118/callback") -> App:
    return App({"client_id": client_id, "token_endpoint_auth_method": "none"}, redirect_uri)
