"""Times of day as text, `HH:MM`: stored, sorted and answered in one form."""

from functools import reduce
from operator import or_
from typing import Any

from django.core.validators import RegexValidator
from django.db.models import CharField, CheckConstraint, F, Q
from django.db.models.functions import Substr
from django.db.models.lookups import In

TIME = "^([01][0-9]|2[0-3]):[0-5][0-9]$"
"""The pattern, in the form that JSON Schema shares with Python."""

NOT_A_TIME = "Must be a time written HH:MM, from 00:00 to 23:59."

END_OF_DAY = "24:00"
"""In an order, the time of what has none."""

_HOURS = [f"{hour:02}:" for hour in range(24)]
_MINUTES = [f"{minute:02}" for minute in range(60)]


class TimeOfDayField(CharField):  # type: ignore[type-arg]  # not generic when it runs
    """A time of day. Migrations know the plain field."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        ours: dict[str, Any] = {"max_length": 5, "validators": [RegexValidator(TIME, NOT_A_TIME)]}
        super().__init__(*args, **ours | kwargs)

    def deconstruct(self) -> Any:
        """Return the plain field."""
        name, _, args, kwargs = super().deconstruct()
        kwargs.pop("validators")
        return name, "django.db.models.CharField", args, kwargs


def time_of_day(field: str, *, day: str, in_order: str) -> CheckConstraint:
    """Require a time from 00:00 to 23:59 and a day with it, and in `in_order` the time as it is sorted, never null.

    It uses no regular expression: SQLite has none unless Django connects, and backups are checked without it.
    """
    in_hour = reduce(or_, (Q(**{f"{field}__startswith": hour}) for hour in _HOURS))
    is_time = Q(In(Substr(field, 4), _MINUTES), **{f"{day}__isnull": False, in_order: F(field)}) & in_hour
    return CheckConstraint(
        condition=is_time | Q(**{f"{field}__isnull": True, in_order: END_OF_DAY}),
        name=f"%(class)s_{field}",
    )
