"""Check constraints for models, so that the database enforces the rules of the code for every writer.

Names consist of the model and the field, so a field has at most one. Null passes, as in SQL.
"""

from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError
from django.db.models import CheckConstraint, Q
from django.db.models.functions import Length
from django.db.models.lookups import Range

_DUPLICATE = frozenset({"23505", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"})
"""SQLSTATE of PostgreSQL (unique_violation), and the names of SQLite's extended result codes."""


_CHECK = frozenset({"23514", "SQLITE_CONSTRAINT_CHECK"})
"""The same of a check (check_violation)."""


def is_duplicate(error: IntegrityError) -> bool:
    """Return whether a unique key was violated, rather than another constraint."""
    cause = error.__cause__
    return getattr(cause, "sqlstate", getattr(cause, "sqlite_errorname", None)) in _DUPLICATE


def breaks_a_rule(error: IntegrityError) -> bool:
    """Return whether a check constraint refused a row."""
    cause = error.__cause__
    return getattr(cause, "sqlstate", getattr(cause, "sqlite_errorname", None)) in _CHECK


def one_of(field: str, values: Iterable[str]) -> CheckConstraint:
    """Allow only a few strings. Adding one needs a migration."""
    return _check(field, Q(**{f"{field}__in": list(values)}))


def at_least(field: str, least: float) -> CheckConstraint:
    """Require a number of at least `least`."""
    return _check(field, Q(**{f"{field}__gte": least}))


def between(field: str, least: Any, most: Any) -> CheckConstraint:
    """Require a number from `least` to `most`, inclusive."""
    return _check(field, Q(**{f"{field}__range": (least, most)}))


def characters(field: str, least: int, most: int) -> CheckConstraint:
    """Require `least` to `most` characters. SQLite ignores `max_length`, and every database that of a `TextField`."""
    return _check(field, Q(Range(Length(field), (least, most))))


def together(field: str, moment: str) -> CheckConstraint:
    """Require a boolean to be true if and only if the moment is set."""
    return _check(
        field, Q(**{field: True, f"{moment}__isnull": False}) | Q(**{field: False, f"{moment}__isnull": True})
    )


def _check(field: str, condition: Q) -> CheckConstraint:
    return CheckConstraint(condition=condition, name=f"%(class)s_{field}")
