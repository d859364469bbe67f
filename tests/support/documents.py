"""Client ID Metadata Documents that resemble those of known clients, as quoted in public issues in 2026."""

from typing import Any

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
