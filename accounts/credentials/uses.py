"""Record the use of credentials, and explain why one is refused.

Recorded are the last call of an app, the last refused call, and new networks of an API key.

Calls and refusals are recorded at most once in five minutes per connection or key (`note_use`). Of several refusals in
that time, the first is kept. What was recorded is read with the row of the credential, so a call that has nothing new
costs no statement. A new network is written once, with an event for the member.

A 401 tells why a credential was refused (RFC 6750 section 3). The message names the cause
where that tells the caller nothing new. The form of a credential is known to its sender. Only the holder of a whole
secret learns that it has expired or was revoked. A secret that never existed, a deactivated member, a blocked app and a
deleted row all get `GENERIC`.
"""

import logging
from contextlib import suppress
from datetime import datetime
from http import HTTPStatus
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from accounts.credentials.connections import CONNECTED_APPS, Refusal
from accounts.credentials.models import ApiKey, KeyEnd
from accounts.credentials.owners import note_use
from accounts.credentials.resolving import (
    DEAD_CREDENTIAL,
    RESOLVERS,
    DeadToken,
    presented_secret,
)
from accounts.events import EventKind, Subject, holding, record_event
from studyservice.http.logs import error_type
from studyservice.http.requests import (
    MESSAGE_REFUSED,
    PROBE,
    TOOL_FAILURE,
    client_network,
)
from studyservice.operations.errors import NotFound, Unauthorized
from studyservice.rows.access import CREDENTIAL, Connection, Credential
from studyservice.secrets.generated import is_well_formed, kind_of


def note_call(request: HttpRequest, response: HttpResponse) -> None:
    """Record the call that `response` answers. Probes and the answered calls of keys are not recorded here."""
    credential, dead = CREDENTIAL.get(request), DEAD_CREDENTIAL.get(request)
    if dead is not None:
        if response.status_code < HTTPStatus.BAD_REQUEST:
            return  # the call needed no credential
        if isinstance(dead, DeadToken):
            _note(dead.connection, dead.reason)
        else:
            _note_key(dead.member_id, dead.id, dead.refused_at, dead.reason)
    elif credential is not None and not PROBE.get(request):
        refusal = _refusal(request, response)
        if credential.connection is not None:
            _note(credential.connection, refusal)
        elif refusal is not None:
            _note_key(credential.member.id, credential.id, credential.refused_at, refusal)


def _refusal(request: HttpRequest, response: HttpResponse) -> Refusal | None:
    """Return the reason for a refusal: an API error, a tool's failure, or a message unknown to the protocol."""
    error = error_type(request, response)
    if error is not None:
        said = TOOL_FAILURE.get(request) or response
        return Refusal(getattr(said, "cause", None) or error)
    refused = response.status_code >= HTTPStatus.BAD_REQUEST or MESSAGE_REFUSED.get(request)
    return Refusal.INVALID_REQUEST if refused else None


def _note(connection: Connection, refusal: Refusal | None) -> None:
    noted = connection.last_call_at if refusal is None else connection.refused_at
    CONNECTED_APPS.get().note_call(connection.member_id, connection.id, noted, refusal)


def _note_key(member_id: UUID, key_id: UUID, noted: datetime | None, refusal: Refusal | KeyEnd) -> None:
    note_use(ApiKey, noted, column="refused_at", also={"refusal": refusal}, member_id=member_id, id=key_id)


logger = logging.getLogger(__name__)

MOST_NETWORKS = 50
"""Maximum number of networks per key. At the limit, the event says that later ones are not reported."""


def note_network(request: HttpRequest) -> None:
    """Record the network of `request` if it is new for its API key.

    The first network of a key that was created without one, as by a command, is not reported. If the database cannot be
    written, as on a full disk or a standby, the call succeeds all the same.
    """
    credential = CREDENTIAL.get(request)
    if credential is None or credential.networks is None:
        return
    network, known = client_network(request), credential.networks.split()
    if network in known or not network or len(known) >= MOST_NETWORKS:
        return
    try:
        if known:
            with suppress(NotFound):  # the member is being deleted
                _add_network(credential, [*known, network])
        else:
            ApiKey.objects.filter(member_id=credential.member.id, id=credential.id, networks="").update(
                networks=network
            )
    except DatabaseError:
        logger.exception("The network of an API key could not be recorded")


def _add_network(key: Credential, networks: list[str]) -> None:
    """Add the network. Of several simultaneous calls from a new network only one writes."""
    rows = ApiKey.objects.filter(member_id=key.member.id, id=key.id, networks=key.networks)
    with holding(key.member.id):
        if rows.update(networks=" ".join(networks)):
            record_event(
                key.member.id,
                EventKind.KEY_NEW_NETWORK,
                Subject("api_key", key.id, key.actor.name),
                detail=f"the last of {MOST_NETWORKS} that are reported" if len(networks) == MOST_NETWORKS else "",
                who=key.actor,
                network=networks[-1],
            )


GENERIC = Unauthorized.default_message

_MISSING = "Send a credential: Authorization: Bearer <API key or access token>, or X-API-Key: <API key>."
_NOT_OURS = "This is not an API key or an access token of this service. They begin with {0}_sk_ and {0}_at_."
_KEYS_ONLY = "X-API-Key accepts API keys only. Send an access token as Authorization: Bearer <access token>."
_MALFORMED = "This {} is malformed: after {}_{}_ it has exactly 43 letters, digits, hyphens and underscores."
_NAMES = {"sk": "API key", "at": "access token"}

_ENDED: dict[KeyEnd | Refusal, str] = {
    KeyEnd.REVOKED: "This API key was revoked. Create another one at {base}/keys.",
    KeyEnd.EXPIRED: "This API key has expired. Create another one at {base}/keys.",
    Refusal.EXPIRED: "This access token has expired. Get a new one with the refresh token at {base}/oauth/token.",
    Refusal.ELSEWHERE: "This access token works only at {base}/mcp.",
}


def cause_of(request: HttpRequest) -> str:
    """Return the message for a request without a live credential. It costs no query.

    The text fits into a challenge: it has no quotation mark and no backslash (RFC 6750 section 3).
    """
    secret, dead = presented_secret(request), DEAD_CREDENTIAL.get(request)
    if secret is None:
        return _MISSING
    if dead is not None:
        return _ENDED.get(dead.reason, GENERIC).format(base=settings.BASE_URL)
    kind = kind_of(secret)
    if RESOLVERS.get(kind) is None:
        return _NOT_OURS.format(settings.CREDENTIAL_PREFIX)
    if kind != "sk" and "HTTP_AUTHORIZATION" not in request.META:
        return _KEYS_ONLY
    if not is_well_formed(secret):
        return _MALFORMED.format(_NAMES[kind], settings.CREDENTIAL_PREFIX, kind)
    return GENERIC
