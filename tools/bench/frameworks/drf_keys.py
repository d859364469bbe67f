"""Bearer keys and membership for Django REST framework."""

import hashlib
from typing import Any

from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request

from accounts.models import ApiKey, Member


class KeyRequest(Request):
    """Types of an authenticated request; never instantiated."""

    user: Member
    auth: ApiKey


class ApiKeyAuthentication(TokenAuthentication):
    """`Authorization: Bearer <key>`, found by its hash."""

    keyword = "Bearer"

    def authenticate_credentials(self, key: str) -> tuple[Member, ApiKey]:
        """Return the member and the key."""
        digest = hashlib.sha256(key.encode()).hexdigest()
        found = ApiKey.objects.select_related("member").filter(secret_hash=digest, revoked_at=None).first()
        expired = found is not None and found.expires_at is not None and found.expires_at <= timezone.now()
        if found is None or not found.member.is_active or expired:
            raise AuthenticationFailed("Invalid key.")
        return found.member, found


class ActiveMembership(IsAuthenticated):
    """Require an active membership, and for writes a key that may write."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the request is allowed."""
        if not super().has_permission(request, view) or not isinstance(request.auth, ApiKey):
            return False
        may = request.method in SAFE_METHODS or request.auth.may_write
        return may and request.auth.member.membership_is_active()
