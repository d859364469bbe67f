"""Rules for app names. Anybody can register an app, and members see its name when they decide."""

import unicodedata
from urllib.parse import urlsplit

import regex
from django.conf import settings

from oauthserver.redirect_uris import scheme_of

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
