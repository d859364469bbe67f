"""The revision of what calendars show: RFC 5545 section 3.8.7.4, `SEQUENCE`."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Case, F, Q, When

SHOWN = frozenset({"title", "kind", "due_on"})
"""The fields whose change is a new revision."""


def revision(changes: Mapping[str, Any]) -> dict[str, Any]:
    """What an update with `changes` does to `sequence`: one more if any field of `SHOWN` is another than it was.

    The database compares, so that it holds for whoever changes and whatever was read before.
    """
    shown = {name: value for name, value in changes.items() if name in SHOWN}
    if not shown:
        return {}
    return {"sequence": Case(When(Q(**shown), then=F("sequence")), default=F("sequence") + 1)}
