"""No secret is stored, logged or shown (decisions 10)."""

import json
import logging
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.test import Client

from tests.support.cases import each
from tests.support.oauth import App, status_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def secrets_used(owner_member: Any, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Every secret of a complete flow: client secret, codes and tokens, both spent and valid."""
    caplog.set_level(logging.DEBUG)
    app = App.registered(token_endpoint_auth_method="client_secret_post")
    spent, fresh = app.code(owner_member), app.code(owner_member)
    first = app.exchange(spent).json()
    second = app.refresh(first["refresh_token"]).json()
    app.refresh(first["refresh_token"])
    app.exchange(fresh, code_verifier="wrong")
    app.revoke(second["access_token"])
    status_of(first["access_token"])
    tokens = [pair[name] for pair in (first, second) for name in ("access_token", "refresh_token")]
    return [app.registration["client_secret"], spent, fresh, *tokens]


def test_no_secret_is_stored(secrets_used: list[str]) -> None:
    stored = StringIO()
    models = {f"oauthserver.{name}" for name in ("application", "grant", "accesstoken", "refreshtoken")}
    call_command("dumpdata", *models, stdout=stored)
    assert {row["model"] for row in json.loads(stored.getvalue())} == models
    for secret in secrets_used:
        assert secret not in stored.getvalue()
        assert secret.split("_", 2)[2] not in stored.getvalue()


def test_no_secret_is_logged(secrets_used: list[str], caplog: pytest.LogCaptureFixture) -> None:
    """Not even in debug messages of the libraries."""
    lines = [f"{record.getMessage()} {vars(record)}" for record in caplog.get_records("setup")]
    assert any("/oauth/token" in line for line in lines)
    for secret in secrets_used:
        assert not [line for line in lines if secret in line]


def test_no_column_can_hold_a_token() -> None:
    for model in apps.get_app_config("oauthserver").get_models():
        assert "token" not in {field.name for field in model._meta.get_fields()}


def test_no_password_hash_is_computed_for_clients(owner_member: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets with 256 random bits need none, and it would slow the token endpoint."""
    from django.contrib.auth import hashers

    app = App.registered(token_endpoint_auth_method="client_secret_basic")
    code = app.code(owner_member)
    monkeypatch.setattr(hashers, "make_password", None)
    monkeypatch.setattr(hashers, "check_password", None)
    assert App.registered(token_endpoint_auth_method="client_secret_basic").id
    assert app.exchange(code).status_code == 200


@each(
    "path", ["application/", "refreshtoken/", "connectedmember/", "application/{app}/change/", "refreshtoken/?q=owner"]
)
def test_no_secret_is_shown_in_the_admin(secrets_used: list[str], make_member: Any, path: str) -> None:
    from oauthserver.models import Application
    from studyservice.secrets.generated import sha256

    client = Client()
    client.force_login(make_member(is_staff=True, is_superuser=True))
    response = client.get("/admin/oauthserver/" + path.format(app=Application.objects.get().pk))
    assert response.status_code == 200
    page = response.content.decode()
    for secret in secrets_used:
        assert secret not in page
        assert sha256(secret) not in page
