"""The member of a secret, and when a secret was last used.

A table maps a secret's hash to its member, so that every query for a credential can name the member. Where members'
rows are spread over partitions or servers, only the member's id locates a row. A secret belongs to one member forever,
so the process caches what it found. The credential's own row, read at each call, says whether it still works. A row
here that outlives its credential grants nothing.
"""

import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, TypedDict
from uuid import UUID

from django.db import DatabaseError
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from accounts.credentials.models import SecretOwner
from studyservice.database.deleting import delete_alone
from studyservice.database.executing import member_known
from studyservice.database.statements import Insert, Param, Select
from studyservice.registry.data import data_of

MAX_REMEMBERED = 10_000
"""Size of the cache in a process, about 300 bytes an entry. The least recently used are dropped."""

ADD_OWNER = Insert(SecretOwner)
"""Stores the row from `owner_row`, for writes that store the credential with other statements."""


class _OwnerColumns(TypedDict):
    member_id: UUID


_OWNER = Select(SecretOwner.objects.filter(id=Param("id")), _OwnerColumns)


class _Cache:
    """A cache of owners by the ids of their secrets."""

    def __init__(self) -> None:
        self._owners: OrderedDict[UUID, UUID] = OrderedDict()
        self._lock = Lock()

    def get(self, id_: UUID) -> UUID | None:
        with self._lock:
            owner = self._owners.get(id_)
            if owner is not None:
                self._owners.move_to_end(id_)
            return owner

    def put(self, id_: UUID, owner: UUID) -> None:
        with self._lock:
            self._owners[id_] = owner
            self._owners.move_to_end(id_)
            if len(self._owners) > MAX_REMEMBERED:
                self._owners.popitem(last=False)


_cache = _Cache()


def id_of(secret_hash: str) -> UUID:
    """Return the id of the row: half of the secret's SHA-256, which is unique for 256 random bits."""
    return UUID(hex=secret_hash[:32])


def owner_of(secret_hash: str) -> UUID | None:
    """Return the id of the member whose secret has this SHA-256, or None. The first call costs a query."""
    id_ = id_of(secret_hash)
    owner = _cache.get(id_)
    if owner is None:
        row = _OWNER.first(id=id_)
        if row is None:
            return None
        owner = row["member_id"]
        _cache.put(id_, owner)
    member_known.send(None, member_id=owner)
    return owner


def owner_row(secret_hash: str, member_id: UUID) -> dict[str, Any]:
    """Return the row for a secret, and cache it in this process."""
    id_ = id_of(secret_hash)
    _cache.put(id_, member_id)
    return {"id": id_, "member_id": member_id}


def add_owner(secret_hash: str, member_id: UUID) -> None:
    """Store the member of a secret, in the transaction that stores its credential."""
    ADD_OWNER.later(**owner_row(secret_hash, member_id))


def forget_owners(member_ids: Iterable[UUID], secret_hashes: Iterable[str]) -> None:
    """Delete the rows of secrets whose credentials are deleted."""
    SecretOwner.objects.filter(member_id__in=member_ids, id__in=map(id_of, secret_hashes)).delete()


def delete_credentials(credentials: QuerySet[Any]) -> int:
    """Delete credentials whose filter names the member, with the rows of their secrets. Return their number."""
    owner, column = kind_of(credentials.model)
    found = list(credentials.order_by().values_list(owner, column))
    if found:
        delete_alone(credentials)
        forget_owners({member_id for member_id, _ in found}, [secret_hash for _, secret_hash in found])
    return len(found)


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
