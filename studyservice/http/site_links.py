"""Template context of every page: who runs the service."""

from django.conf import settings
from django.http import HttpRequest


def site_links(request: HttpRequest) -> dict[str, str]:
    """Template variables `contact_url`, `privacy_url` and `terms_url`; empty are those that the operators left out."""
    return {
        "contact_url": settings.CONTACT_URL,
        "privacy_url": settings.PRIVACY_URL,
        "terms_url": settings.TERMS_URL,
    }
