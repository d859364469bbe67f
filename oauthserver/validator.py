"""What oauthlib asks about clients, codes and tokens.

Every answer about a code or a refresh token is given under the lock of its member (`oauthserver.tokens`), so that of
two requests with the same one the second sees what the first did.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749.errors import InvalidClientIdError, InvalidGrantError, UnsupportedResponseTypeError

from accounts.secrets import sha256
from oauthserver.clients import authenticated
from oauthserver.models import AccessToken, Application, Grant, RefreshToken, end_families
from oauthserver.resources import narrowed

REUSE_TOLERANCE = timedelta(seconds=60)
"""How long after its rotation a refresh token may be shown again without harm: sessions of one client that refresh at
once do that. Later, its family ends (RFC 9700 section 4.14.2)."""

_LIFETIME = {
    name: timedelta(seconds=settings.OAUTH2_PROVIDER[f"{name}_EXPIRE_SECONDS"])
    for name in ("AUTHORIZATION_CODE", "REFRESH_TOKEN")
}


class Validator(OAuth2Validator):
    """django-oauth-toolkit's validator with hashed codes, families, and client authentication as registered."""

    def client_authentication_required(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Always: a public client authenticates by the method `none`."""
        return True

    def authenticate_client(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the client authenticated by the method it is registered for (RFC 6749 section 2.3)."""
        request.client = authenticated(request.credentials)
        return request.client is not None

    def validate_response_type(
        self, client_id: str, response_type: str, client: Application, request: Any, *args: Any
    ) -> bool:
        """Whether it is `code`.

        Raises:
            UnsupportedResponseTypeError: it is not (RFC 6749 section 4.1.2.1).
        """
        if response_type != "code":
            raise UnsupportedResponseTypeError("response_type is code.", request=request)
        return True

    def save_authorization_code(self, client_id: str, code: dict[str, str], request: Any, *args: Any) -> None:
        """Store the consent.

        Raises:
            InvalidClientIdError: the registration was removed just now.
        """
        if not Application.objects.select_for_update().filter(pk=request.client.pk).values_list("pk").first():
            raise InvalidClientIdError(request=request)
        Grant.objects.create(
            user=request.user,
            application=request.client,
            code=code["code"],
            expires=timezone.now() + _LIFETIME["AUTHORIZATION_CODE"],
            redirect_uri=request.redirect_uri,
            redirect_uri_sent=request.redirect_uri_sent,
            scope=" ".join(request.scopes),
            resource=request.resource,
            code_challenge=request.code_challenge,
            code_challenge_method=request.code_challenge_method,
        )

    def validate_code(self, client_id: str, code: str, client: Application, request: Any, *args: Any) -> bool:
        """Whether `code` is live. A spent one ends what came from it (RFC 6749 section 4.1.2, RFC 9700 section 4.5).

        A request that arrived before the code was spent lost a race and ends nothing. Where the clocks of two servers
        disagree about that, what it found before its turn decides.
        """
        grant = Grant.objects.select_related("user").filter(code=code, application=client, user__is_active=True).first()
        if grant is None:
            return False
        if grant.spent_at is not None:
            if grant.spent_at < request.arrived_at and not request.was_live:
                end_families([grant.token_family])
            return False
        if grant.expires <= timezone.now():
            return False
        request.grant, request.user, request.scopes = grant, grant.user, grant.scope.split()
        return True

    def get_code_challenge(self, code: str, request: Any) -> str:
        """The challenge that came with the authorization request."""
        return str(request.grant.code_challenge)

    def get_code_challenge_method(self, code: str, request: Any) -> str:
        """Its method."""
        return str(request.grant.code_challenge_method)

    def get_default_redirect_uri(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> str | None:
        """What a missing `redirect_uri` means.

        At the token endpoint it may miss only if the authorization request had none (RFC 6749 section 4.1.3).
        """
        grant: Grant | None = getattr(request, "grant", None)
        if grant is not None:
            return None if grant.redirect_uri_sent else str(grant.redirect_uri)
        return str(request.client.default_redirect_uri)

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Application, request: Any, *args: Any
    ) -> bool:
        """Whether it is the one the code was sent to (RFC 6749 section 4.1.3).

        Raises:
            InvalidGrantError: it is not; oauthlib by itself would say `invalid_request`.
        """
        if redirect_uri != request.grant.redirect_uri:
            raise InvalidGrantError("The code was issued to another redirect_uri.", request=request)
        return True

    def invalidate_authorization_code(self, client_id: str, code: str, request: Any, *args: Any) -> None:
        """Mark the code as spent; it stays, to be known when it is shown again."""
        Grant.objects.filter(pk=request.grant.pk).update(spent_at=timezone.now())

    def validate_refresh_token(self, refresh_token: str, client: Application, request: Any, *args: Any) -> bool:
        """Whether `refresh_token` is live. A rotated one ends its family after `REUSE_TOLERANCE`."""
        now = timezone.now()
        mine = RefreshToken.objects.filter(application=client, user__is_active=True)
        held = mine.select_related("user").filter(token_checksum=sha256(refresh_token)).first()
        if held is None:
            return False
        if held.revoked is not None:
            if held.revoked <= now - REUSE_TOLERANCE and not request.was_live:
                end_families([held.token_family])
            return False
        request.rotated, request.user = held, held.user
        return bool(held.expires > now)

    def get_original_scopes(self, refresh_token: str, request: Any, *args: Any, **kwargs: Any) -> str:
        """What the member allowed, however narrow the last access token was."""
        return str(request.rotated.scope)

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kwargs: Any) -> None:
        """Store a pair; rotate the refresh token that it came from.

        Raises:
            InvalidTarget: the resource goes beyond the grant.
        """
        now = timezone.now()
        rotated: RefreshToken | None = getattr(request, "rotated", None)
        source = rotated or request.grant
        access_token = AccessToken(
            user=request.user,
            application=request.client,
            token_family=source.token_family,
            scope=token["scope"],
            resource=narrowed(source.resource, request.resources),
            expires=now + timedelta(seconds=token["expires_in"]),
        )
        self._set_token_value(access_token, token["access_token"])
        access_token.save(force_insert=True)
        refresh_token = RefreshToken(
            user=request.user,
            application=request.client,
            token_family=source.token_family,
            scope=source.scope,
            resource=source.resource,
            access_token=access_token,
            expires=now + _LIFETIME["REFRESH_TOKEN"],
        )
        self._set_token_value(refresh_token, token["refresh_token"])
        refresh_token.save(force_insert=True)
        if rotated:
            RefreshToken.objects.filter(pk=rotated.pk).update(revoked=now, access_token=None)
        Application.objects.filter(pk=request.client.pk, first_token_at=None).update(first_token_at=now)
