"""The address of the client, as far as the proxies in front may be believed."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The client's IP address.

    With `TRUSTED_PROXIES=n` it is the n-th entry of `X-Forwarded-For` from the right: each trusted proxy appends the
    peer it saw, and whatever stands further left came from the client. A header that is missing, too short or not an
    address is not believed, and the peer of the connection counts.
    """
    peer: str = request.META.get("REMOTE_ADDR", "")
    trusted: int = settings.TRUSTED_PROXIES
    if trusted == 0:
        return peer
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    if len(forwarded) < trusted:
        return peer
    try:
        return str(ipaddress.ip_address(forwarded[-trusted].strip()))
    except ValueError:
        return peer
