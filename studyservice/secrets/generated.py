"""Secrets of 256 random bits with a prefix for their kind. Only their SHA-256 is stored.

A slow password hash would add no security to 256 bits and would slow every request.
"""

import hashlib
import re
import secrets

from django.conf import settings

_VISIBLE = 4
"""Random characters that a hint shows at each end."""


def new_secret(kind: str) -> str:
    """Return a new secret `<CREDENTIAL_PREFIX>_<kind>_<43 URL-safe characters>`."""
    return f"{settings.CREDENTIAL_PREFIX}_{kind}_{secrets.token_urlsafe(32)}"


def kind_of(secret: str) -> str:
    """Return the kind in the prefix of `secret`, like `sk`. Empty if it is not a secret of this service."""
    prefix, _, rest = secret.partition("_")
    kind, separator, _ = rest.partition("_")
    return kind if separator and _is_ours(prefix) else ""


def is_well_formed(secret: str) -> bool:
    """Return whether `secret`, which has a kind, has the length and characters of a generated one."""
    return re.fullmatch(r"[A-Za-z0-9_-]{43}", secret.split("_", 2)[2]) is not None


def hint_of(secret: str) -> str:
    """Return the visible part of a secret, at most 25 characters: prefix, and four random characters at each end."""
    prefix, kind, random = secret.split("_", 2)
    return f"{prefix}_{kind}_{random[:_VISIBLE]}…{random[-_VISIBLE:]}"


def secrets_in(text: str) -> list[str]:
    """Return texts in the form of this service's secrets, in order."""
    prefixes = "|".join(map(re.escape, (settings.CREDENTIAL_PREFIX, *settings.CREDENTIAL_PREFIX_FALLBACKS)))
    return re.findall(rf"(?<![A-Za-z0-9_-])(?:{prefixes})_[a-z]+_[A-Za-z0-9_-]{{43}}", text)


def beginning_of_hint(term: str) -> str:
    """Return the part of a secret's beginning that its hint contains. Empty if it is not a secret of this service."""
    prefix, kind, random = [*term.split("_", 2), "", ""][:3]
    visible = random if "…" in random else random[:_VISIBLE]
    return f"{prefix}_{kind}_{visible}" if _is_ours(prefix) and kind else ""


def _is_ours(prefix: str) -> bool:
    return prefix == settings.CREDENTIAL_PREFIX or prefix in settings.CREDENTIAL_PREFIX_FALLBACKS


def sha256(secret: str) -> str:
    """Return the hexadecimal SHA-256 under which a secret is stored and looked up."""
    return hashlib.sha256(secret.encode()).hexdigest()
