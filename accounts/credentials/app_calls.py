"""Record the last call of a connected app, and its last refused call with the reason, for the member.

Each is recorded at most once in five minutes per connection (`studyservice.database.last_use`). Of several refusals in
that time, the first is kept. The recorded times are read with the row of the access token, so a call that is not
recorded costs no statement.
"""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from accounts.credentials.connections import CONNECTED_APPS, Refusal
from accounts.credentials.resolving import CREDENTIAL, DEAD_CREDENTIAL, Connection, DeadToken
from studyservice.http.logs import error_type
from studyservice.http.request_keys import MESSAGE_REFUSED, PROBE, TOOL_FAILURE


def note_call(request: HttpRequest, response: HttpResponse) -> None:
    """Record the call that `response` answers, if its credential was an access token. Probes are not recorded."""
    credential, dead = CREDENTIAL.get(request), DEAD_CREDENTIAL.get(request)
    if isinstance(dead, DeadToken):
        if response.status_code >= HTTPStatus.BAD_REQUEST:  # otherwise the call needed no credential
            _note(dead.connection, dead.reason)
    elif credential is not None and credential.connection is not None and not PROBE.get(request):
        _note(credential.connection, _refusal(request, response))


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
