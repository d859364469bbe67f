"""Headers, cookies and error pages of the web pages."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.forked import ended

pytestmark = pytest.mark.same_statements

PAGES = ["/", "/sign-in", "/sign-out", "/nothing-here"]


def policy(response: Any) -> dict[str, str]:
    return dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))


STRICT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "manifest-src": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}


@each("path", PAGES)
def test_a_page_has_a_strict_policy(client: Client, db: None, path: str) -> None:
    response = client.get(path)
    assert policy(response) == STRICT | ({} if path == "/sign-in" else {"form-action": "'self'"})
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Frame-Options"] == "DENY"


@each(
    ("path", "method", "status"),
    [
        ("/oauth/authorize", "GET", 400),
        ("/oauth/authorize", "POST", 403),
        ("/sign-in", "GET", 200),
        ("/sign-in", "POST", 403),
        ("/sign-in/code", "GET", 302),
        ("/sign-in/nothing", "GET", 404),
    ],
)
def test_pages_between_an_app_and_its_callback_keep_the_popup_connected(
    db: None, path: str, method: str, status: int
) -> None:
    """Including redirects and errors: the first answer with an opener policy disconnects a popup from its opener."""
    response = Client(enforce_csrf_checks=True).generic(method, path)
    assert response.status_code == status
    assert policy(response) == STRICT
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Cross-Origin-Opener-Policy"] == "unsafe-none"


def test_other_pages_are_isolated_from_their_opener(client: Client, db: None) -> None:
    assert client.get("/keys").headers["Cross-Origin-Opener-Policy"] == "same-origin"


@each("path", PAGES)
def test_a_page_has_no_inline_code(client: Client, db: None, path: str) -> None:
    page = client.get(path).content.decode()
    assert "<style" not in page
    assert " style=" not in page
    assert "<script>" not in page
    assert " on" + "click" not in page


def test_the_reference_runs_only_scripts_of_this_service(client: Client, db: None) -> None:
    found = policy(client.get("/docs"))
    assert (found["script-src"], found["style-src"]) == ("'self'", "'self'")
    assert (found["connect-src"], found["img-src"]) == ("'self'", "'self'")


def test_api_answers_have_no_policy_and_no_cookie(client: Client, db: None) -> None:
    response = client.get("/v1/me")
    assert "Content-Security-Policy" not in response.headers
    assert not response.cookies


def test_a_form_without_its_token_changes_nothing(db: None, make_member: Any) -> None:
    browser = Client(enforce_csrf_checks=True)
    member = make_member()
    browser.force_login(member)
    response = browser.post("/keys", {"name": "Script", "expires": "never"})
    assert response.status_code == 403
    assert "reload the page and send the form again" in response.content.decode()
    assert member.api_keys.count() == 0


def test_cookies_are_hidden_from_scripts_and_other_sites(client: Client, make_member: Any) -> None:
    client.post("/sign-in", {"email": "ada@example.org"})
    client.get("/sign-in")
    client.post("/sign-in", {"email": make_member("ada@example.org", password="pass").email, "password": "pass"})
    cookies = {name: (c["httponly"], c["samesite"]) for name, c in client.cookies.items()}
    assert cookies == dict.fromkeys(["sessionid", "csrftoken", "device"], (True, "Lax"))


@pytest.mark.database("sqlite", "headers and cookies")
def test_behind_https_cookies_are_secure_and_hsts_is_set(tmp_path: Path) -> None:
    """Settings are read once per process, so this runs in another one."""
    script = (
        "import django; django.setup();"
        "from django.conf import settings; settings.WHITENOISE_AUTOREFRESH = True;"
        "from django.test import Client;"
        "r = Client().get('/sign-in', secure=True, headers={'host': 'study.example.org'});"
        "c = r.cookies['__Host-csrftoken'];"
        "print(r.status_code, r.headers['Strict-Transport-Security'], c['secure'], c['httponly'], c['path'])"
    )
    environment = os.environ | {"BASE_URL": "https://study.example.org"}
    done = ended(tmp_path, "-c", script, environment=environment)
    assert done.stdout == "200 max-age=31536000 True True /\n"


def test_an_error_page_names_the_request(client: Client, db: None) -> None:
    response = client.get("/nothing-here")
    assert response.status_code == 404
    assert response.headers["X-Request-Id"] in response.content.decode()


def test_an_api_error_stays_json(client: Client, db: None) -> None:
    assert client.get("/v1/nothing-here").headers["Content-Type"] == "application/json"
