"""Rules for redirect URIs (spec, Client registration), how registered ones match, and where they lead."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from studyservice.platforms import Platform

MAX_REDIRECT_URIS = 10
"""Redirect URIs per client (spec, Limits)."""

MAX_LENGTH = 2000
"""Maximum characters of a redirect URI. With a code and a state added it still fits in a request line."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts whose plain http never leaves the machine."""

# fmt: off
NOT_PRIVATE = frozenset({
    # Schemes that browsers and systems handle themselves.
    "about", "blob", "brave", "chrome", "cid", "content", "data", "edge", "feed", "file", "filesystem", "hcp", "help",
    "intent", "its", "jar", "javascript", "livescript", "mhtml", "mid", "mk", "mocha", "opera", "pcast", "res",
    "resource", "vbscript", "view-source", "vivaldi", "wyciwyg",
    # Schemes that start a program or an installer with arguments from the URI.
    "android-app", "app-settings", "applescript", "apt", "cmd", "itms", "itms-apps", "itms-appss", "itms-services",
    "jnlp", "jnlps", "market", "microsoft-edge", "powershell", "prefs", "search", "shell", "shortcuts", "wscript",
    "wsh",
    # Network protocols.
    "acap", "afp", "callto", "cifs", "dav", "davs", "dict", "dns", "facetime", "facetime-audio", "finger", "ftp",
    "ftps", "geo", "git", "gopher", "h323", "imap", "imaps", "irc", "ircs", "ldap", "ldaps", "magnet", "mailto", "mms",
    "news", "nfs", "nntp", "pop", "rdp", "rlogin", "rsync", "rtsp", "sftp", "sip", "sips", "skype", "smb", "smbs",
    "sms", "smsto", "snmp", "ssh", "svn", "tel", "telnet", "tftp", "tn3270", "turn", "urn", "vnc", "webcal", "ws",
    "wss", "xmpp",
})
# fmt: on
"""Schemes with a meaning in browsers or systems, which no desktop app can own. This is a deny list, because apps have
schemes of every form: `myapp://` must work. Windows alone has hundreds.
"""

NOT_PRIVATE_BEGINNINGS = ("chrome-", "moz-", "ms-", "safari-", "search-", "svn+", "x-apple", "x-man-page", "x-webkit")
"""Prefixes of such schemes: `ms-settings`, `search-ms`, `chrome-extension`."""

_CHARACTERS = re.compile(r"(?:[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+")
"""The characters of RFC 3986 section 2, except the `#` of a fragment."""

_BAD_AUTHORITY = "The host or the port of a redirect URI is not valid."
_HOST = re.compile(r"[A-Za-z0-9._\-]+|\[[0-9A-Fa-f:.]+\]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_LOOPBACK_URI = re.compile(r"(http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::([0-9]{1,5}))?([/?].*)?", re.IGNORECASE)


def scheme_of(uri: str) -> str:
    """Return the scheme in lower case; empty without one."""
    found = _SCHEME.match(uri)
    return found[1].lower() if found else ""


def fault_of(uri: str) -> str | None:  # noqa: PLR0911  # one return for each rule
    """Return why `uri` cannot be registered, or None."""
    if len(uri) > MAX_LENGTH:
        return f"A redirect URI has at most {MAX_LENGTH} characters."
    # RFC 6749 section 3.1.2: no fragment, not even an empty one.
    if "#" in uri:
        return "A redirect URI has no fragment (#)."
    scheme = scheme_of(uri)
    if not scheme or not _CHARACTERS.fullmatch(uri):
        return "A redirect URI is an absolute URI in the characters of RFC 3986."
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return _BAD_AUTHORITY
    if "@" in parts.netloc:
        return "A redirect URI carries no credentials."
    if port == 0 or parts.netloc.endswith(":"):
        return _BAD_AUTHORITY
    return _web_fault(parts) if scheme in {"https", "http"} else _private_fault(uri, scheme)


def _web_fault(parts: SplitResult) -> str | None:
    host = parts.netloc.removesuffix(f":{parts.port}") if parts.port is not None else parts.netloc
    if not _HOST.fullmatch(host):
        return "An https or http redirect URI names a host: https://example.org/callback."
    # RFC 8252 section 7.3.
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        return "Plain http is for localhost, 127.0.0.1 and [::1] only; use https."
    return None


def _private_fault(uri: str, scheme: str) -> str | None:
    """RFC 8252 section 7.1 requires a dot. Schemes of well-known desktop apps have none, so it is optional."""
    if scheme in NOT_PRIVATE or scheme.startswith(NOT_PRIVATE_BEGINNINGS):
        return f"{scheme}: is no private-use scheme of a desktop app."
    if not re.match(r":/+[^/]", uri[len(scheme) :]):
        return "A private-use redirect URI looks like com.example.app:/callback or app://callback."
    return None


def matches(registered: str, presented: str) -> bool:
    """Return whether `presented` equals `registered`, ignoring only the port on loopback.

    RFC 9700 section 2.1, and for the port RFC 8252 section 7.3: a desktop app listens on any free port.
    """
    if registered == presented:
        return True
    ours, theirs = _LOOPBACK_URI.fullmatch(registered), _LOOPBACK_URI.fullmatch(presented)
    if ours is None or theirs is None or not 0 < int(theirs[2] or 80) < 65536:
        return False
    return (ours[1], ours[3]) == (theirs[1], theirs[3])


def with_parameters(uri: str, parameters: str) -> str:
    """Return `uri` with encoded `parameters` added to its query, which stays unchanged (RFC 6749 section 3.1.2)."""
    separator = "?" if "?" not in uri else "" if uri.endswith(("?", "&")) else "&"
    return f"{uri}{separator}{parameters}"


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
