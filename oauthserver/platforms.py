"""Recognize well-known platforms by the callback of an app."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from oauthserver.models import Application
from oauthserver.redirect_uris import LOOPBACK, scheme_of
from studyservice.platforms import Platform

_BELOW = re.compile(r"(?:[A-Za-z0-9_\-][A-Za-z0-9._~\-]*/?)*")
"""Allowed after a path with a trailing slash: plain segments, none that browsers resolve (`..`, `%2e`)."""


@dataclass(frozen=True, slots=True)
class Destination:
    """The destination of a callback.

    Attributes:
        host: with its port, if that is not the default; for an app's own scheme `app:`.
        platform: the name of the platform at that address; empty if it is unknown.
        on_device: whether an app on the member's own device receives the answer.
    """

    host: str
    platform: str
    on_device: bool

    def __str__(self) -> str:
        if self.platform:
            return f"{self.platform} ({self.host})"
        return f"an app on your device ({self.host})" if self.on_device else self.host


def destination_of(uri: str) -> Destination:
    """Return the destination of `uri`, a registered callback or the URL of a document."""
    scheme = scheme_of(uri)
    if scheme not in ("https", "http"):
        return Destination(f"{scheme}:", "", on_device=True)
    parts = urlsplit(uri)
    host = parts.netloc.lower()
    if parts.hostname in LOOPBACK:
        return Destination(host, "", on_device=True)
    if parts.port == 443:
        host = host.removesuffix(":443")
    platform = next((row.name for row in settings.RECOGNIZED_PLATFORMS if _answers(row, uri)), "")
    return Destination(host, platform, on_device=False)


def _answers(platform: Platform, uri: str) -> bool:
    """Return whether `uri` is a callback of `platform`: the same scheme, host, port and path, and no redirect."""
    parts = urlsplit(uri)
    if (parts.scheme, parts.hostname, parts.port or 443) != ("https", platform.host, platform.port) or "?" in uri:
        return False
    if not platform.path.endswith("/"):
        return parts.path == platform.path
    return parts.path.startswith(platform.path) and bool(_BELOW.fullmatch(parts.path.removeprefix(platform.path)))


def is_verified(app: Application, redirect_uri: str | None = None) -> bool:
    """Return whether `app` was verified, or `redirect_uri` or else every registered callback belongs to a platform."""
    uris = [redirect_uri] if redirect_uri else app.redirect_uris.split()
    return app.verified or all(destination_of(uri).platform for uri in uris)


def hosts_of(app: Application) -> tuple[str, ...]:
    """Return details that distinguish `app` from another of the same name: its publisher, then its callbacks."""
    published = [app.client_id] if app.registration_source == app.RegistrationSource.CIMD else []
    found = [urlsplit(uri).netloc.lower() for uri in published]
    return tuple(dict.fromkeys([*found, *(str(destination_of(uri)) for uri in app.redirect_uris.split())]))
