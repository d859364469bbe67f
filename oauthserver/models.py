"""Apps and their consents, based on the models of django-oauth-toolkit.

One consent is a family: a grant, and the access tokens and refresh tokens issued from it, with the same `token_family`.
Ending a family deletes its rows (`oauthserver.consents`), so a secret is live only while its row says so. Secrets are
stored as SHA-256; the toolkit's plaintext columns are removed. Hashes are unique by a table constraint: `unique=True`
would add a second index on PostgreSQL, for LIKE.
"""

import uuid
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django.db import models
from django.utils import timezone
from oauth2_provider.models import (
    AbstractAccessToken,
    AbstractApplication,
    AbstractGrant,
    AbstractRefreshToken,
    ApplicationManager,
    TokenChecksumField,
)

from accounts.credentials.connections import Refusal
from accounts.models import Member
from oauthserver.client_metadata import MAX_CLIENT_NAME, AuthMethod, name_from
from oauthserver.redirect_uris import destination_of, fault_of, matches, scheme_of
from studyservice.database.constraints import characters, one_of
from studyservice.database.member_keys import MemberForeignKey, MemberKey
from studyservice.secrets.generated import sha256


class Hashed(str):
    """A stored SHA-256, distinguished from a presented secret."""

    __slots__ = ()


class SecretHashField(models.CharField):  # type: ignore[type-arg]  # not generic at runtime
    """A secret of which only the SHA-256 is stored. Lookups take the secret itself.

    A hash that is presented as a secret is hashed again, so a stolen database grants no access.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**({"max_length": 64, "editable": False} | options))

    def from_db_value(self, value: str | None, *_: Any) -> Hashed | None:
        """Mark a value from the database as hashed."""
        return None if value is None else Hashed(value)

    def get_prep_value(self, value: Any) -> Any:
        """Hash any other value."""
        return value if value in (None, "") or isinstance(value, Hashed) else sha256(str(value))


class Application(AbstractApplication):
    """An app that members can connect; in OAuth's terms, a client."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)  # type: ignore[assignment]  # int in the base class
    name = models.CharField(max_length=MAX_CLIENT_NAME)
    client_secret = SecretHashField(blank=True, default="")
    hash_client_secret: Any = None  # None removes a field of the toolkit
    user: Any = None
    skip_authorization: Any = None
    post_logout_redirect_uris: Any = None
    allowed_origins: Any = None
    algorithm: Any = None
    token_endpoint_auth_method = models.CharField(max_length=32, choices=AuthMethod, default=AuthMethod.BASIC)
    auth_method_named = models.BooleanField(
        "named its method",
        default=True,
        db_default=True,
        editable=False,
        help_text="If the registration named none, the secret is accepted by Basic and in the body.",
    )
    verified = models.BooleanField(
        default=False, help_text="Checked by us: not labelled as unverified on the consent page, whatever its callback."
    )
    first_token_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Empty means that the registration was never used."
    )

    objects: ClassVar[ApplicationManager] = ApplicationManager()

    class Meta:
        verbose_name = "app"
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["created"], name="app_never_used", condition=models.Q(first_token_at=None)),
            models.Index(fields=["created"], name="app_created"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            characters("name", 1, MAX_CLIENT_NAME),
            one_of("client_type", (AbstractApplication.CLIENT_PUBLIC, AbstractApplication.CLIENT_CONFIDENTIAL)),
            one_of("authorization_grant_type", (AbstractApplication.GRANT_AUTHORIZATION_CODE,)),
            one_of("token_endpoint_auth_method", AuthMethod.values),
            one_of("registration_source", AbstractApplication.RegistrationSource.values),
        ]

    def clean(self) -> None:
        """Set the method of a client with a metadata document, which has no secret. `Fetcher` checked the rest."""
        if self.registration_source == self.RegistrationSource.CIMD:
            self.token_endpoint_auth_method = AuthMethod.NONE

    def redirect_uri_allowed(self, uri: str) -> bool:
        """Return whether `uri` is registered and follows the current rules, which may have become stricter."""
        return fault_of(uri) is None and any(matches(registered, uri) for registered in self.redirect_uris.split())

    @property
    def is_named(self) -> bool:
        """Whether its name is its own, not the host of a callback."""
        return self.name not in map(name_from, self.redirect_uris.split())

    def get_allowed_schemes(self) -> list[str]:
        """Return the schemes of the registered redirect URIs."""
        return [scheme_of(uri) for uri in self.redirect_uris.split()]

    def is_recognized(self) -> bool:
        """Return whether we verified the app, or each of its callbacks belongs to a platform."""
        return self.verified or all(destination_of(uri).platform for uri in self.redirect_uris.split())

    def hosts(self) -> tuple[str, ...]:
        """Return details that distinguish it from another of the same name: its publisher, then its callbacks."""
        published = [self.client_id] if self.registration_source == self.RegistrationSource.CIMD else []
        found = [urlsplit(uri).netloc.lower() for uri in published]
        return tuple(dict.fromkeys([*found, *(str(destination_of(uri)) for uri in self.redirect_uris.split())]))


class BlockedApp(models.Model):
    """A client id blocked by operators (`oauthserver.consents`), whether or not the app exists."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    client_id = models.CharField(
        "client id",
        max_length=255,
        help_text="The address of its metadata document, if it has one.",
    )
    note = models.TextField(blank=True, default="", help_text="Why, for operators; no member sees it.")
    created = models.DateTimeField("blocked", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "blocked app"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["client_id"], name="blocked_app_client_id"),
            characters("client_id", 1, 255),
        ]

    def __str__(self) -> str:
        return self.client_id


class Grant(AbstractGrant):
    """A member's consent, and its authorization code. After the exchange it stays while its tokens live."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)  # type: ignore[assignment]  # int in the base class
    # its index is the only one that begins with the member
    user = models.ForeignKey(Member, models.CASCADE, related_name="+")
    code = SecretHashField()
    token_family = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    redirect_uri_sent = models.BooleanField(
        default=True, help_text="Whether the authorization request named the redirect URI."
    )
    resource = models.TextField(blank=True, default="")
    limits = models.TextField(
        null=True, blank=True, editable=False, help_text="Empty without limits; see studyservice.rows.limits."
    )
    spent_at = models.DateTimeField(null=True, editable=False)
    reused_at = models.DateTimeField(
        null=True, editable=False, help_text="When a refresh token of it was last used a second time."
    )
    last_call_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When a call of it was last answered as it asked. See accounts.credentials.uses.",
    )
    refused_at = models.DateTimeField(null=True, editable=False, help_text="When a call of it was last refused.")
    refusal = models.CharField(
        max_length=32, blank=True, default="", db_default="", editable=False, help_text="Why it was."
    )
    nonce: Any = None
    claims: Any = None

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["expires"], name="grant_expires")]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["code"], name="grant_code"),
            one_of("code_challenge_method", (AbstractGrant.CODE_CHALLENGE_S256,)),
            one_of("refusal", ("", *Refusal.values)),
        ]


class AccessToken(AbstractAccessToken):
    """An access token; live while its row exists and `expires` is in the future."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)  # type: ignore[assignment]  # int in the base class
    user = models.ForeignKey(Member, models.CASCADE, related_name="+")
    token: Any = None
    token_checksum = TokenChecksumField(max_length=64, editable=False)
    id_token = None
    source_refresh_token = None
    token_family = models.UUIDField(editable=False, db_index=True)
    resource = models.TextField(blank=True, default="", help_text="The one resource it is for; empty means all.")

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["expires"], name="access_token_expires")]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberKey(owner="user"),
            models.UniqueConstraint(fields=["token_checksum"], name="access_token_checksum"),
        ]


class RefreshToken(AbstractRefreshToken):
    """A refresh token; live until it is rotated (`revoked`) or `expires`.

    A rotated one is kept until then, so that its reuse is detected.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)  # type: ignore[assignment]  # int in the base class
    user = models.ForeignKey(Member, models.CASCADE, related_name="+")  # its index also finds rotated ones
    token: Any = None
    token_checksum = TokenChecksumField(max_length=64, editable=False)
    token_family = models.UUIDField(editable=False, db_index=True)
    scope = models.TextField(help_text="What the member allowed; an access token may be narrower.")
    resource = models.TextField(blank=True, default="")
    expires = models.DateTimeField()
    revoked = models.DateTimeField("rotated", null=True, editable=False)

    class Meta:
        verbose_name = "connection"
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["expires"], name="refresh_token_expires"),
            models.Index(fields=["user", "application"], name="refresh_token_live", condition=models.Q(revoked=None)),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberForeignKey(field="access_token", owner="user"),
            models.UniqueConstraint(fields=["token_checksum"], name="refresh_token_checksum"),
        ]


class ConnectedMember(Member):
    """A member in the admin's list of members with connected apps."""

    class Meta:
        proxy = True
        verbose_name = "member with apps"
        verbose_name_plural = "members with apps"


def live_refresh_tokens() -> models.QuerySet["RefreshToken"]:
    """Return the live refresh tokens: one for each connection."""
    return RefreshToken.objects.filter(revoked=None, expires__gt=timezone.now())
