"""Generate client ids, codes and tokens, for django-oauth-toolkit's settings."""

import re
import secrets
from typing import Any

from django.conf import settings

from studyservice.secrets.generated import new_secret


class ClientIdGenerator:
    """Generates client ids, which are not secret."""

    def hash(self) -> str:
        """Return a new `<CREDENTIAL_PREFIX>client_…`."""
        return f"{settings.CREDENTIAL_PREFIX}client_{secrets.token_urlsafe(18)}"


def is_generated(client_id: str) -> bool:
    """Return whether this is such an id, even if no app has it."""
    prefixes = "|".join(map(re.escape, (settings.CREDENTIAL_PREFIX, *settings.CREDENTIAL_PREFIX_FALLBACKS)))
    return re.fullmatch(rf"(?:{prefixes})client_[A-Za-z0-9_-]{{24}}", client_id) is not None


def access_token(request: Any) -> str:
    """Return a new access token."""
    return new_secret("at")


def refresh_token(request: Any) -> str:
    """Return a new refresh token."""
    return new_secret("rt")
