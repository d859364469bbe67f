"""RFC 8414 and RFC 9728 metadata, and the other well-known paths that clients probe."""

from django.test import Client

from tests.support.cases import each
from tests.support.oauth import BASE

PROBED = [
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/oauth-protected-resource/v1",
    "/.well-known/oauth-protected-resource/mcp/",
    "/.well-known/jwks.json",
    "/.well-known/mcp.json",
]


def test_it_describes_the_authorization_server() -> None:
    """RFC 8414 section 2, spec OAuth 2.1 server; no other fields."""
    response = Client().get("/.well-known/oauth-authorization-server", headers={"Host": "localhost:8000"})
    methods = ["none", "client_secret_basic", "client_secret_post"]
    assert response.json() == {
        "issuer": BASE,
        "authorization_endpoint": f"{BASE}/oauth/authorize",
        "token_endpoint": f"{BASE}/oauth/token",
        "registration_endpoint": f"{BASE}/oauth/register",
        "revocation_endpoint": f"{BASE}/oauth/revoke",
        "scopes_supported": ["read", "write"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "service_documentation": f"{BASE}/docs/oauth",
    }


@each("root", ["", "/mcp"])
def test_it_describes_a_protected_resource(root: str) -> None:
    """RFC 9728 section 3.3: the resource is the requested one."""
    response = Client().get(f"/.well-known/oauth-protected-resource{root}", headers={"Host": "localhost:8000"})
    assert response.json() == {
        "resource": f"{BASE}{root}",
        "authorization_servers": [BASE],
        "scopes_supported": ["read", "write"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Study Data Service",
        "resource_documentation": f"{BASE}/docs/guides",
    }


@each("path", PROBED)
def test_unknown_well_known_paths_are_a_json_404(path: str) -> None:
    response = Client().get(path, headers={"Origin": "https://inspector.example"})
    assert response.status_code == 404
    assert response.json()["error"]["type"] == "not_found"
    assert response.headers["Access-Control-Allow-Origin"] == "*"


@each("path", ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"])
def test_it_is_read_only_and_open(path: str) -> None:
    response = Client().post(path, headers={"Origin": "https://inspector.example"})
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
    assert response.json()["error"]["type"] == "method_not_allowed"
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_every_advertised_endpoint_exists(db: None) -> None:
    document = Client().get("/.well-known/oauth-authorization-server").json()
    for name in ("authorization", "token", "registration", "revocation"):
        path = document[f"{name}_endpoint"].removeprefix(BASE)
        assert Client().get(path).status_code != 404
