"""Client authentication at the token endpoint, as registered (RFC 6749 sections 2.3 and 5.2)."""

import base64
from typing import Any

import pytest

from tests.support.cases import each
from tests.support.oauth import App, error_of, post_form

pytestmark = [pytest.mark.database("sqlite", "client authentication"), pytest.mark.django_db]

METHODS = ["none", "client_secret_basic", "client_secret_post"]


def basic(client_id: str, secret: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{client_id}:{secret}".encode()).decode()}


def refused(response: Any) -> None:
    """RFC 6749 section 5.2: 401 with a matching challenge."""
    assert error_of(response) == (401, "invalid_client")
    assert response.headers["WWW-Authenticate"].startswith('Basic realm="')


@each("method", METHODS)
def test_the_registered_method_works(method: str, owner_member: Any) -> None:
    app = App.registered(token_endpoint_auth_method=method)
    tokens = app.connect(owner_member)
    assert app.refresh(tokens["refresh_token"]).status_code == 200


@each("registered", METHODS)
@each("used", METHODS)
def test_another_method_is_rejected(registered: str, used: str, owner_member: Any) -> None:
    app = App.registered(token_endpoint_auth_method=registered)
    code = app.code(owner_member)
    app.registration = {"client_secret": "svc_cs_made_up"} | app.registration | {"token_endpoint_auth_method": used}
    if registered == used:
        assert app.exchange(code).status_code == 200
    else:
        refused(app.exchange(code))


@pytest.mark.database("both")
@each("used", ["client_secret_basic", "client_secret_post"])
def test_a_client_without_a_registered_method_can_use_either(used: str, owner_member: Any) -> None:
    app = App.registered(token_endpoint_auth_method=None).by(used)
    tokens = app.connect(owner_member)
    assert app.refresh(tokens["refresh_token"]).status_code == 200


@each("used", METHODS)
def test_a_client_without_a_registered_method_needs_its_secret(used: str, owner_member: Any) -> None:
    app = App.registered(token_endpoint_auth_method=None)
    code = app.code(owner_member)
    refused(app.by(used, "svc_cs_made_up").exchange(code))
    assert app.exchange(code).status_code == 200


@each("method", ["client_secret_basic", "client_secret_post"])
@each("secret", ["", "svc_cs_wrong", "x" * 10_000, "nul%00", "ä"])
def test_a_wrong_secret_is_rejected(method: str, secret: str) -> None:
    app = App.registered(token_endpoint_auth_method=method)
    app.registration["client_secret"] = secret
    refused(app.exchange("svc_ac_x"))


def test_a_stored_hash_does_not_work_as_a_secret() -> None:
    from studyservice.secrets.generated import sha256

    app = App.registered(token_endpoint_auth_method="client_secret_post")
    app.registration["client_secret"] = sha256(app.registration["client_secret"])
    refused(app.exchange("svc_ac_x"))


@each("client_id", [None, "", "svcclient_unknown", "ä", "x" * 10_000])
def test_an_unknown_client_is_rejected(client_id: str | None) -> None:
    fields = {"grant_type": "refresh_token", "refresh_token": "svc_rt_x"}
    refused(post_form("/oauth/token", fields | ({} if client_id is None else {"client_id": client_id})))


def test_a_deleted_client_is_rejected(owner_member: Any) -> None:
    """Clients that learn of their deletion register again."""
    from oauthserver.models import Application

    app = App.registered()
    tokens = app.connect(owner_member)
    Application.objects.get(client_id=app.id).delete()
    refused(app.refresh(tokens["refresh_token"]))


def test_two_methods_at_once_are_rejected() -> None:
    app = App.registered(token_endpoint_auth_method="client_secret_basic")
    response = app.exchange("svc_ac_x", client_secret=app.registration["client_secret"])
    assert error_of(response) == (400, "invalid_request")


def test_two_clients_at_once_are_rejected() -> None:
    app = App.registered(token_endpoint_auth_method="client_secret_basic")
    assert error_of(app.exchange("svc_ac_x", client_id=App.registered().id)) == (400, "invalid_request")


def test_a_public_client_that_sends_a_secret_is_rejected() -> None:
    refused(App.registered().exchange("svc_ac_x", client_secret="svc_cs_x"))


@each(
    "header",
    ["Basic", "Basic ", "Basic !!!", "Basic /w==", "Basic YWJj", "Bearer svc_at_x", "Digest x", "", "Basic AGE6Yg=="],
)
def test_an_unreadable_header_is_rejected(header: str) -> None:
    fields = {"grant_type": "refresh_token", "refresh_token": "svc_rt_x"}
    refused(post_form("/oauth/token", fields, Authorization=header))


def test_the_parts_of_the_header_are_form_encoded(owner_member: Any) -> None:
    """RFC 6749 section 2.3.1."""
    app = App.registered(token_endpoint_auth_method="client_secret_basic")
    code = app.code(owner_member)
    escaped = "".join(f"%{ord(character):02X}" for character in app.registration["client_secret"])
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": app.redirect_uri,
        "code_verifier": app.verifier,
    }
    assert post_form("/oauth/token", fields, **basic(app.id, escaped)).status_code == 200
