"""The revision of calendar events: RFC 5545 section 3.8.7.4, `SEQUENCE`."""

from collections.abc import Mapping, Set
from typing import Any

from django.db.models import Case, F, Q, When

SHOWN_OF_ITEM = frozenset({"title", "kind", "due_on", "done"})
"""Fields whose change increases the revision."""


def revision(changes: Mapping[str, Any], shown: Set[str]) -> dict[str, Any]:
    """The next `sequence` after `changes`: one more if any field of `shown` changed.

    The database compares the values, so the result is correct for every writer.
    """
    compared = {name: value for name, value in changes.items() if name in shown}
    if not compared:
        return {}
    return {"sequence": Case(When(Q(**compared), then=F("sequence")), default=F("sequence") + 1)}
