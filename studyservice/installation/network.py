"""Checks of the network: https, the certificate, and a public address."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from studyservice.fetching.connecting import is_public
from studyservice.installation.findings import Failed, Skipped, Step

TIMEOUT = 10
"""Seconds to wait for a connection or an answer."""

_RENEWAL = timedelta(days=7)
"""A certificate that ends sooner should already have been renewed; one for a few days, when a sixth of them is left."""

_EXPIRED = 10
"""X509_V_ERR_CERT_HAS_EXPIRED (OpenSSL, x509_vfy.h)."""

_RENEW = "Renew it, reload the proxy, and find out why neither happened automatically. certbot: certbot renew."

_LOOPBACK = "loopback: not checked."
_HTTPS_PORT = 443


def network_steps(url: str) -> Iterator[Step]:
    """Return the checks of the network, which come before those of the service."""
    parts = urlsplit(url)
    for name, check in (("https", _https), ("certificate", _certificate), ("public address", _public_address)):
        yield name, partial(check, parts)


def is_loopback(host: str) -> bool:
    """Return whether `host` is this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _https(parts: SplitResult) -> str:
    if parts.scheme == "https":
        return "the address is https."
    if is_loopback(parts.hostname or ""):
        raise Skipped(_LOOPBACK)
    raise Failed(
        "The address is plain http, which assistants refuse.",
        "Put a proxy with a certificate in front of the service and set BASE_URL to its https address.",
    )


def _certificate(parts: SplitResult) -> str:
    """Perform a TLS handshake that trusts the same authorities as this machine."""
    if parts.scheme != "https":
        raise Skipped(_LOOPBACK if is_loopback(parts.hostname or "") else "there is none on plain http.")
    host, port = parts.hostname or "", parts.port or _HTTPS_PORT
    context = ssl.create_default_context()
    try:
        with (
            socket.create_connection((host, port), TIMEOUT) as plain,
            context.wrap_socket(plain, server_hostname=host) as encrypted,
        ):
            shown = encrypted.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        if error.verify_code == _EXPIRED:
            raise Failed("The certificate has expired.", _RENEW) from None
        raise Failed(
            f"The certificate is not trusted: {error.verify_message}.",
            f"Install one for {host} from a public authority, with its intermediate certificates.",
        ) from None
    except OSError as error:
        raise Failed(
            f"There is no TLS on {host}:{port}: {error}.", "Check that the proxy is running and the port is open."
        ) from None
    starts, ends = (
        datetime.fromtimestamp(ssl.cert_time_to_seconds(str(shown[name])), UTC) for name in ("notBefore", "notAfter")
    )
    left = ends - datetime.now(UTC)
    if left < min(_RENEWAL, (ends - starts) / 6):
        days = f"{left.days} days" if left.days > 1 else "a day" if left.days else "less than a day"
        raise Failed(f"The certificate is valid for {days} more, until {ends:%Y-%m-%d %H:%M} UTC.", _RENEW, stops=False)
    return f"trusted until {ends:%Y-%m-%d}."


def _public_address(parts: SplitResult) -> str:
    """Check that every address is public, since clients may use any of them."""
    host = parts.hostname or ""
    if is_loopback(host):
        raise Skipped(_LOOPBACK)
    try:
        found = sorted({str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})
    except OSError as error:
        raise Failed(f"{host} has no address: {error}.", "Add an A or AAAA record for it to the DNS.") from None
    private = [address for address in found if not is_public(address)]
    if private:
        raise Failed(
            f"{host} is {', '.join(private)}, which is not reachable from the internet.",
            "Assistants connect from their providers' servers: give the name a public address. If only this "
            "machine resolves it that way, run the check from outside.",
        )
    return f"{', '.join(found)}."
