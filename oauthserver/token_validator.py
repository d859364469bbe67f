"""oauthlib's callbacks for one token request.

Each request has its own instance, with the parsed request and the presented grant. oauthlib's request only gets the
attributes that oauthlib requires: `client`, `user` and `scopes`.
"""

from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.changes.writing import writing
from oauthserver.clients import authenticates
from oauthserver.errors import InvalidGrant, UnauthorizedClient
from oauthserver.families import end_families
from oauthserver.issuing import Pair, issue
from oauthserver.models import Application
from oauthserver.presented_grant import CodeBinding, PresentedGrant
from oauthserver.resources import narrowed
from oauthserver.reuse import note_reuse
from oauthserver.token_requests import TokenRequest
from oauthserver.validator import Validator
from studyservice.operations.errors import NotFound

REUSE_TOLERANCE = timedelta(seconds=60)
"""How long after its rotation a refresh token may be reused without consequence, as by sessions of one client that
refresh at once. Later, its family ends (RFC 9700 section 4.14.2).
"""


class TokenValidator(Validator):
    """Validates one token request."""

    def __init__(self, wanted: TokenRequest, presented_grant: PresentedGrant) -> None:
        super().__init__()
        self.wanted = wanted
        self.presented_grant = presented_grant

    def client_authentication_required(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Return True: a public client authenticates with the method `none`."""
        return True

    def authenticate_client(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the client authenticated with its registered method (RFC 6749 section 2.3).

        Raises:
            UnauthorizedClient: it did, but operators have blocked it.
        """
        request.client = self.presented_grant.client
        if not authenticates(self.wanted.credentials, self.presented_grant.client):
            return False
        if self.presented_grant.blocked:
            raise UnauthorizedClient("This app was blocked by the operators of the service.")
        return True

    def validate_code(self, client_id: str, code: str, client: Application, request: Any, *args: Any) -> bool:
        """Return whether the code is live. A spent one ends its tokens (RFC 6749 section 4.1.2, RFC 9700 section 4.5).

        A request that arrived before the code was spent lost a race and ends nothing.
        """
        spent_at = self.presented_grant.spent_at
        if spent_at is not None and spent_at < self.wanted.arrived_at:
            self._end_family()
        request.user, request.scopes = self.presented_grant.member, self.presented_grant.scope.split()
        return self._is_live()

    def get_code_challenge(self, code: str, request: Any) -> str:
        """Return the challenge of the authorization request."""
        return self._binding.challenge

    def get_code_challenge_method(self, code: str, request: Any) -> str:
        """Return the challenge method (RFC 7636 section 4.3)."""
        return self._binding.challenge_method

    def get_default_redirect_uri(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> str | None:
        """Return the meaning of a missing `redirect_uri`. It may be missing only if the authorization request had none.

        RFC 6749 section 4.1.3.
        """
        return None if self._binding.redirect_uri_sent else self._binding.redirect_uri

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Application, request: Any, *args: Any
    ) -> bool:
        """Return whether this is the redirect URI that the code was sent to (RFC 6749 section 4.1.3).

        Raises:
            InvalidGrant: it is not. oauthlib itself would answer `invalid_request`.
        """
        if redirect_uri != self._binding.redirect_uri:
            raise InvalidGrant("The code was issued to another redirect_uri.")
        return True

    def invalidate_authorization_code(self, client_id: str, code: str, request: Any, *args: Any) -> None:
        """Do nothing: the code was spent before its tokens were stored. Its row stays, to detect reuse."""

    def validate_refresh_token(self, refresh_token: str, client: Application, request: Any, *args: Any) -> bool:
        """Return whether the refresh token is live. A rotated one ends its family after `REUSE_TOLERANCE`."""
        rotated_at = self.presented_grant.spent_at
        if rotated_at is not None:
            if rotated_at <= timezone.now() - REUSE_TOLERANCE:
                self._end_family()
            else:
                note_reuse(self.presented_grant)
        request.user = self.presented_grant.member
        return self._is_live()

    def get_original_scopes(self, refresh_token: str, request: Any, *args: Any, **kwargs: Any) -> str:
        """Return the scopes that the member granted, even if the last access token had fewer."""
        return self.presented_grant.scope

    def is_within_original_scope(self, request_scopes: list[str], refresh_token: str, request: Any, *args: Any) -> bool:
        """Cut a request for more scopes down to the granted ones (RFC 6749 section 3.3). The answer names them."""
        granted = self.presented_grant.scope.split()
        request.scopes = [scope for scope in request_scopes if scope in granted]
        return True

    def save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kwargs: Any) -> None:
        """Spend the presented grant and store the pair.

        Raises:
            InvalidTarget: the resource exceeds the grant.
            InvalidGrant: the presented grant was spent or ended meanwhile.
            InvalidClient: the app was deleted meanwhile.
        """
        pair = Pair(
            access_token=token["access_token"],
            refresh_token=token["refresh_token"],
            scope=token["scope"],
            resource=narrowed(self.presented_grant.resource, self.wanted.resources),
            lifetime=token["expires_in"],
        )
        try:
            issue(pair, self.presented_grant)
        except InvalidGrant:
            note_reuse(self.presented_grant)
            raise

    @property
    def _binding(self) -> CodeBinding:
        """Return the binding of the code. oauthlib asks for it only after `validate_code`."""
        assert self.presented_grant.binding is not None  # noqa: S101  # for mypy: implied by the grant type
        return self.presented_grant.binding

    def _is_live(self) -> bool:
        shown = self.presented_grant
        return shown.spent_at is None and not shown.has_ended and timezone.now() < shown.expires

    def _end_family(self) -> None:
        # A member who is gone or being deleted has no live token.
        with suppress(NotFound), writing(self.presented_grant.member.id):
            end_families(self.presented_grant.member.id, [self.presented_grant.family])
