"""Checks of the network: https, the certificate and a public address, and the proxy in front of the service."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import httpx2
from django.conf import settings

from studyservice import __version__
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


_UPLOAD_BYTES = 11 * 2**20
"""The largest form with a file (docs/operating.md, Proxies)."""

_INVENTED = ("192.0.2.1", "192.0.2.2")
"""Addresses for documentation (RFC 5737), which no client has."""


def proxy_steps() -> Iterator[Step]:
    """Return the steps that call `BASE_URL` like a browser and a client. Each needs the ones before."""
    https, certificate, *_ = network_steps(settings.BASE_URL)
    if settings.BASE_URL.startswith("https://"):
        yield https
        yield certificate
    yield "server", _server
    yield "X-Forwarded-Proto", _forwarded_proto
    yield "X-Forwarded-For", partial(_forwarded_for, tries=2)
    yield "uploads", _uploads
    yield "plain http", _plain_http


def _ask(url: str, headers: dict[str, str] | None = None, body: bytes | None = None) -> httpx2.Response:
    """GET `url`, or POST a body to it."""
    method, sent = "GET" if body is None else "POST", {"User-Agent": "checkinstall"} | (headers or {})
    context = ssl.create_default_context()
    return httpx2.request(method, url, content=body, headers=sent, timeout=TIMEOUT, verify=context)


def _server() -> str:
    """Check that this version answers at `BASE_URL`, and that it is ready."""
    url = f"{settings.BASE_URL}/health/ready"
    try:
        answer = _ask(url)
    except httpx2.HTTPError as error:
        raise Failed(
            f"{url}: {error}.", "Start the server, and check that the proxy forwards to HOST and PORT."
        ) from None
    try:
        told = answer.json()
        version, checks = told["version"], told["checks"]
    except (ValueError, KeyError, TypeError):
        raise Failed(
            f"{url} answered {answer.status_code}, but not from this service.",
            "Check which server BASE_URL reaches, and that the proxy forwards every path.",
        ) from None
    if version != __version__:
        raise Failed(f"The server runs {version}, and this is {__version__}.", "Restart the server.")
    down = sorted(name for name, state in checks.items() if state != "ok")
    if down:
        raise Failed(
            f"The server says that these are down: {', '.join(down)}.",
            "Fix those steps. The server reconnects to the database and Redis without a restart; restart it after "
            "`migrate` or `collectstatic`.",
        )
    _require_base_url()
    return f"{version} answers at {settings.BASE_URL}."


def _require_base_url() -> None:
    """Check that the server was started with this `BASE_URL`. It calls itself by the one that it knows."""
    answer = _ask(f"{settings.BASE_URL}/.well-known/oauth-authorization-server")
    try:
        known = str(answer.json()["issuer"])
    except (ValueError, KeyError, TypeError):
        known = ""
    if known != settings.BASE_URL:
        raise Failed(
            f"The server was started with BASE_URL {known}."
            if known
            else f"The server refuses its host name: it was started with another BASE_URL than {settings.BASE_URL}.",
            "Restart the server and the schedule, which read the environment only at their start. With containers: "
            "docker compose up --detach.",
        )


def _forwarded_proto() -> str:
    """Check that a page over https does not redirect to itself."""
    if not settings.BASE_URL.startswith("https://"):
        raise Skipped("there is no https.")
    answer = _ask(f"{settings.BASE_URL}/sign-in")
    if answer.status_code == HTTPStatus.OK:
        return "the service recognizes https."
    raise Failed(
        f"/sign-in answered {answer.status_code} instead of the page.",
        "Make the proxy set X-Forwarded-Proto to the scheme of the request, and set TRUSTED_PROXIES.",
    )


def _forwarded_for(tries: int) -> str:
    """Check that two calls with invented addresses count against one window, that of the true address."""
    if not settings.TRUSTED_PROXIES and settings.BASE_URL.startswith("https://"):
        raise Failed(
            "It is not believed, as TRUSTED_PROXIES is 0: all clients share the rates of the proxy's address.",
            "Set TRUSTED_PROXIES to the number of proxies, 1 for a single one, also on this machine. Then restart the "
            "server.",
            stops=False,
        )
    if not settings.TRUSTED_PROXIES:
        return "not believed, as TRUSTED_PROXIES is 0."
    (first, _), (second, reset) = (_window(address) for address in _INVENTED)
    if second < first or second == 0:
        return "the service determines the client's address, whatever the client sends."
    if tries > 1 and reset > 55:  # the minute ended between the two
        return _forwarded_for(tries - 1)
    raise Failed(
        "A client can choose the address for its rate limit.",
        "Make the proxy append the client's address to X-Forwarded-For or replace the header, and set TRUSTED_PROXIES "
        "to the number of proxies.",
    )


def _window(address: str) -> tuple[int, int]:
    """Return the remaining requests of an anonymous caller, and the seconds until the window ends."""
    answer = _ask(f"{settings.BASE_URL}/v1/me", {"X-Forwarded-For": address})
    try:
        return int(answer.headers["RateLimit-Remaining"]), int(answer.headers["RateLimit-Reset"])
    except (KeyError, ValueError):
        raise Failed(
            f"/v1/me answered {answer.status_code} without RateLimit-Remaining.",
            "Make the proxy forward every path and the response headers.",
        ) from None


def _uploads() -> str:
    """Check that the proxy passes a file of the largest size. The service refuses it, for want of a credential."""
    advice = (
        "Let the proxy pass bodies of 12 MiB, and larger archives, as in deploy/nginx.conf and deploy/Caddyfile. "
        "Without client_max_body_size nginx passes 1 MiB."
    )
    try:
        answer = _ask(f"{settings.BASE_URL}/mcp", {"Content-Type": "application/json"}, bytes(_UPLOAD_BYTES))
    except httpx2.HTTPError as error:
        raise Failed(
            f"A body of {_UPLOAD_BYTES // 2**20} MiB was not answered: {error}.", advice, stops=False
        ) from None
    if "X-Request-Id" not in answer.headers:
        raise Failed(
            f"The proxy answers a body of {_UPLOAD_BYTES // 2**20} MiB with {answer.status_code}.", advice, stops=False
        )
    return f"the proxy passes bodies of {_UPLOAD_BYTES // 2**20} MiB."


def _plain_http() -> str:
    """Check that no client can claim https over plain http."""
    parts = urlsplit(settings.BASE_URL)
    if parts.scheme != "https" or parts.port not in {None, 443}:
        raise Skipped("BASE_URL is not https at port 443.")
    try:
        answer = _ask(f"http://{parts.hostname}/sign-in", {"X-Forwarded-Proto": "https"})
    except httpx2.HTTPError:
        return "nobody answers."
    if answer.status_code == HTTPStatus.OK:
        raise Failed(
            "A client that sends X-Forwarded-Proto gets pages over plain http.",
            "Make the proxy overwrite X-Forwarded-Proto, and redirect http to https.",
        )
    return f"answered with {answer.status_code}, not with a page."
