"""Limits on the number of rows that a member, or one object of a member, may have."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from studyservice.database.limiting import WholeMember
from studyservice.operations.errors import Conflict

_COUNTED = WholeMember("count limits count all rows of the member")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The most rows of a model. Creating, undoing and importing use the same object.

    Attributes:
        most: rows.
        what: names the rows: `items of a course`.
        full: the error message, with `{most}`.
        per: path to the object whose rows count together, like `category__course`. Empty: all rows of the member.
        counter: column of that object with the number of rows, if there is one.
    """

    most: int
    what: str
    full: str
    per: str = ""
    counter: str = ""

    def refusal(self) -> Conflict:
        """The error when there is no space for another row."""
        return Conflict(self.full.format(most=self.most))

    def has_room(self, rows: "QuerySet[Any]", more: int = 1) -> bool:
        """Return whether `more` rows fit beside `rows`, which count together. One query, under the member's lock."""
        with _COUNTED.rows():
            return rows.count() + more <= self.most

    def require_room(self, rows: "QuerySet[Any]", more: int = 1) -> None:
        """Raise `refusal` unless `has_room`."""
        if not self.has_room(rows, more):
            raise self.refusal()
