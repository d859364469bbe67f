"""Outcomes of a sign-in at the provider: a person, or one of three failures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class ProviderDown(Exception):
    """The provider does not answer as it must. The argument says why, without a secret."""


class InvalidReturn(Exception):
    """The return, or its ID token, does not check. The argument says why, without a secret."""


class Refused(Exception):
    """The person may not come in. The argument says why, without naming anybody."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person at the provider.

    Attributes:
        subject: `sub`, the provider's permanent id of the person.
        claims: of the checked ID token.
        profile: returns `email`, `email_verified` and `name`: from the ID token or, if it has no address, from the
            userinfo endpoint. Raises `ProviderDown` and `InvalidReturn`.
    """

    issuer: str
    subject: str
    claims: Mapping[str, Any]
    profile: Callable[[], Mapping[str, Any]]
