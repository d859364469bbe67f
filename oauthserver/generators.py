"""Fresh client ids, codes and tokens, for django-oauth-toolkit's settings."""

import secrets
from typing import Any

from django.conf import settings

from accounts.secrets import new_secret


class ClientIdGenerator:
    """Client ids; they are no secrets."""

    def hash(self) -> str:
        """A fresh `<CREDENTIAL_PREFIX>client_…`."""
        return f"{settings.CREDENTIAL_PREFIX}client_{secrets.token_urlsafe(18)}"


def access_token(request: Any) -> str:
    """A fresh access token."""
    return new_secret("at")


def refresh_token(request: Any) -> str:
    """A fresh refresh token."""
    return new_secret("rt")
