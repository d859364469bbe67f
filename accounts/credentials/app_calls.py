"""Noting the calls of connected apps for their member: the last one, and the last that was refused, with the reason.

Each kind is noted at most every five minutes for a connection, whatever the reasons are: of refusals that follow each
other faster the first stays. What was noted before comes with the row of the access token, so that a call that is not
noted costs no statement.
"""

import logging
from datetime import timedelta
from http import HTTPStatus

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.credentials.connections import CONNECTED_APPS, Refusal
from accounts.credentials.resolving import CREDENTIAL, DEAD_CREDENTIAL, Connection
from studyservice.http.logs import error_type
from studyservice.http.request_keys import MESSAGE_REFUSED, PROBE

logger = logging.getLogger(__name__)

NOTED_EVERY = timedelta(minutes=5)
"""How stale the times on the key page may be."""


def note_call(request: HttpRequest, response: HttpResponse) -> None:
    """Note the call that `response` answers, if an access token of a connection came with it; a probe is no call.

    Where nothing can be written, on a full disk or a standby, the call is answered all the same.
    """
    credential, dead = CREDENTIAL.get(request), DEAD_CREDENTIAL.get(request)
    if dead is not None:
        if response.status_code >= HTTPStatus.BAD_REQUEST:  # else the call needed no credential
            _note(dead.connection, dead.refusal)
    elif credential is not None and credential.connection is not None and not PROBE.get(request):
        _note(credential.connection, _refusal(request, response))


def _refusal(request: HttpRequest, response: HttpResponse) -> Refusal | None:
    """Why the call was refused: by the API, as a tool's failure, or as a message that the protocol does not have."""
    error = error_type(request, response)
    if error is not None:
        return Refusal(error)
    refused = response.status_code >= HTTPStatus.BAD_REQUEST or MESSAGE_REFUSED.get(request)
    return Refusal.INVALID_REQUEST if refused else None


def _note(connection: Connection, refusal: Refusal | None) -> None:
    noted = connection.last_call_at if refusal is None else connection.refused_at
    now = timezone.now()
    if noted is not None and noted >= now - NOTED_EVERY:
        return
    try:
        CONNECTED_APPS.get().note_call(connection.member_id, connection.id, now, refusal)
    except DatabaseError:
        logger.exception("The call of an app could not be noted")
