"""The limits of a credential, as a value."""

from dataclasses import dataclass
from datetime import date
from typing import Self
from uuid import UUID

import orjson


@dataclass(frozen=True, slots=True)
class Limits:
    """What a credential is limited to.

    Attributes:
        courses: the courses that it sees; None for all, also later ones, and decks of no course. Deleted ones stay
            among them, as an undo brings them back.
        grades: whether it sees grades.
        until: the last day on which it works, in the member's time zone; None for no end.
    """

    courses: tuple[UUID, ...] | None = None
    grades: bool = True
    until: date | None = None

    @property
    def keep_back(self) -> bool:
        """Whether any data is kept back."""
        return self.courses is not None or not self.grades

    def have_ended(self, today: date) -> bool:
        """Whether the last day is over; `today` is the member's."""
        return self.until is not None and today > self.until

    def keep_back_more_than(self, other: "Limits") -> bool:
        """Whether `other` allows anything that these do not."""
        if self.courses is not None and (other.courses is None or not {*other.courses} <= {*self.courses}):
            return True
        if other.grades and not self.grades:
            return True
        return self.until is not None and (other.until is None or other.until > self.until)

    def stored(self) -> str | None:
        """As the credential keeps them; None for no limits."""
        if self == NO_LIMITS:
            return None
        return orjson.dumps({"courses": self.courses, "grades": self.grades, "until": self.until}).decode()

    def in_short(self) -> str:
        """For the log of account events, which names no course."""
        told = [] if self.courses is None else [f"{len(self.courses)} courses only"]
        told += [] if self.grades else ["no grades"]
        told += [] if self.until is None else [f"until {self.until}"]
        return "".join(f"; {one}" for one in told)

    @classmethod
    def of(cls, stored: str | None) -> Self:
        """The limits that `stored` has made."""
        if not stored:
            return cls()
        kept = orjson.loads(stored)
        return cls(
            courses=None if kept["courses"] is None else tuple(map(UUID, kept["courses"])),
            grades=kept["grades"],
            until=None if kept["until"] is None else date.fromisoformat(kept["until"]),
        )


NO_LIMITS = Limits()
