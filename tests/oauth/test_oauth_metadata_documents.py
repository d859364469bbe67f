"""Apps identified by a document that they publish (Client ID Metadata Documents; decisions 10)."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.conf import settings as live_settings
from django.utils import timezone

from tests.support.documents import CLIENT_ID, DOCUMENT, DOCUMENTS, Web, published
from tests.support.internet import Internet
from tests.support.oauth import Browser, answer_in, error_of, status_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


@pytest.fixture(autouse=True)
def _no_memory_of_failures() -> None:
    from django.core.cache import cache

    cache.clear()


@pytest.fixture
def web(internet: Internet) -> Web:
    """A web with one document."""
    web = Web(internet, "assistant.example")
    web.documents = {CLIENT_ID: DOCUMENT}
    return web


def test_it_connects_without_registration(web: Web, owner_member: Any) -> None:
    app = published()
    page = Browser(owner_member).visit(app.query()).content.decode()
    assert all(text in page for text in ("Published", CLIENT_ID, "Unverified"))
    tokens = app.connect(owner_member)
    assert app.refresh(tokens["refresh_token"]).status_code == 200
    assert web.fetched == [CLIENT_ID], "cached from then on, and never fetched by the token endpoint"


@pytest.mark.database("sqlite", "fetches documents")
@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "https://other.example/client.json"},
        {"redirect_uris": []},
        {"redirect_uris": ["http://evil.example/cb"]},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": ["https://user@assistant.example/cb"]},
        {"redirect_uris": [f"https://assistant.example/{number}" for number in range(11)]},
        {"client_name": "evil \u202e"},
        {"client_name": "x" * 121},
        {"client_name": "\u3164"},
        {"client_name": 5},
        {"client_secret": "x"},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"token_endpoint_auth_method": None},
        {"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": "none"},
        {"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": [["none"]]},
        {"grant_types": ["client_credentials"]},
        {"response_types": ["token"]},
    ],
)
def test_a_document_follows_the_rules_of_registration(web: Web, owner_member: Any, changes: dict[str, Any]) -> None:
    web.documents = {CLIENT_ID: DOCUMENT | changes}
    response = Browser(owner_member).visit(published().query())
    assert response.status_code == 400
    assert b"assistant.example, which breaks a rule" in response.content
    assert not Browser(owner_member).visit(published().query()).context["title"].startswith("This app is not known")


@pytest.mark.database("sqlite", "fetches documents")
@pytest.mark.parametrize("client", DOCUMENTS)
def test_the_documents_of_known_clients_reach_consent_and_a_token(
    internet: Internet, owner_member: Any, client: str
) -> None:
    """Unsupported options are ignored. The app chooses loopback ports."""
    document = DOCUMENTS[client]
    web = Web(internet, urlsplit(document["client_id"]).netloc)
    web.documents = {document["client_id"]: document}
    for uri in document["redirect_uris"]:
        app = published(document["client_id"], uri.replace("127.0.0.1/", "127.0.0.1:51004/"))
        assert document["client_name"] in Browser(owner_member).visit(app.query()).content.decode()
        tokens = app.connect(owner_member)
        assert status_of(app.refresh(tokens["refresh_token"]).json()["access_token"]) == 200
        assert error_of(app.refresh(tokens["refresh_token"], client_secret="svc_cs_x")) == (401, "invalid_client")


@pytest.mark.parametrize("methods", [["private_key_jwt"], [], ["private_key_jwt", "tls_client_auth"]])
def test_a_client_with_only_private_keys_is_never_treated_as_public(
    web: Web, owner_member: Any, methods: list[str]
) -> None:
    keys = {"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": methods}
    web.documents = {CLIENT_ID: DOCUMENT | keys}
    for response in (
        Browser(owner_member).visit(published().query()),
        Browser(owner_member).decide(published().query()),
    ):
        assert response.status_code == 400
        assert b"authenticates only with a private key (private_key_jwt)" in response.content
    assert error_of(published().refresh("svc_rt_x")) == (401, "invalid_client")


def test_a_client_that_switches_to_private_keys_is_no_longer_public(web: Web, owner_member: Any) -> None:
    app = published()
    app.code(owner_member)
    web.documents = {CLIENT_ID: DOCUMENT | {"token_endpoint_auth_method": "private_key_jwt"}}
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        for _ in range(2):
            assert b"private key" in Browser(owner_member).visit(app.query()).content
        web.documents = {CLIENT_ID: DOCUMENT}
    with time_machine.travel(timezone.now() + timedelta(hours=3)):
        assert Browser(owner_member).visit(app.query()).status_code == 200


def test_an_unreadable_document_is_not_an_unknown_app(web: Web, owner_member: Any) -> None:
    """The failure is cached. A minute later the document is fetched again."""
    web.documents = {}
    for _ in range(2):
        response = Browser(owner_member).visit(published().query())
        assert response.status_code == 400
        assert b"could not be read" in response.content
        assert b"assistant.example" in response.content
    assert web.fetched == [CLIENT_ID]
    web.documents = {CLIENT_ID: DOCUMENT}
    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        assert Browser(owner_member).visit(published().query()).status_code == 200


def test_the_redirect_uri_must_be_in_the_document(web: Web, owner_member: Any) -> None:
    response = Browser(owner_member).visit(published().query(redirect_uri="https://evil.example/"))
    assert response.status_code == 400
    assert b"Published could not be connected" in response.content


def test_a_published_client_has_no_secret(web: Web, owner_member: Any) -> None:
    app = published()
    code = app.code(owner_member)
    assert app.exchange(code, client_secret="").status_code == 200
    assert app.exchange(code, client_secret="svc_cs_x").status_code == 401


def test_the_token_endpoint_fetches_nothing(web: Web) -> None:
    assert published().refresh("svc_rt_x").status_code == 401
    assert web.fetched == []


def test_a_setting_turns_them_off(web: Web, settings: Any, owner_member: Any) -> None:
    settings.OAUTH2_PROVIDER = live_settings.OAUTH2_PROVIDER | {"CIMD_ENABLED": False}
    assert Browser(owner_member).visit(published().query()).status_code == 400
    metadata = Browser(owner_member).client.get("/.well-known/oauth-authorization-server").json()
    assert metadata["client_id_metadata_document_supported"] is False
    assert web.fetched == []


def test_an_address_can_introduce_twenty_apps_an_hour(web: Web, owner_member: Any) -> None:
    """The rate limit of registration."""
    browser = Browser(owner_member)
    for number in range(21):
        last = browser.visit(published(f"https://assistant.example/{number}").query())
    assert len(web.fetched) == 20
    assert last.status_code == 429
    assert 1 <= int(last.headers["Retry-After"]) <= 3600
    assert b"Too many new apps" in last.content


def test_a_stale_document_works_while_its_host_is_down(web: Web, owner_member: Any) -> None:
    """A temporary fault of the app's site locks nobody out."""
    app = published()
    app.code(owner_member)
    web.documents = {}
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        assert answer_in(Browser(owner_member).decide(app.query()))["code"]
        assert answer_in(Browser(owner_member).decide(app.query()))["code"]


@pytest.mark.database("both")
def test_a_stale_document_is_fetched_again(web: Web, owner_member: Any) -> None:
    app = published()
    app.code(owner_member)
    web.documents = {CLIENT_ID: DOCUMENT | {"client_name": "Renamed"}}
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        page = Browser(owner_member).visit(app.query()).content
    assert b"Renamed" in page
    assert answer_in(Browser(owner_member).decide(app.query()))["code"]
