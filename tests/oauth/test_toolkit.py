"""The parts of django-oauth-toolkit and oauthlib that docs/toolkit.md relies on. Fails if they change."""

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from oauth2_provider.models import AbstractAccessToken, AbstractApplication, AbstractGrant, AbstractRefreshToken
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.views.mixins import OAuthLibMixin
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import AuthorizationCodeGrant
from oauthlib.oauth2.rfc6749.grant_types.refresh_token import RefreshTokenGrant
from oauthlib.oauth2.rfc6749.tokens import BearerToken

import oauthserver
from oauthserver import models
from tests.support.cases import each
from tests.support.oauth import App

LIBRARIES = {"oauth2_provider", "oauthlib"}


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The library methods that requests passed through."""
    seen: set[str] = set()

    def watch(owner: type, name: str) -> None:
        original = getattr(owner, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            seen.add(f"{owner.__name__}.{name}")
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, watched)

    for owner, name in [
        (OAuthLibMixin, "validate_authorization_request"),
        (OAuthLibMixin, "create_token_response"),
        (OAuthLibCore, "validate_authorization_request"),
        (OAuthLibCore, "create_token_response"),
        (OAuth2Validator, "validate_scopes"),
        (OAuth2Validator, "validate_grant_type"),
        (AuthorizationCodeGrant, "validate_authorization_request"),
        (AuthorizationCodeGrant, "create_authorization_response"),
        (AuthorizationCodeGrant, "create_token_response"),
        (AuthorizationCodeGrant, "validate_code_challenge"),
        (RefreshTokenGrant, "create_token_response"),
        (BearerToken, "create_token"),
    ]:
        watch(owner, name)
    return seen


@pytest.mark.django_db
def test_a_consent_and_an_exchange_use_the_libraries(owner_member: Any, passed: set[str]) -> None:
    App.registered().connect(owner_member)
    assert passed == {
        "OAuthLibMixin.validate_authorization_request",
        "OAuthLibMixin.create_token_response",
        "OAuthLibCore.validate_authorization_request",
        "OAuthLibCore.create_token_response",
        "OAuth2Validator.validate_scopes",
        "OAuth2Validator.validate_grant_type",
        "AuthorizationCodeGrant.validate_authorization_request",
        "AuthorizationCodeGrant.create_authorization_response",
        "AuthorizationCodeGrant.create_token_response",
        "AuthorizationCodeGrant.validate_code_challenge",
        "BearerToken.create_token",
    }


@pytest.mark.django_db
def test_a_refresh_uses_the_libraries(owner_member: Any, passed: set[str]) -> None:
    app = App.registered()
    tokens = app.connect(owner_member)
    passed.clear()
    assert app.refresh(tokens["refresh_token"]).status_code == 200
    assert passed == {
        "OAuthLibMixin.create_token_response",
        "OAuthLibCore.create_token_response",
        "OAuth2Validator.validate_grant_type",
        "RefreshTokenGrant.create_token_response",
        "BearerToken.create_token",
    }


def ours() -> Iterator[type]:
    """Every class of the authorization server."""
    for module in pkgutil.iter_modules(oauthserver.__path__, "oauthserver."):
        if not module.ispkg:
            for value in vars(import_module(module.name)).values():
                if inspect.isclass(value) and value.__module__ == module.name:
                    yield value


def test_no_private_name_of_a_library_is_overridden() -> None:
    overridden = {
        f"{mine.__name__}.{name}"
        for mine in ours()
        for base in mine.__mro__[1:]
        if base.__module__.split(".")[0] in LIBRARIES
        for name in vars(mine).keys() & vars(base).keys()
        if name.startswith("_") and not name.startswith("__") and name != "_meta"
    }
    assert overridden == set()


def test_overridden_methods_exist() -> None:
    """Otherwise a method that a library no longer calls would silently disable a rule."""
    from oauthserver.server import Validator
    from oauthserver.token_validator import TokenValidator

    for mine in (Validator, TokenValidator):
        public = {name for name, value in vars(mine).items() if inspect.isfunction(value) and not name.startswith("_")}
        assert {name for name in public if not callable(getattr(OAuth2Validator, name, None))} == set()


@each(
    ("mine", "base"),
    [
        (models.Application, AbstractApplication),
        (models.Grant, AbstractGrant),
        (models.AccessToken, AbstractAccessToken),
        (models.RefreshToken, AbstractRefreshToken),
    ],
)
def test_every_field_of_the_toolkit_is_known(mine: Any, base: Any) -> None:
    """A new field may hold something that this service neither writes nor hashes."""
    dropped = {
        "Application": {
            "user",
            "skip_authorization",
            "hash_client_secret",
            "post_logout_redirect_uris",
            "allowed_origins",
            "algorithm",
        },
        "Grant": {"nonce", "claims"},
        "AccessToken": {"token", "id_token", "source_refresh_token"},
        "RefreshToken": {"token"},
    }
    theirs = {field.name for field in base._meta.get_fields()}
    kept = {field.name for field in mine._meta.get_fields()}
    assert theirs - kept == dropped[mine.__name__]
