"""Passkey checks that need no WebAuthn library, so that most processes never load it."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.encoding import punycode

MOST = 10
"""Maximum number of passkeys per member."""


def possible() -> bool:
    """Return whether passkeys work for this service: they need a domain, not an IP address."""
    try:
        ip_address(relying_party())
    except ValueError:
        return True
    return False


def relying_party() -> str:
    """Return the domain that passkeys belong to, in lower-case ASCII as browsers write it."""
    return punycode(urlsplit(settings.BASE_URL).hostname or "")
