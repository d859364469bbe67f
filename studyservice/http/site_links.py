"""Template context of every page: links to the operators."""

from django.conf import settings
from django.http import HttpRequest


def site_links(request: HttpRequest) -> dict[str, str]:
    """Return `contact_url`, `privacy_url` and `terms_url`, empty if the operators did not set them."""
    return {
        "contact_url": settings.CONTACT_URL,
        "privacy_url": settings.PRIVACY_URL,
        "terms_url": settings.TERMS_URL,
    }
