"""The authorization endpoint: GET and POST /oauth/authorize (spec, Authorization code flow)."""

from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.oauth import BASE, CALLBACK, App, Browser, answer_in, challenge_of

pytestmark = [pytest.mark.database("sqlite", "requests and answers of apps"), pytest.mark.django_db]


@pytest.fixture
def app(db: None) -> App:
    return App.registered()


@pytest.fixture
def browser(owner_member: Any) -> Browser:
    return Browser(owner_member)


def test_it_sends_the_member_to_sign_in_and_back(app: App) -> None:
    response = Client().get(f"/oauth/authorize?{app.query()}")
    sign_in = urlsplit(response.headers["Location"])
    assert (response.status_code, sign_in.path) == (302, "/sign-in")
    assert parse_qs(sign_in.query) == {"next": [f"/oauth/authorize?{app.query()}"]}


def test_the_consent_page_explains_the_request(app: App, browser: Browser) -> None:
    response = browser.visit(app.query())
    page = response.content.decode()
    assert response.status_code == 200
    for text in ("Planner", CALLBACK, "owner@example.org", "syllabus text", "Unverified", "Change", "Allow", "Deny"):
        assert text in page, text


def test_it_cannot_be_framed_or_cached(app: App, browser: Browser) -> None:
    response = browser.visit(app.query())
    assert response.headers["X-Frame-Options"] == "DENY"
    assert "no-store" in response.headers["Cache-Control"]


def test_an_app_name_is_only_text(browser: Browser) -> None:
    app = App.registered(client_name="<script>alert(1)</script>")
    assert b"<script>alert" not in browser.visit(app.query()).content


def test_success_returns_code_state_and_issuer(app: App, browser: Browser) -> None:
    response = browser.decide(app.query(state="a b&c=ä%"))
    answer = answer_in(response)
    assert response.headers["Location"].startswith(f"{CALLBACK}?")
    assert answer["code"].startswith("svc_ac_")
    assert answer == {"code": answer["code"], "state": "a b&c=ä%", "iss": BASE}


def test_no_state_is_added(app: App, browser: Browser) -> None:
    assert set(answer_in(browser.decide(app.query(state=None)))) == {"code", "iss"}


def test_denial_returns_the_error_state_and_issuer(app: App, browser: Browser) -> None:
    answer = answer_in(browser.decide(app.query(), "deny"))
    assert answer.pop("error_description")
    assert answer == {"error": "access_denied", "state": "xyz", "iss": BASE}


def test_the_query_of_a_callback_is_kept_unchanged(browser: Browser) -> None:
    """RFC 6749 section 3.1.2."""
    uri = "https://app.example/cb?flag&space=%20"
    app = App.registered(redirect_uris=[uri])
    assert browser.decide(app.query()).headers["Location"].startswith(f"{uri}&code=")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": "x" * 200}, "invalid_request"),
        ({"code_challenge": challenge_of("v")[:-1] + "="}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "s256"}, "invalid_request"),
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code token"}, "unsupported_response_type"),
        ({"response_type": "none"}, "unsupported_response_type"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": f"{BASE}/v1"}, "invalid_target"),
        ({"resource": f"{BASE}/mcp//"}, "invalid_target"),
        ({"resource": f"{BASE}/MCP"}, "invalid_target"),
        ({"resource": f"{BASE}/mcp?"}, "invalid_target"),
        ({"resource": f"{BASE}/mcp#"}, "invalid_target"),
        ({"resource": f"{BASE}/x/../mcp"}, "invalid_target"),
        ({"resource": f"{BASE}\t/mcp"}, "invalid_target"),
        ({"resource": "http://127.0.0.1/mcp"}, "invalid_target"),
        ({"resource": "http://user@127.0.0.1:8000/mcp"}, "invalid_target"),
        ({"resource": "https://127.0.0.1:8000/mcp"}, "invalid_target"),
        ({"resource": [f"{BASE}/mcp", "https://other.example/"]}, "invalid_target"),
    ],
)
def test_errors_are_returned_to_the_app(app: App, browser: Browser, changes: dict[str, Any], error: str) -> None:
    """With the issuer and the state, before and after consent, for either decision."""
    query = app.query(**changes)
    for response in (browser.visit(query), browser.decide(query), browser.decide(query, "deny")):
        answer = answer_in(response)
        assert response.headers["Location"].startswith(f"{CALLBACK}?error=")
        assert answer.pop("error_description", "")
        assert answer == {"error": error, "state": "xyz", "iss": BASE}


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
@pytest.mark.parametrize("changes", [{"code_challenge": None}, {"code_challenge_method": "plain"}])
def test_an_app_with_a_secret_needs_a_challenge_too(method: str, changes: dict[str, Any], browser: Browser) -> None:
    """Spec, OAuth 2.1 server: PKCE is required, `S256` only."""
    app = App.registered(token_endpoint_auth_method=method)
    assert answer_in(browser.decide(app.query(**changes)))["error"] == "invalid_request"


def test_nobody_is_redirected_before_signing_in(app: App) -> None:
    """RFC 9700 section 4.11.2: a registered callback and an invalid request must not form an open redirector."""
    response = Client().get(f"/oauth/authorize?{app.query(code_challenge=None)}")
    assert response.headers["Location"].startswith("/sign-in?")


@pytest.mark.parametrize("client_id", [None, "", "svcclient_unknown", "x" * 5000, "nul\0", "ä"])
def test_an_unknown_app_leads_to_an_error_page(app: App, browser: Browser, client_id: str | None) -> None:
    for response in (
        browser.visit(app.query(client_id=client_id)),
        browser.decide(app.query(client_id=client_id)),
        Client().get(f"/oauth/authorize?{app.query(client_id=client_id)}"),
    ):
        assert response.status_code == 400
        assert "Location" not in response.headers
        assert b"Go back to the app" in response.content


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "state", "scope", "response_type", "code_challenge"])
def test_a_repeated_parameter_leads_to_an_error_page(app: App, browser: Browser, name: str) -> None:
    """RFC 6749 section 3.1."""
    response = browser.visit(f"{app.query()}&{name}=again")
    assert response.status_code == 400
    assert "Location" not in response.headers


@each(
    ("asked", "ticked", "granted"),
    [
        ("read write", True, "read write"),
        ("read write", False, "read"),
        ("write", True, "read write"),
        ("write", False, "read"),
        ("read", True, "read"),
        (None, True, "read"),
        ("", True, "read"),
        ("openid offline_access write admin", True, "read write"),
        ("unknown", True, "read"),
    ],
)
def test_the_member_decides_on_write_access(
    app: App, owner_member: Any, asked: str | None, ticked: bool, granted: str
) -> None:
    """`read` is always granted, `write` if requested and selected, and other scopes are dropped."""
    assert app.connect(owner_member, write=ticked, scope=asked)["scope"] == granted


def test_write_access_is_offered_only_if_requested(app: App, browser: Browser) -> None:
    assert b'name="write"' in browser.visit(app.query()).content
    assert b'name="write"' not in browser.visit(app.query(scope="read")).content


@pytest.mark.parametrize("decision", ["", "maybe"])
def test_without_a_decision_the_page_is_shown_again(app: App, browser: Browser, decision: str) -> None:
    response = browser.decide(app.query(), decision)
    assert response.status_code == 200
    assert b"Allow" in response.content


def test_a_decision_needs_the_form_of_this_site(app: App, owner_member: Any) -> None:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(owner_member)
    response = Browser.decide(Browser(owner_member, client), app.query())
    assert response.status_code == 403


def test_a_decision_needs_a_signed_in_member(app: App) -> None:
    response = Client().post(f"/oauth/authorize?{app.query()}", {"decision": "allow"})
    assert response.headers["Location"].startswith("/sign-in?")


def test_it_accepts_only_get_and_post(app: App, browser: Browser) -> None:
    assert browser.client.put(f"/oauth/authorize?{app.query()}").status_code == 405


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"membership_active": False}, "You have no active membership. Apps and scripts need one."),
        ({"membership_until": date(2026, 1, 31)}, "Your membership lapsed after 31 January 2026."),
        ({"membership_until": date.today() + timedelta(days=10)}, "Your membership ends after"),  # noqa: DTZ011  # about
        ({"membership_until": date.today() + timedelta(days=20)}, ""),  # noqa: DTZ011  # about
    ],
)
def test_it_shows_the_state_of_the_membership(
    app: App, make_member: Any, settings: Any, fields: Any, told: str
) -> None:
    settings.MEMBERSHIP_URL = "https://example.org/renew"
    page = " ".join(Browser(make_member(**fields)).visit(app.query()).content.decode().split())
    assert told in page
    assert ('href="https://example.org/renew"' in page) is bool(told)


def test_a_lapsed_member_can_connect(app: App, make_member: Any) -> None:
    assert app.connect(make_member(membership_active=False))["scope"] == "read write"


def test_a_long_state_is_returned_unchanged(app: App, browser: Browser) -> None:
    state = "s" * 5000
    assert answer_in(browser.decide(app.query(state=state)))["state"] == state


def _asking(client: Client, query: str) -> Any:
    """The app that the sign-in page names for this request."""
    response = client.get("/sign-in", {"next": f"/oauth/authorize?{query}"})
    assert response.status_code == 200
    return response.context["asking"]


def test_the_sign_in_page_names_the_app_and_its_destination(app: App, client: Client) -> None:
    asking = _asking(client, app.query())
    assert (asking.name, asking.returns_to) == ("Planner", "app.example")
    assert _asking(client, app.query(redirect_uri=None)) == asking
    failed = client.post("/sign-in", {"email": "", "next": f"/oauth/authorize?{app.query()}"})
    assert failed.context["asking"] == asking


@each(
    "changes",
    [
        {"client_id": "unknown"},
        {"client_id": None},
        {"client_id": "nul\0"},
        {"client_id": ["a", "b"]},
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "https://[/"},
    ],
)
def test_it_names_no_app_whose_request_is_invalid(app: App, client: Client, changes: dict[str, Any]) -> None:
    assert _asking(client, app.query(**changes)) is None


def test_a_name_on_the_sign_in_page_is_only_text(client: Client) -> None:
    app = App.registered(client_name="<script>alert(1)</script>")
    page = client.get("/sign-in", {"next": f"/oauth/authorize?{app.query()}"}).content
    assert b"<script>alert" not in page
    assert b"&lt;script&gt;alert(1)" in page


def test_switching_the_member_requires_a_post_and_returns(app: App, browser: Browser) -> None:
    target = f"/oauth/authorize?{app.query()}"
    assert browser.client.get("/sign-in/another", {"next": target}).status_code == 405
    assert browser.visit(app.query()).status_code == 200
    response = browser.client.post("/sign-in/another", {"next": target})
    sign_in = urlsplit(response.headers["Location"])
    assert (sign_in.path, parse_qs(sign_in.query)) == ("/sign-in", {"next": [target]})
    assert response.headers["Cross-Origin-Opener-Policy"] == "unsafe-none"
    assert browser.visit(app.query()).status_code == 302
