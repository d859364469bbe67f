"""Redirect URIs at registration and at authorization (spec, Client registration; decisions 10 and 12)."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.oauth import App, Browser, answer_in, error_of, register

pytestmark = pytest.mark.same_statements

GOOD = [
    "https://app.example/callback",
    "https://app.example",
    "https://app.example:8443/cb?tenant=1&flag",
    "https://app.example/a%20b;x=1",
    "https://[2001:db8::1]/cb",
    "http://localhost/cb",
    "http://localhost:3118/cb",
    "http://127.0.0.1:33418/",
    "http://[::1]:7777/cb",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.app:/oauth2redirect",
    "vscode://vscode.github-authentication/did-authenticate",
    "myapp://callback",
    "msteams-helper://callback",
    "zed://oauth",
]

BAD = [
    "",
    "callback",
    "/callback",
    "//app.example/cb",
    "https:app.example/cb",
    "https:/app.example/cb",
    "https:///cb",
    "https://",
    "http://app.example/cb",
    "http://localhost.evil.example/cb",
    "http://127.0.0.1.nip.io/cb",
    "http://127.0.0.2/cb",
    "http://0.0.0.0/cb",
    "http://[::ffff:127.0.0.1]/cb",
    "http://localhost:99999/cb",
    "http://localhost:0/cb",
    "http://localhost:x/cb",
    "https://app.example/cb#fragment",
    "https://app.example/cb#",
    "https://user@app.example/cb",
    "https://user:password@app.example/cb",
    "https://@app.example/cb",
    "http://localhost@evil.example/cb",
    "http://localhost:80@evil.example/cb",
    "cursor://user@host/cb",
    "https://app.example/cb d",
    "https://app.example/\tcb",
    "https://app.example/cb\0",
    "https://app.example/cb\n",
    "https://app.example\\@evil.example/cb",
    "https://app.example/%zz",
    "https://exämple.example/cb",
    "https://[not-an-ip/cb",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://app.example/cb",
    "mailto:a@app.example",
    "about:blank",
    "JavaScript://app.example/%0aalert(1)",
    "blob:https://app.example/cb",
    "urn:ietf:wg:oauth:2.0:oob",
    "ms-msdt:/id",
    "ms-settings://host/cb",
    "ms-officecmd://cb",
    "MS-Appinstaller://cb",
    "microsoft-edge://cb",
    "search-ms://query/cb",
    "search://cb",
    "shell://downloads",
    "hcp://system/cb",
    "vbscript://host/cb",
    "view-source://app.example/cb",
    "res://shell32.dll/cb",
    "mk://cb",
    "mhtml://cb",
    "its://cb",
    "wscript://cb",
    "jnlp://app.example/cb",
    "itms-services://cb",
    "x-apple.systempreferences:/cb",
    "applescript://com.apple.scripteditor/cb",
    "x-man-page://ls",
    "afp://host/cb",
    "vnc://host/cb",
    "rdp://host/cb",
    "chrome-extension://abc/cb",
    "moz-extension://abc/cb",
    "android-app://com.example/cb",
    "market://details",
    "facetime://cb",
    "callto://cb",
    "magnet://cb",
    "svn+ssh://host/cb",
    "app:callback",
    "app:",
    "app://",
    "https://app.example/" + "x" * 2000,
]


@pytest.mark.django_db
@each("uri", GOOD)
def test_a_valid_uri_is_registered_and_returned(uri: str, owner_member: Any) -> None:
    app = App.registered(redirect_uris=[uri])
    response = Browser(owner_member).decide(app.query())
    assert response.headers["Location"].startswith(uri + ("&" if "?" in uri else "?") + "code=svc_ac_")
    assert answer_in(response)["state"] == "xyz"


@pytest.mark.django_db
@each("uri", BAD)
def test_an_invalid_uri_is_rejected(uri: str) -> None:
    assert error_of(register(redirect_uris=[uri])) == (400, "invalid_redirect_uri")


@pytest.mark.django_db
@each(
    ("registered", "asked"),
    [
        ("https://app.example/cb", "https://app.example/cb/"),
        ("https://app.example/cb", "https://app.example/CB"),
        ("https://app.example/cb", "https://APP.example/cb"),
        ("https://app.example/cb", "HTTPS://app.example/cb"),
        ("https://app.example/cb", "https://app.example:443/cb"),
        ("https://app.example/cb", "https://app.example/cb?"),
        ("https://app.example/cb", "https://app.example/cb?x=1"),
        ("https://app.example/cb", "https://app.example/cb;x=1"),
        ("https://app.example/cb", "https://app.example/cb#"),
        ("https://app.example/cb", "https://app.example/cb#x"),
        ("https://app.example/cb", "https://user@app.example/cb"),
        ("https://app.example/cb", "https://app.example/x/../cb"),
        ("https://app.example/cb", "https://app.example/%63b"),
        ("https://app.example/cb", "https://app.example.evil.example/cb"),
        ("https://app.example/cb", "http://app.example/cb"),
        ("https://app.example/cb", "https://evil.example/cb"),
        ("https://app.example/cb", " https://app.example/cb"),
        ("https://app.example/cb", "javascript:alert(1)"),
        ("https://app.example/cb", "cb"),
        ("http://localhost:1/cb", "http://127.0.0.1:1/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:99999/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example/cb"),
        ("http://127.0.0.1/cb", "https://127.0.0.1/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5/cb?x"),
        ("cursor://host/cb", "cursor://host:5/cb"),
        ("cursor://host/cb", "cursor://other/cb"),
    ],
)
def test_an_unregistered_uri_leads_to_an_error_page(registered: str, asked: str, owner_member: Any) -> None:
    """The page names the app and the next step, and has no foreign link, for GET and POST."""
    app = App.registered(redirect_uris=[registered])
    browser = Browser(owner_member)
    for response in (
        browser.visit(app.query(redirect_uri=asked)),
        browser.decide(app.query(redirect_uri=asked)),
        browser.decide(app.query(redirect_uri=asked), "deny"),
    ):
        page = response.content.decode()
        assert response.status_code == 400
        assert "Location" not in response.headers
        assert "Planner could not be connected" in page
        assert "Go back to the app" in page
        assert "evil.example" not in page


@pytest.mark.django_db
@each(
    ("registered", "asked"),
    [
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/cb"),
        ("http://127.0.0.1:33418/cb", "http://127.0.0.1/cb"),
        ("http://localhost:3118/cb", "http://localhost:3119/cb"),
        ("http://[::1]/cb", "http://[::1]:9/cb"),
    ],
)
def test_the_port_of_a_loopback_uri_is_ignored(registered: str, asked: str, owner_member: Any) -> None:
    """RFC 8252 section 7.3."""
    app = App.registered(redirect_uris=[registered])
    response = Browser(owner_member).decide(app.query(redirect_uri=asked))
    assert response.headers["Location"].startswith(f"{asked}?code=")


@pytest.mark.django_db
def test_a_single_uri_may_be_omitted(owner_member: Any) -> None:
    """RFC 6749 section 3.1.2.3. It is then omitted at the token endpoint too."""
    app = App.registered()
    code = app.code(owner_member, redirect_uri=None)
    assert app.exchange(code, redirect_uri=None).status_code == 200


@pytest.mark.django_db
def test_one_of_two_uris_may_not_be_omitted(owner_member: Any) -> None:
    app = App.registered(redirect_uris=["https://app.example/a", "https://app.example/b"])
    assert Browser(owner_member).visit(app.query(redirect_uri=None)).status_code == 400


@pytest.mark.database("both")
@pytest.mark.django_db
def test_an_invalid_uri_from_before_the_rule_is_rejected(owner_member: Any) -> None:
    from oauthserver.models import Application

    app = App.registered(redirect_uris=["myapp://cb"])
    Application.objects.filter(client_id=app.id).update(redirect_uris="ms-msdt:/id")
    for response in (
        Browser(owner_member).visit(app.query(redirect_uri="ms-msdt:/id")),
        Browser(owner_member).decide(app.query(redirect_uri="ms-msdt:/id"), "deny"),
        Browser(owner_member).visit(app.query(redirect_uri=None)),
    ):
        assert response.status_code == 400
        assert "Location" not in response.headers
