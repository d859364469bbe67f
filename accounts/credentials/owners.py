"""The member of a secret, and when a secret was last used.

A table maps a secret's hash to its member, so that every query for a credential can name the member. Where members'
rows are spread over partitions or servers, only the member's id locates a row. A secret belongs to one member forever,
so the process caches what it found. The credential's own row, read at each call, says whether it still works. A row
here that outlives its credential grants nothing.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict
from uuid import UUID

from django.core.cache.backends.locmem import LocMemCache
from django.db import DatabaseError
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from accounts.credentials.models import SecretOwner
from studyservice.database.deleting import delete_alone
from studyservice.database.executing import member_known
from studyservice.database.statements import Insert, Param, Select
from studyservice.registry.data import data_of
from studyservice.secrets.generated import sha256

_known = LocMemCache("secret owners", {"TIMEOUT": None, "OPTIONS": {"MAX_ENTRIES": 10_000}})
"""The members of secrets by their SHA-256, in this process. An entry takes about 300 bytes."""

_ADD_OWNER = Insert(SecretOwner)


class _OwnerColumns(TypedDict):
    member_id: UUID


_OWNER = Select(SecretOwner.objects.filter(id=Param("id")), _OwnerColumns)


def id_of(secret_hash: str) -> UUID:
    """Return the id of the row: half of the secret's SHA-256, which is unique for 256 random bits."""
    return UUID(hex=secret_hash[:32])


def owner_of(secret_hash: str) -> UUID | None:
    """Return the id of the member whose secret has this SHA-256, or None. The first call costs a query."""
    owner: UUID | None = _known.get(secret_hash)
    if owner is None:
        row = _OWNER.first(id=id_of(secret_hash))
        if row is None:
            return None
        owner = row["member_id"]
        _known.set(secret_hash, owner)
    member_known.send(None, member_id=owner)
    return owner


def add_owner(secret_hash: str, member_id: UUID) -> None:
    """Store the member of a secret, in the transaction that stores its credential."""
    _known.set(secret_hash, member_id)
    _ADD_OWNER.later(id=id_of(secret_hash), member_id=member_id)


def delete_credentials(credentials: QuerySet[Any]) -> int:
    """Delete credentials whose filter names the member, with the rows of their secrets. Return their number."""
    owner, column = kind_of(credentials.model)
    found = list(credentials.order_by().values_list(owner, column))
    if found:
        delete_alone(credentials)
        ids = [id_of(secret_hash) for _, secret_hash in found]
        SecretOwner.objects.filter(member_id__in={member_id for member_id, _ in found}, id__in=ids).delete()
    return len(found)


def row_of(rows: QuerySet[Any], secret: str) -> Any:
    """Return the row of a credential with this secret, live or ended; None if it is unknown."""
    owner, column = kind_of(rows.model)
    secret_hash = sha256(secret)
    member_id = owner_of(secret_hash)
    return None if member_id is None else rows.filter(**{owner: member_id, column: secret_hash}).first()


def kind_of(model: type[Model]) -> tuple[str, str]:
    """Return the columns with the member and with the secret's SHA-256.

    Raises:
        LookupError: the model has no secret.
    """
    data = data_of(model)
    if data is None or not data.hash_column:
        raise LookupError(model._meta.label)
    return f"{data.owner}_id", data.hash_column


logger = logging.getLogger(__name__)

NOTED_EVERY = timedelta(minutes=5)
"""How stale a stored time of use may be."""


def note_use(
    model: type[Model],
    noted: datetime | None,
    *,
    column: str = "last_used_at",
    also: Mapping[str, object] | None = None,
    **row: Any,
) -> None:
    """Set `column` of a row to now, unless it is less than five minutes old.

    Of concurrent uses one is stored. If the database cannot write, as with a full disk or on a standby, the failure is
    logged and the request goes on.

    Args:
        noted: the stored time, as read with the row; a fresh one costs no statement.
        also: other columns to set with it.
        row: the lookups that find the row; they name its member.
    """
    now = timezone.now()
    if noted is not None and noted >= now - NOTED_EVERY:
        return
    stale = Q(**{column: None}) | Q(**{f"{column}__lt": now - NOTED_EVERY})
    try:
        QuerySet(model).filter(stale, **row).update(**{column: now}, **(also or {}))
    except DatabaseError:
        logger.exception("The use of %s could not be recorded", model._meta.label)
