"""How the pages name the destination of an app (spec, Client registration; decisions 10)."""

from html import unescape
from typing import Any

import pytest
from django.test import Client

from studyservice.platforms import platforms_from
from tests.support.oauth import App, Browser, register

pytestmark = [
    pytest.mark.database("sqlite", "names of apps"),
    pytest.mark.django_db,
]

CLAUDE = "https://claude.ai/api/mcp/auth_callback"


@pytest.fixture
def browser(owner_member: Any) -> Browser:
    return Browser(owner_member)


def shown(browser: Browser, uri: str, **metadata: Any) -> str:
    """The consent page of an app with the callback `uri`."""
    app = App.registered(**({"redirect_uris": [uri]} | metadata))
    return " ".join(unescape(browser.visit(app.query(redirect_uri=uri)).content.decode()).split())


@pytest.mark.parametrize(
    ("uri", "returns"),
    [
        (CLAUDE, "Claude (claude.ai)"),
        ("https://claude.com/api/mcp/auth_callback", "Claude (claude.com)"),
        ("https://claude.ai:443/api/mcp/auth_callback", "Claude (claude.ai)"),
        ("https://chatgpt.com/connector_platform_oauth_redirect", "ChatGPT (chatgpt.com)"),
        ("https://chatgpt.com/connector/oauth/OUbdUMlL15Ct", "ChatGPT (chatgpt.com)"),
        ("https://www.make.com/oauth/cb/mcp", "Make (www.make.com)"),
    ],
)
def test_the_platform_is_named_apart_from_the_apps_own_name(uri: str, returns: str, browser: Browser) -> None:
    page = shown(browser, uri, client_name="Anything")
    assert f"Returns to {returns}" in page
    assert f"<h1>Connect {returns.partition(' (')[0]}?</h1>" in page
    assert '“Anything” <span class="hint">Name not verified</span>' in page
    assert "nverified" not in page
    assert "Verified" not in page


@pytest.mark.parametrize(
    "uri",
    [
        "https://claude.ai:8443/api/mcp/auth_callback",
        "https://claude.ai/",
        "https://claude.ai/public/artifacts/1",
        "https://claude.ai/api/mcp/auth_callback/",
        "https://claude.ai/api/mcp/auth_callback/../../../share",
        "https://claude.ai/api/mcp/auth_callback?next=https://evil.example",
        "https://claude.ai/api/mcp/auth_callback?",
        "https://claude.ai/API/mcp/auth_callback",
        "https://claude.ai.evil.example/api/mcp/auth_callback",
        "https://evil.example/api/mcp/auth_callback",
        "https://chatgpt.com/connector/oauth/../../g/g-1",
        "https://chatgpt.com/connector/oauth/%2e%2e/%2e%2e/g/g-1",
        "https://chatgpt.com/connector/oauth/.%2e/g",
        "https://chatgpt.com/connector/oauth//x",
        "https://chatgpt.com/connector/oauth/a;b",
        "https://chatgpt.com/connector/oauthx",
        "http://localhost:3118/api/mcp/auth_callback",
        "claude.ai://claude.ai/api/mcp/auth_callback",
    ],
)
def test_only_recognized_platforms_lack_the_unverified_label(uri: str, browser: Browser) -> None:
    page = shown(browser, uri)
    assert "Unverified app" in page
    assert "Returns to" not in page


@pytest.mark.parametrize(
    "uri",
    [
        "https://zapier.com/dashboard/auth/oauth/return/App1CLIAPI/",
        "https://chat.openai.com/aip/g-1/oauth/callback",
        "https://global.consent.azure-apim.net/redirect/anything",
        "https://oauth.pstmn.io/v1/callback",
        "https://api.pipedream.com/connect/oauth/oa_1/callback",
        "https://oauth.n8n.cloud/oauth2/callback",
        "https://ifttt.com/channels/anything/authorize",
        "https://www.make.com/oauth/cb/app",
        "https://vscode.dev/redirect",
        "https://insiders.vscode.dev/redirect",
    ],
)
def test_shared_and_redirecting_addresses_are_never_verified(uri: str, browser: Browser) -> None:
    assert "Unverified app" in shown(browser, uri)


@pytest.mark.parametrize(
    ("uri", "heading"),
    [
        ("https://board.example:8443/cb", "board.example:8443"),
        ("http://127.0.0.1:33418/", "an app on your device"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "an app on your device"),
    ],
)
def test_the_host_comes_first(uri: str, heading: str, browser: Browser) -> None:
    page = shown(browser, uri, client_name="Claude")
    assert f"<h1>Connect {heading}?</h1>" in page
    assert page.index("Unverified app") < page.index('“Claude” <span class="hint">Name not verified')


def test_one_foreign_callback_marks_a_client_as_unverified(browser: Browser) -> None:
    uris = [CLAUDE, "https://evil.example/cb"]
    assert "Unverified app" in shown(browser, uris[1], redirect_uris=uris)
    assert "Returns to Claude (claude.ai)" in shown(browser, uris[0], redirect_uris=uris)


def test_apps_with_equal_names_are_distinguished_on_the_key_page(owner_member: Any, client: Client) -> None:
    for uris in ([CLAUDE], ["https://claude.example/cb"], ["http://localhost:1/cb", "cursor://claude/cb"]):
        App(register(client_name="Claude", redirect_uris=uris).json(), uris[0]).connect(owner_member)
    client.force_login(owner_member)
    page = unescape(client.get("/keys").content.decode())
    hosts = [app.hosts for app in client.get("/keys").context["apps"]]
    assert sorted(hosts) == [
        ("Claude (claude.ai)",),
        ("an app on your device (localhost:1)", "an app on your device (cursor:)"),
        ("claude.example",),
    ]
    assert all(", ".join(of) in page for of in hosts)
    assert page.count("not verified") == 2


def test_the_table_of_platforms_is_a_setting(settings: Any, browser: Browser) -> None:
    settings.RECOGNIZED_PLATFORMS = platforms_from(
        "Campus = https://campus.example:8443/cb/, Board=https://b.example/x"
    )
    assert "Returns to Campus (campus.example:8443)" in shown(browser, "https://campus.example:8443/cb/7")
    assert "Returns to Board (b.example)" in shown(browser, "https://b.example/x")
    assert "Unverified app" in shown(browser, CLAUDE)
