"""Refreshing an access token."""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from tools.bench.floor.ground import Refused, query

_ACCESS_SECONDS = 3600
_REFRESH_DAYS = 60

# Two row updates in one transaction. The pair is rotated in place, so reuse of a token goes undetected.
_ROTATE = """
    WITH refreshed AS (
        UPDATE oauthserver_refreshtoken r SET token_checksum = %(refresh)s, expires = %(until)s, updated = %(now)s
        FROM oauthserver_application a, accounts_member m
        WHERE r.token_checksum = %(presented)s AND r.revoked IS NULL AND r.expires > %(now)s
        AND a.id = r.application_id AND a.client_id = %(client)s AND a.token_endpoint_auth_method = 'none'
        AND m.id = r.user_id AND m.is_active
        RETURNING r.access_token_id, r.scope
    )
    UPDATE oauthserver_accesstoken t SET token_checksum = %(access)s, expires = %(access_until)s, updated = %(now)s
    FROM refreshed WHERE t.id = refreshed.access_token_id RETURNING refreshed.scope
"""


def refresh(form: bytes) -> dict[str, Any]:
    """Return a new pair of tokens for a public client's refresh token."""
    fields = dict(parse_qsl(form.decode()))
    if fields["grant_type"] != "refresh_token":
        raise Refused("400 Bad Request")
    access_token = f"svc_at_{secrets.token_urlsafe(32)}"
    refresh_token = f"svc_rt_{secrets.token_urlsafe(32)}"
    now = datetime.now(UTC)
    found = query(
        _ROTATE,
        {
            "now": now,
            "presented": _sha256(fields["refresh_token"]),
            "client": fields["client_id"],
            "refresh": _sha256(refresh_token),
            "until": now + timedelta(days=_REFRESH_DAYS),
            "access": _sha256(access_token),
            "access_until": now + timedelta(seconds=_ACCESS_SECONDS),
        },
    )
    if not found:
        raise Refused("400 Bad Request")
    [(scope,)] = found
    return {
        "access_token": access_token,
        "expires_in": _ACCESS_SECONDS,
        "token_type": "Bearer",
        "scope": scope,
        "refresh_token": refresh_token,
    }


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
