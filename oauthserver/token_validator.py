"""oauthlib's callbacks for one token request, inside its transaction.

The view locks the member (`oauthserver.tokens`). Here the app is locked next, then the code or the refresh token. What
a callback reads under these locks stays true until the commit.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from oauth2_provider.settings import oauth2_settings
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, UnauthorizedClientError

from accounts.credentials.owners import add_owner
from oauthserver.clients import ClientCredentials, locked_app, narrowed
from oauthserver.consents import end_families, is_blocked, scopes_from, written
from oauthserver.models import AccessToken, Application, Grant, RefreshToken
from oauthserver.server import Validator
from studyservice.rows.limits import Limits
from studyservice.secrets.generated import sha256

logger = logging.getLogger("oauthserver.reuse")

REUSE_TOLERANCE = timedelta(seconds=60)
"""How long after its rotation a refresh token may be reused without consequence, as by sessions of one client that
refresh at once. Later, its family ends (RFC 9700 section 4.14.2).
"""


@dataclass(eq=False)
class TokenValidator(Validator):
    """Validates one token request, and stores its tokens.

    Attributes:
        credentials: the client's.
        presented: the row of the code or refresh token, if there is one.
        spent_column: when a code was exchanged or a refresh token rotated; None while it works.
        spent_at: its value before this request waited for the member's lock. It decides whether a spent one is a
            second use or lost a race, so no clocks of different servers are compared.
        resources: the requested ones.
        consent: what the code or refresh token belongs to, once it was found for the authenticated client.
    """

    credentials: ClientCredentials
    presented: QuerySet[Any]
    spent_column: str
    spent_at: datetime | None
    resources: tuple[str, ...]
    consent: Grant | None = None

    def client_authentication_required(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Return True: a public client authenticates with the method `none`."""
        return True

    def authenticate_client(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the client authenticated with its registered method (RFC 6749 section 2.3).

        Raises:
            UnauthorizedClientError: it did, but operators have blocked it.
        """
        request.client = locked_app(self.credentials.client_id)
        if request.client is None or not self.credentials.authenticate(request.client):
            return False
        if is_blocked(request.client.client_id):
            raise UnauthorizedClientError("This app was blocked by the operators of the service.")
        return True

    def validate_code(self, client_id: str, code: str, client: Application, request: Any, *args: Any) -> bool:
        """Return whether the code is live. A spent one ends its tokens (RFC 6749 section 4.1.2, RFC 9700 section 4.5).

        A request that arrived before the code was spent lost a race and ends nothing.
        """
        consent = self._find_consent(self.presented.filter(application=client))
        if consent is None:
            return False
        if self.spent_at is not None:
            end_families(consent.user_id, [consent.token_family])
        request.user, request.scopes = consent.user, consent.scope.split()
        return consent.spent_at is None and _is_live(consent, consent.expires)

    def get_code_challenge(self, code: str, request: Any) -> str:
        """Return the challenge of the authorization request."""
        return self._consented.code_challenge

    def get_code_challenge_method(self, code: str, request: Any) -> str:
        """Return the challenge method (RFC 7636 section 4.3)."""
        return self._consented.code_challenge_method

    def get_default_redirect_uri(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> str | None:
        """Return the meaning of a missing `redirect_uri`. It may be missing only if the authorization request had none.

        RFC 6749 section 4.1.3.
        """
        return None if self._consented.redirect_uri_sent else self._consented.redirect_uri

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Application, request: Any, *args: Any
    ) -> bool:
        """Return whether this is the redirect URI that the code was sent to (RFC 6749 section 4.1.3).

        Raises:
            InvalidGrantError: it is not. oauthlib itself would answer `invalid_request`.
        """
        if redirect_uri != self._consented.redirect_uri:
            raise InvalidGrantError("The code was issued to another redirect_uri.")
        return True

    def invalidate_authorization_code(self, client_id: str, code: str, request: Any, *args: Any) -> None:
        """Do nothing: `save_bearer_token` spends the code. Its row stays, to detect reuse."""

    def validate_refresh_token(self, refresh_token: str, client: Application, request: Any, *args: Any) -> bool:
        """Return whether the refresh token is live. A rotated one ends its family after `REUSE_TOLERANCE`."""
        token = self.presented.filter(application=client).select_for_update().first()
        if token is None:
            return False
        consent = self._find_consent(Grant.objects.filter(user_id=token.user_id, token_family=token.token_family))
        if consent is None:
            return False
        if token.revoked is None:
            request.user = consent.user
            if request.scope:
                # More than the granted scopes is cut down to them (RFC 6749 section 3.3). The answer names them.
                request.scope = written(scopes_from(request.scope) & scopes_from(consent.scope))
            return _is_live(consent, token.expires)
        if self.spent_at is not None and self.spent_at <= timezone.now() - REUSE_TOLERANCE:
            end_families(consent.user_id, [consent.token_family])
        else:
            # A careless client, or a quick thief. The key page shows it.
            Grant.objects.filter(user_id=consent.user_id, pk=consent.pk).update(reused_at=timezone.now())
            logger.warning(
                "A refresh token of app %s was used twice (member %s, connection %s)",
                client.client_id,
                consent.user_id,
                consent.token_family,
            )
        return False

    def get_original_scopes(self, refresh_token: str, request: Any, *args: Any, **kwargs: Any) -> str:
        """Return the scopes that the member granted, even if the last access token had fewer."""
        return self._consented.scope

    def save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kwargs: Any) -> None:
        """Spend the code or refresh token, and store the new tokens of its family.

        Raises:
            InvalidTarget: the resource exceeds the grant.
        """
        consent, app, now = self._consented, request.client, timezone.now()
        resource = narrowed(consent.resource, self.resources)
        self.presented.update(**{self.spent_column: now})
        self._store(
            AccessToken, app, token["access_token"], token["expires_in"], scope=token["scope"], resource=resource
        )
        lifetime = oauth2_settings.REFRESH_TOKEN_EXPIRE_SECONDS
        self._store(RefreshToken, app, token["refresh_token"], lifetime, scope=consent.scope, resource=consent.resource)
        if app.first_token_at is None:
            Application.objects.filter(pk=app.pk).update(first_token_at=now)

    def _store(
        self, model: type[AccessToken | RefreshToken], app: Application, secret: str, seconds: int, **granted: str
    ) -> None:
        consent, secret_hash = self._consented, sha256(secret)
        add_owner(secret_hash, consent.user_id)
        model.objects.create(
            user_id=consent.user_id,
            application=app,
            token_family=consent.token_family,
            token_checksum=secret_hash,
            expires=timezone.now() + timedelta(seconds=seconds),
            **granted,
        )

    def _find_consent(self, consents: QuerySet[Grant]) -> Grant | None:
        """Lock and remember the consent, if its member is active."""
        consents = consents.filter(user__is_active=True).select_related("user")
        self.consent = consents.select_for_update(of=("self",)).first()
        return self.consent

    @property
    def _consented(self) -> Grant:
        """Return the consent. oauthlib asks for it only after it was found."""
        assert self.consent is not None  # noqa: S101  # for mypy: implied by the order of the callbacks
        return self.consent


def _is_live(consent: Grant, expires: datetime) -> bool:
    return timezone.now() < expires and not Limits.of(consent.limits).have_ended(consent.user.today())
