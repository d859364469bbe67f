"""Find the owner of a token or a client secret, for `accounts.operators.credentials_admin`."""

from django.urls import reverse

from accounts.credentials.owners import owner_of
from oauthserver.models import AccessToken, Application, RefreshToken, live_refresh_tokens
from studyservice.secrets.generated import sha256


def find_access_token(secret: str) -> str | None:
    """Find an access token. Return the page of its connection."""
    checksum = sha256(secret)
    owner = owner_of(checksum)
    found = AccessToken.objects.filter(user_id=owner, token_checksum=checksum).first() if owner else None
    return None if found is None else _connection(found)


def find_refresh_token(secret: str) -> str | None:
    """Find a refresh token, rotated or not. Return the page of its connection."""
    checksum = sha256(secret)
    owner = owner_of(checksum)
    found = RefreshToken.objects.filter(user_id=owner, token_checksum=checksum).first() if owner else None
    return None if found is None else _connection(found)


def find_client_secret(secret: str) -> str | None:
    """Find an app's secret. Return the page of the app."""
    found = Application.objects.filter(client_secret=secret).values_list("id", flat=True).first()
    return None if found is None else reverse("admin:oauthserver_application_change", args=[found])


def _connection(token: AccessToken | RefreshToken) -> str | None:
    """Return the list of connections, filtered to the token's."""
    live = live_refresh_tokens().filter(user_id=token.user_id, token_family=token.token_family).first()
    return None if live is None else reverse("admin:oauthserver_refreshtoken_changelist", query={"q": str(live.pk)})
