"""Record the last call of a connected app, and the last refused call of an app or a key with the reason.

Each is recorded at most once in five minutes per connection or key (`studyservice.database.last_use`). Of several
refusals in that time, the first is kept. The recorded times are read with the row of the credential, so a call that is
not recorded costs no statement.
"""

from datetime import datetime
from http import HTTPStatus
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from accounts.credentials.connections import CONNECTED_APPS, Refusal
from accounts.credentials.models import ApiKey, KeyEnd
from accounts.credentials.resolving import CREDENTIAL, DEAD_CREDENTIAL, Connection, DeadToken
from studyservice.database.last_use import note_use
from studyservice.http.logs import error_type
from studyservice.http.requests import MESSAGE_REFUSED, PROBE, TOOL_FAILURE


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
