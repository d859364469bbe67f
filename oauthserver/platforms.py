"""Which callbacks belong to a platform that members know."""

from urllib.parse import urlsplit

from django.conf import settings

from oauthserver.models import Application


def is_recognized(uri: str) -> bool:
    """Whether `uri` leads to a recognized platform; what listens on a member's own machine never does."""
    parts = urlsplit(uri)
    return parts.scheme == "https" and parts.hostname in settings.RECOGNIZED_PLATFORMS


def is_verified(app: Application, redirect_uri: str | None = None) -> bool:
    """Whether `app`, calling back to `redirect_uri` or to any that it registered, is who it says."""
    uris = [redirect_uri] if redirect_uri else app.redirect_uris.split()
    return app.verified or all(map(is_recognized, uris))
