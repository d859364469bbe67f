"""Check constraints for models: the database refuses what the code refuses, whoever writes.

The name of each is the model's and the field's: a field has one. Null passes, as in SQL.
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import CheckConstraint, Q
from django.db.models.functions import Length
from django.db.models.lookups import Range


def one_of(field: str, values: Iterable[str]) -> CheckConstraint:
    """One of a few strings; another one needs a migration."""
    return _check(field, Q(**{f"{field}__in": list(values)}))


def at_least(field: str, least: float) -> CheckConstraint:
    """A number of `least` or more."""
    return _check(field, Q(**{f"{field}__gte": least}))


def between(field: str, least: Any, most: Any) -> CheckConstraint:
    """A number from `least` to `most`, both included."""
    return _check(field, Q(**{f"{field}__range": (least, most)}))


def characters(field: str, least: int, most: int) -> CheckConstraint:
    """Text of `least` to `most` characters; SQLite keeps to no `max_length`, and nobody to a `TextField`'s."""
    return _check(field, Q(Range(Length(field), (least, most))))


def together(field: str, moment: str) -> CheckConstraint:
    """A boolean that is true if and only if there is a moment."""
    return _check(
        field, Q(**{field: True, f"{moment}__isnull": False}) | Q(**{field: False, f"{moment}__isnull": True})
    )


def _check(field: str, condition: Q) -> CheckConstraint:
    return CheckConstraint(condition=condition, name=f"%(class)s_{field}")
