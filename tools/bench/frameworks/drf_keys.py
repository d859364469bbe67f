"""Bearer keys and membership for Django REST framework."""

import hashlib
from typing import Any

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request

from accounts.models import ApiKey, Member


class KeyRequest(Request):
    """Types of an authenticated request; never instantiated."""

    user: Member
    auth: ApiKey


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`, found by its hash."""

    def authenticate(self, request: Request) -> tuple[Member, ApiKey] | None:
        """Return the member and the key."""
        scheme, _, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        digest = hashlib.sha256(secret).hexdigest()
        key = ApiKey.objects.select_related("member").filter(secret_hash=digest, revoked_at=None).first()
        expired = key is not None and key.expires_at is not None and key.expires_at <= timezone.now()
        if key is None or not key.member.is_active or expired:
            raise AuthenticationFailed("Invalid key.")
        return key.member, key

    def authenticate_header(self, request: Request) -> str:
        """Return the value for `WWW-Authenticate`."""
        return "Bearer"


class ActiveMembership(IsAuthenticated):
    """Require an active membership, and for writes a key that may write."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the request is allowed."""
        if not super().has_permission(request, view) or not isinstance(request.auth, ApiKey):
            return False
        may = request.method in SAFE_METHODS or request.auth.may_write
        return may and request.auth.member.membership_is_active()
