"""Notify the member when an API key is used from a new network.

The key's row, which each call reads anyway, contains its known networks. A call from a known network costs no statement
in any process. A new network is written once, with an event for the member.
"""

import logging
from contextlib import suppress

from django.db import DatabaseError
from django.http import HttpRequest

from accounts.credentials.models import ApiKey
from accounts.credentials.resolving import CREDENTIAL, Credential
from accounts.events.log import Subject, holding, record_event
from accounts.events.models import EventKind
from studyservice.http.requests import client_network
from studyservice.operations.errors import NotFound

logger = logging.getLogger(__name__)

MOST = 50
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
    if network in known or not network or len(known) >= MOST:
        return
    try:
        if known:
            with suppress(NotFound):  # the member is being deleted
                _add(credential, [*known, network])
        else:
            ApiKey.objects.filter(member_id=credential.member.id, id=credential.id, networks="").update(
                networks=network
            )
    except DatabaseError:
        logger.exception("The network of an API key could not be recorded")


def _add(key: Credential, networks: list[str]) -> None:
    """Add the network. Of several simultaneous calls from a new network only one writes."""
    rows = ApiKey.objects.filter(member_id=key.member.id, id=key.id, networks=key.networks)
    with holding(key.member.id):
        if rows.update(networks=" ".join(networks)):
            record_event(
                key.member.id,
                EventKind.KEY_NEW_NETWORK,
                Subject("api_key", key.id, key.actor.name),
                detail=f"the last of {MOST} that are reported" if len(networks) == MOST else "",
                who=key.actor,
                network=networks[-1],
            )
