"""The message of a 401 names the cause if that reveals nothing new to the caller (spec, Errors: Catalogue).

Only the holder of a complete secret learns that it has expired or was revoked. A credential that fails because of its
member, its app or a deleted row gets the same answer as one that never existed.
"""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.credentials.keys import revoke_api_key
from accounts.models import ApiKey, Member, SecretOwner
from oauthserver.consents import block
from oauthserver.models import AccessToken
from studyservice.secrets.generated import new_secret
from tests.conftest import MakeKey
from tests.support.cases import each
from tests.support.oauth import BASE, App
from tests.support.tools import rpc_error_of

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

GENERIC = "This credential does not work. Check that it is complete, or get another one."
NOT_OURS = "This is not an API key or an access token of this service. They begin with svc_sk_ and svc_at_."
REVOKED_KEY = f"This API key was revoked. Create another one at {BASE}/keys."
EXPIRED_KEY = f"This API key has expired. Create another one at {BASE}/keys."
EXPIRED_TOKEN = f"This access token has expired. Get a new one with the refresh token at {BASE}/oauth/token."
MALFORMED = "This {} is malformed: after {} it has exactly 43 letters, digits, hyphens and underscores."
MALFORMED_KEY = MALFORMED.format("API key", "svc_sk_")
MISSING = "Send a credential: Authorization: Bearer <API key or access token>, or X-API-Key: <API key>."

WELL_FORMED = "svc_sk_" + "A" * 43


def refused(**headers: str) -> tuple[str, str | None]:
    """The message of the 401 and the description in its challenge. Both entry points return the same ones."""
    rest = Client().get("/v1/me", headers=headers)
    mcp = Client().post("/mcp", {}, content_type="application/json", headers=headers)
    assert (rest.status_code, mcp.status_code) == (401, 401)
    told = [(rest.json()["error"], rest), (rpc_error_of(mcp), mcp)]
    [answer] = {(error["type"], error["message"], _described(response)) for error, response in told}
    assert answer[0] == "unauthorized"
    return answer[1:]


def _described(response: Any) -> str | None:
    found = re.search(r'error="invalid_token", error_description="([^"]*)"', response.headers["WWW-Authenticate"])
    return found[1] if found else None


def bearer(secret: str) -> tuple[str, str | None]:
    return refused(Authorization=f"Bearer {secret}")


@each(
    ("headers", "message"),
    [
        ({}, MISSING),
        ({"X-API-Key": ""}, MISSING),
        ({"Authorization": "Basic eDp5"}, MISSING),
        ({"Authorization": f"Basic {WELL_FORMED}", "X-API-Key": WELL_FORMED}, MISSING),
    ],
)
def test_a_call_without_a_credential_explains_how_to_send_one(headers: dict[str, str], message: str) -> None:
    """The challenge then has no error (RFC 6750 section 3.1), and so no description."""
    assert refused(**headers) == (message, None)


@each("secret", ["x", "ghp_sk_" + "A" * 43, "svc_", "svc_rt_" + "A" * 43, "svcclient_abc", "ключ"])
def test_an_unknown_prefix_is_named(secret: str) -> None:
    assert bearer(secret) == (NOT_OURS, NOT_OURS)


@each("random", ["", "A" * 42, "A" * 44, "A" * 42 + "!", "A" * 42 + "é", "A" * 40 + "…"])
def test_a_malformed_credential_is_named(random: str) -> None:
    assert bearer(f"svc_sk_{random}") == (MALFORMED_KEY, MALFORMED_KEY)
    assert bearer(f"svc_at_{random}")[0] == MALFORMED.format("access token", "svc_at_")


def test_x_api_key_accepts_api_keys_only(owner_member: Member) -> None:
    token = App.registered().connect(owner_member)["access_token"]
    message = "X-API-Key accepts API keys only. Send an access token as Authorization: Bearer <access token>."
    assert refused(**{"X-API-Key": token})[0] == message
    assert refused(**{"X-API-Key": new_secret("at")})[0] == message


@pytest.mark.database("both")
def test_the_holder_of_a_revoked_key_is_informed(owner_member: Member, make_key: MakeKey) -> None:
    secret, key = make_key(owner_member)
    revoke_api_key(key)
    assert bearer(secret) == (REVOKED_KEY, REVOKED_KEY)
    assert refused(**{"X-API-Key": secret}) == (REVOKED_KEY, REVOKED_KEY)
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert bearer(secret)[0] == REVOKED_KEY


@pytest.mark.database("both")
def test_the_holder_of_an_expired_key_is_informed(owner_member: Member, make_key: MakeKey) -> None:
    secret, _ = make_key(owner_member, expires_at=timezone.now() - timedelta(seconds=1))
    assert bearer(secret) == (EXPIRED_KEY, EXPIRED_KEY)


@pytest.mark.database("both")
def test_the_holder_of_an_expired_access_token_is_informed(owner_member: Member) -> None:
    token = App.registered().connect(owner_member)["access_token"]
    AccessToken.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert bearer(token) == (EXPIRED_TOKEN, EXPIRED_TOKEN)


def test_a_token_for_mcp_is_named_as_such_elsewhere(owner_member: Member) -> None:
    token = App.registered().connect(owner_member, resource=f"{BASE}/mcp")["access_token"]
    answer = Client().get("/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert answer.json()["error"]["message"] == f"This access token works only at {BASE}/mcp."


def _deactivated(member: Member, key: ApiKey) -> None:
    Member.objects.filter(id=member.id).update(is_active=False)


def _departing(member: Member, key: ApiKey) -> None:
    Member.objects.filter(id=member.id).update(is_active=False, erasure_began_at=timezone.now())


def _vanished(member: Member, key: ApiKey) -> None:
    ApiKey.objects.all().delete()


def _forgotten(member: Member, key: ApiKey) -> None:
    _vanished(member, key)
    SecretOwner.objects.all().delete()


@each("happen", [_deactivated, _departing, _vanished, _forgotten])
@each("ended", [{}, {"revoked_at": timezone.now()}, {"expires_at": timezone.now()}])
def test_a_former_members_secret_looks_unknown(
    owner_member: Member, make_key: MakeKey, happen: Any, ended: dict[str, Any]
) -> None:
    """The key of a departed member and a deleted key look like a key that never existed."""
    secret, key = make_key(owner_member, **ended)
    happen(owner_member, key)
    assert bearer(secret) == bearer(new_secret("sk")) == (GENERIC, GENERIC)


def test_a_blocked_or_disconnected_app_looks_unknown(owner_member: Member) -> None:
    blocked, gone = App.registered(), App.registered()
    tokens = [app.connect(owner_member)["access_token"] for app in (blocked, gone)]
    block(blocked.id)
    AccessToken.objects.filter(application__client_id=blocked.id).update(expires=timezone.now())
    assert gone.revoke(tokens[1]).status_code == 200
    assert [bearer(token) for token in [*tokens, new_secret("at")]] == [(GENERIC, GENERIC)] * 3


def test_another_secret_of_the_same_length_reveals_nothing(owner_member: Member, make_key: MakeKey) -> None:
    """A key with the prefix, the hint and all but one character of a revoked key is a different key."""
    secret, key = make_key(owner_member)
    revoke_api_key(key)
    almost = secret[:20] + ("A" if secret[20] != "A" else "B") + secret[21:]
    assert bearer(almost) == (GENERIC, GENERIC)
    assert bearer(secret[:-1])[0] == MALFORMED_KEY


def test_finding_the_cause_needs_no_extra_statement(owner_member: Member, make_key: MakeKey) -> None:
    """The cause is stored in the credential's row, which every call reads. The first refusal is recorded."""
    revoked, key = make_key(owner_member)
    revoke_api_key(key)
    counts = []
    for secret in ("x", new_secret("sk"), revoked, revoked):
        with CaptureQueriesContext(connection) as queries:
            Client().get("/v1/me", headers={"Authorization": f"Bearer {secret}"})
        counts.append(len(queries))
    assert counts == [0, 1, 2, 1]
