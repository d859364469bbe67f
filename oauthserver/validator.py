"""oauthlib's callbacks for clients and authorization requests. Those for token requests are in `token_validator`."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749.errors import UnsupportedResponseTypeError

from accounts.credentials.owners import add_owner
from oauthserver.metadata_documents import DocumentRefused, lasting_refusal_of, refusal_of
from oauthserver.models import Application, Grant, Hashed
from studyservice.secrets.generated import sha256

_CODE_LIFETIME = timedelta(seconds=settings.OAUTH2_PROVIDER["AUTHORIZATION_CODE_EXPIRE_SECONDS"])


class Validator(OAuth2Validator):
    """django-oauth-toolkit's validator with hashed codes and families."""

    def validate_client_id(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the client is known, or becomes known through its metadata document.

        Raises:
            DocumentRefused: its client id is a document's URL, and the document was refused.
        """
        known: bool = super().validate_client_id(client_id, request, *args, **kwargs)
        refusal = lasting_refusal_of(request.client) if known else refusal_of(client_id, request)
        if refusal is not None:
            raise DocumentRefused(refusal, request)
        return known

    def validate_response_type(
        self, client_id: str, response_type: str, client: Application, request: Any, *args: Any
    ) -> bool:
        """Return whether it is `code`.

        Raises:
            UnsupportedResponseTypeError: it is not (RFC 6749 section 4.1.2.1).
        """
        if response_type != "code":
            raise UnsupportedResponseTypeError("response_type is code.", request=request)
        return True

    def save_authorization_code(self, client_id: str, code: dict[str, str], request: Any, *args: Any) -> None:
        """Store the consent. The caller holds the locks of the member and the app."""
        code_hash = sha256(code["code"])
        add_owner(code_hash, request.user.id)
        Grant.objects.create(
            user=request.user,
            application=request.client,
            code=Hashed(code_hash),
            expires=timezone.now() + _CODE_LIFETIME,
            redirect_uri=request.redirect_uri,
            redirect_uri_sent=request.redirect_uri_sent,
            scope=" ".join(request.scopes),
            resource=request.resource,
            limits=request.limits,
            code_challenge=request.code_challenge,
            code_challenge_method=request.code_challenge_method,
        )

    def get_default_redirect_uri(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> str | None:
        """Return the redirect URI for an authorization request without one (RFC 6749 section 3.1.2.3)."""
        registered = str(request.client.default_redirect_uri)
        return registered if request.client.redirect_uri_allowed(registered) else None
