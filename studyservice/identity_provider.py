"""The identity provider that the operator names for signing in (OpenID Connect), from the environment."""

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from studyservice.environment import LOOPBACK, choice, count, split_url

MAX_ISSUER: Final = 255
_MAX_NAME: Final = 60
_REQUIRED: Final = ("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_NAME")


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """The provider, and who may come in through it.

    Attributes:
        issuer: its identifier, exactly as its tokens have it.
        name: on the button.
        sign_up: whether people without an account join.
        members: claim and value that make a membership active; None if no sign-in changes memberships.
        members_days: how long such a membership lasts.
    """

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    name: str
    sign_up: bool = False
    members: tuple[str, str] | None = None
    members_days: int = 180

    def allows(self, url: object) -> bool:
        """Return whether an endpoint is https, or http on loopback if the issuer is so."""
        parts = split_url(url) if isinstance(url, str) and url.isascii() and url.isprintable() else None
        if parts is None or parts.fragment:
            return False
        return parts.scheme == "https" or (self.issuer.startswith("http:") and parts.hostname in LOOPBACK)


def identity_provider(
    base_url: str,
    *,
    issuer: str,
    client_id: str,
    client_secret: str,
    name: str,
    sign_up: str,
    members: str,
    members_days: str,
) -> IdentityProvider | None:
    """Return the provider that the variables `OIDC_…` name, or None if none is set.

    Args:
        base_url: BASE_URL. Where it is http on loopback, the provider may be so too.
    """
    required = dict(zip(_REQUIRED, (issuer, client_id, client_secret, name), strict=True))
    if not any((*required.values(), sign_up, members, members_days)):
        return None
    missing = [variable for variable, value in required.items() if not value]
    if missing:
        raise ImproperlyConfigured(
            f"{' and '.join(missing)} must be set too: signing in with an identity provider needs "
            f"{', '.join(_REQUIRED[:-1])} and {_REQUIRED[-1]}."
        )
    if len(name) > _MAX_NAME or not name.isprintable():
        raise ImproperlyConfigured(f"OIDC_NAME must be one line of at most {_MAX_NAME} characters.")
    for variable in ("OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"):
        if not (required[variable].isascii() and required[variable].isprintable()):
            raise ImproperlyConfigured(f"{variable} must be one line of ASCII characters.")
    if members_days and not members:
        raise ImproperlyConfigured("OIDC_MEMBERS must be set too: OIDC_MEMBERS_DAYS is how long its memberships last.")
    return IdentityProvider(
        _issuer(issuer, base_url),
        client_id,
        client_secret,
        name,
        sign_up=choice("OIDC_SIGN_UP", default="no", choices=["no", "yes"]) == "yes",
        members=_members(members),
        members_days=count("OIDC_MEMBERS_DAYS", default=180, least=1, most=36500),
    )


def _issuer(url: str, base_url: str) -> str:
    """Return the issuer. It is compared exactly, so a slash at its end counts (OpenID Connect Discovery 1.0, 4.3)."""
    parts = split_url(url) if url.isascii() and url.isprintable() and not {" ", "?", "#"} & {*url} else None
    if parts is None or len(url) > MAX_ISSUER:
        raise ImproperlyConfigured(
            f"OIDC_ISSUER must be the provider's issuer, such as https://login.example.org/realms/college: {url}"
        )
    ours = urlsplit(base_url)
    nearby = ours.scheme == "http" and ours.hostname in LOOPBACK and parts.hostname in LOOPBACK
    if parts.scheme != "https" and not nearby:
        raise ImproperlyConfigured(f"OIDC_ISSUER must be https, except on loopback beside such a BASE_URL: {url}")
    return url


def _members(rule: str) -> tuple[str, str] | None:
    claim, _, value = rule.partition("=")
    if not rule:
        return None
    if not (claim.strip() and value.strip()):
        raise ImproperlyConfigured(f"OIDC_MEMBERS must be claim=value, such as groups=students, not {rule!r}.")
    return claim.strip(), value.strip()
