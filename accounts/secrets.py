"""Secrets of 256 random bits behind a prefix that says what they are; stored only as SHA-256.

A slow password hash would add nothing to 256 bits and would slow every request.
"""

import hashlib
import secrets

from django.conf import settings


def new_secret(kind: str) -> str:
    """A fresh secret `<CREDENTIAL_PREFIX>_<kind>_<43 URL-safe characters>`."""
    return f"{settings.CREDENTIAL_PREFIX}_{kind}_{secrets.token_urlsafe(32)}"


def kind_of(secret: str) -> str:
    """What the prefix says that `secret` is, such as `sk`; empty if it is no secret of this service."""
    prefix, _, rest = secret.partition("_")
    kind, separator, _ = rest.partition("_")
    return kind if separator and prefix == settings.CREDENTIAL_PREFIX else ""


def hint_of(secret: str) -> str:
    """What may be shown of a secret, 25 characters at most: its prefix, and four random characters at each end."""
    prefix, kind, random = secret.split("_", 2)
    return f"{prefix}_{kind}_{random[:4]}…{random[-4:]}"


def sha256(secret: str) -> str:
    """The hexadecimal SHA-256 under which a secret is stored and looked up."""
    return hashlib.sha256(secret.encode()).hexdigest()
