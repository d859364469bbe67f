"""Bearer keys and membership, as DRF wants them written."""

import hashlib
from typing import Any

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request

from accounts.models import ApiKey, Member


class KeyRequest(Request):
    """What a view can say of a request that was let through; never made."""

    user: Member
    auth: ApiKey


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`, looked up by its hash."""

    def authenticate(self, request: Request) -> tuple[Member, ApiKey] | None:
        """The member and the key."""
        scheme, _, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        digest = hashlib.sha256(secret).hexdigest()
        try:
            key = ApiKey.objects.select_related("member").get(secret_hash=digest, revoked_at=None)
        except ApiKey.DoesNotExist:
            raise AuthenticationFailed("Invalid key.") from None
        if not key.member.is_active or (key.expires_at is not None and key.expires_at <= timezone.now()):
            raise AuthenticationFailed("Invalid key.")
        return key.member, key

    def authenticate_header(self, request: Request) -> str:
        """For `WWW-Authenticate`."""
        return "Bearer"


class ActiveMembership(IsAuthenticated):
    """An active membership, and a key that may do this."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether it may."""
        if not super().has_permission(request, view) or not isinstance(request.auth, ApiKey):
            return False
        may = request.method in SAFE_METHODS or request.auth.may_write
        return may and request.auth.member.membership_is_active()
