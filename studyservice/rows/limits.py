"""The limits of a credential, as a value, and the operations and fields that it must not use because of them.

Those are checked with the scopes, before ids. Another scope does not help.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import orjson
from django.conf import settings
from django.utils.formats import date_format

from studyservice.operations.declaration import Operation
from studyservice.operations.errors import InsufficientScope


class Form(NamedTuple):
    """A kind of limits.

    Attributes:
        courses: how many courses are seen: "all", "one" or "some".
        grades: whether grades are seen.
    """

    courses: str = "all"
    grades: bool = True


WHOLE = Form()


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a credential.

    Attributes:
        courses: ids of the courses that it sees, as text, the form in which they are stored and sent to the database.
            None for all, including later ones and decks without a course. Deleted courses stay in the list, because an
            undo can restore them.
        grades: whether it sees grades.
        until: the last day on which it works, in the member's time zone; None for no end.
    """

    courses: tuple[str, ...] | None = None
    grades: bool = True
    until: date | None = None

    @property
    def keep_back(self) -> bool:
        """Return whether any data is hidden."""
        return self.courses is not None or not self.grades

    @property
    def form(self) -> Form:
        """Return the form of statements under these limits."""
        if self.courses is None:
            return WHOLE if self.grades else Form(grades=False)
        return Form("one" if len(self.courses) == 1 else "some", self.grades)

    def have_ended(self, today: date) -> bool:
        """Return whether the last day is over; `today` is the member's date."""
        return self.until is not None and today > self.until

    def keep_back_more_than(self, other: "Limits") -> bool:
        """Return whether `other` allows anything that these do not."""
        if self.courses is not None and (other.courses is None or not {*other.courses} <= {*self.courses}):
            return True
        if other.grades and not self.grades:
            return True
        return self.until is not None and (other.until is None or other.until > self.until)

    def stored(self) -> str | None:
        """Return the limits as stored with the credential; None for no limits."""
        if self == NO_LIMITS:
            return None
        return orjson.dumps({"courses": self.courses, "grades": self.grades, "until": self.until}).decode()

    def compared_with(self, before: "Limits") -> str:
        """How they differ from those of before, for the log of account events; empty if they allow the same."""
        narrower, wider = self.keep_back_more_than(before), before.keep_back_more_than(self)
        if not narrower and not wider:
            return ""
        how = "different" if narrower and wider else "narrower" if narrower else "wider"
        return f"{how}: {self.in_short().removeprefix('; ') or 'none are left'}"

    def in_short(self) -> str:
        """Return a short form for the log of account events, without course names."""
        number = 0 if self.courses is None else len(self.courses)
        told = [] if self.courses is None else ["1 course only" if number == 1 else f"{number} courses only"]
        told += [] if self.grades else ["no grades"]
        told += [] if self.until is None else [f"until {day_in_words(self.until)}"]
        return "".join(f"; {one}" for one in told)

    @staticmethod
    def of(stored: str | None) -> "Limits":
        """Return the limits from the output of `stored`."""
        return _read(stored) if stored else NO_LIMITS


@lru_cache(maxsize=1_000)
def _read(stored: str) -> Limits:
    """Return stored limits. Cached, because they are read at each call. An entry has 4 kB with 30 courses."""
    kept = orjson.loads(stored)
    return Limits(
        courses=None if kept["courses"] is None else tuple(kept["courses"]),
        grades=kept["grades"],
        until=None if kept["until"] is None else date.fromisoformat(kept["until"]),
    )


def day_in_words(day: date) -> str:
    """Return `day` as pages write it: 31 December 2026."""
    return date_format(day, "j F Y")


NO_LIMITS = Limits()


_PART = (
    "This credential sees a part of the member's data, and this is about all of it. "
    "The member can change what it sees at {base}/keys."
)


class GradesHidden(InsufficientScope):
    """The call is about grades, which the member hides from the credential."""

    cause = "grades_hidden"
    default_message = "The member keeps grades to themself."


class PartHidden(InsufficientScope):
    """The call is about more of the member's data than the credential sees."""

    cause = "part_hidden"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or _PART.format(base=settings.BASE_URL))


def require_within(operation: Operation, limits: Limits) -> None:
    """Refuse operations on the whole account, and on grades if the credential hides them.

    Raises:
        PartHidden: the operation is on the whole account.
        GradesHidden: the operation is on grades.
    """
    if operation.whole_account and limits.keep_back:
        raise PartHidden
    if operation.grades and not limits.grades:
        raise GradesHidden


def require_grades_left_out(operation: Operation, limits: Limits, sent: object) -> None:
    """Refuse a body with grade fields if the credential hides grades.

    Raises:
        GradesHidden: the body has such a field.
    """
    if not limits.grades and any(_has(sent, field) for field in operation.grade_fields):
        raise GradesHidden


def _has(sent: object, path: str) -> bool:
    """Return whether a body has a non-null value at the path, in any entry of a list."""
    name, _, rest = path.partition(".")
    if not isinstance(sent, Mapping) or sent.get(name) is None:
        return False
    value = sent[name]
    return any(_has(entry, rest) for entry in value) if rest and isinstance(value, list) else not rest
