"""The metadata of an app's registration (RFC 7591 section 2), and the rules for its name.

Anybody can register an app, and members see its name when they decide.
"""

import unicodedata
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

import regex
from django.conf import settings
from django.db import models

from oauthserver.endpoints import InvalidClientMetadata, InvalidRedirectUri
from oauthserver.redirect_uris import MAX_REDIRECT_URIS, fault_of, scheme_of

MAX_CLIENT_NAME = 120
"""Longest name of an app, in characters. It is in a heading of the consent page."""

_PRESENTATION = regex.compile("[\ufe0e\ufe0f]")
"""The variation selectors for text or color emoji. They have no glyph, and are removed."""

_SPACES = regex.compile(r"\p{Zs}+")

_INVISIBLE = regex.compile(r"[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\N{BRAILLE PATTERN BLANK}]")
"""Control, format and unassigned characters, fillers and blanks, which could make a name look like another or empty.
Unicode classifies the braille blank as a symbol.
"""

_READABLE = regex.compile(r"[\p{L}\p{Nd}]")

_STACKED_MARKS = regex.compile(r"\p{Mn}{5}")
"""More marks on one letter than any language uses (UTS 39 section 5.4)."""

# fmt: off
_RECOMMENDED = (
    "Arab", "Armn", "Beng", "Cyrl", "Deva", "Ethi", "Geor", "Grek", "Gujr", "Guru", "Hebr", "Knda", "Khmr", "Laoo",
    "Latn", "Mlym", "Mymr", "Orya", "Sinh", "Taml", "Telu", "Thaa", "Thai", "Tibt",
)
# fmt: on
"""Scripts in wide use today (UAX 31 table 5), by their ISO 15924 codes, except those of East Asia."""

_WRITTEN_TOGETHER = (("Latn", "Hani", "Hira", "Kana"), ("Latn", "Hani", "Bopo"), ("Latn", "Hani", "Hang"))
"""Japanese, Chinese and Korean, which mix scripts, including Latin."""


def _of(*scripts: str) -> str:
    return "[" + "".join(rf"\p{{scx={script}}}" for script in ("Zyyy", "Zinh", *scripts)) + "]*"


_HIGHLY_RESTRICTIVE = regex.compile(
    "|".join([*(_of(script) for script in _RECOMMENDED), *(_of(*scripts) for scripts in _WRITTEN_TOGETHER)])
)
"""One script, or those of one East Asian language with Latin (UTS 39 section 5.2), but not Cyrillic with Latin."""


def normalized(name: str) -> str:
    """Return `name` as it is stored and shown: in compatibility form (NFKC), with single spaces and trimmed."""
    return _SPACES.sub(" ", _PRESENTATION.sub("", unicodedata.normalize("NFKC", name))).strip(" ")


def fault_of_name(name: str) -> str | None:
    """Return why an app cannot have the normalized `name`, or None."""
    if not 0 < len(name) <= MAX_CLIENT_NAME:
        return f"client_name has 1 to {MAX_CLIENT_NAME} characters."
    if _INVISIBLE.search(name):
        return "client_name has no control or invisible characters."
    if not _READABLE.search(name) or _STACKED_MARKS.search(name):
        return "client_name can be read: it has a letter or a digit, and few marks on each."
    if _letters(name) == _letters(settings.SERVICE_NAME):
        return "client_name is not the name of this service."
    return None


def _letters(name: str) -> str:
    """Reduce a name to its distinguishing letters."""
    return "".join(character for character in name.casefold() if character.isalnum())


def mixes_scripts(name: str) -> bool:
    """Return whether the normalized `name` could imitate another with letters of several scripts."""
    return _HIGHLY_RESTRICTIVE.fullmatch(name) is None


def name_from(uri: str) -> str:
    """Return a name for an app without one, or with one that mixes scripts: the host of its callback, or the scheme."""
    return (urlsplit(uri).hostname or scheme_of(uri))[:MAX_CLIENT_NAME]


GRANT_TYPES = ("authorization_code", "refresh_token")
RESPONSE_TYPES = ("code",)
AUTH_METHOD = "token_endpoint_auth_method"


class AuthMethod(models.TextChoices):
    """Client authentication methods of the token endpoint (RFC 7591 section 2)."""

    NONE = "none"
    BASIC = "client_secret_basic"
    POST = "client_secret_post"


@dataclass(frozen=True, slots=True)
class ClientMetadata:
    """A valid registration.

    Requests beyond these fields are answered with the granted values (RFC 7591 section 3.2.1).

    Attributes:
        name: the app's own, or the host of its callback (`oauthserver.client_metadata`).
        auth_method_named: whether the registration named `auth_method`; if not, it is the default of RFC 7591.
    """

    name: str
    redirect_uris: tuple[str, ...]
    auth_method: AuthMethod
    auth_method_named: bool

    @classmethod
    def parse(cls, body: Any) -> Self:
        """Return the registration in a JSON body.

        Raises:
            InvalidRedirectUri: `redirect_uris` is missing or invalid.
            InvalidClientMetadata: anything else is wrong.
        """
        if not isinstance(body, dict):
            raise InvalidClientMetadata("The body is a JSON object.")
        redirect_uris = _redirect_uris(body.get("redirect_uris"))
        _require_offered(body, "grant_types", GRANT_TYPES)
        _require_offered(body, "response_types", RESPONSE_TYPES)
        _text(body, "scope", "")
        method = _text(body, AUTH_METHOD, AuthMethod.BASIC)
        if method not in AuthMethod.values:
            raise InvalidClientMetadata(f"{AUTH_METHOD} is one of {', '.join(AuthMethod.values)}.")
        name = normalized(_text(body, "client_name", name_from(redirect_uris[0])))
        if fault := fault_of_name(name):
            raise InvalidClientMetadata(fault)
        return cls(
            name=name_from(redirect_uris[0]) if mixes_scripts(name) else name,
            redirect_uris=redirect_uris,
            auth_method=AuthMethod(method),
            auth_method_named=AUTH_METHOD in body,
        )


def _redirect_uris(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidRedirectUri("redirect_uris is an array of strings.")
    if not 1 <= len(value) <= MAX_REDIRECT_URIS:
        raise InvalidRedirectUri(f"There must be 1 to {MAX_REDIRECT_URIS} redirect_uris.")
    if not all(isinstance(uri, str) for uri in value):
        raise InvalidRedirectUri("redirect_uris is an array of strings.")
    for uri in value:
        if fault := fault_of(uri):
            raise InvalidRedirectUri(fault)
    return tuple(value)


def _text(body: dict[str, Any], name: str, default: str) -> str:
    value = body.get(name, default)
    if not isinstance(value, str):
        raise InvalidClientMetadata(f"{name} is a string.")
    return value


def _require_offered(body: dict[str, Any], name: str, offered: tuple[str, ...]) -> None:
    """Refuse a client that could not use its tokens."""
    value = body.get(name, list(offered))
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise InvalidClientMetadata(f"{name} is an array of strings.")
    if offered[0] not in value:
        raise InvalidClientMetadata(f"{name} includes {offered[0]}.")
