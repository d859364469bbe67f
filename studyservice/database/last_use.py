"""The time of a row's last use, stored at most once in five minutes."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

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
