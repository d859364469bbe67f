"""What the apps above know of their own rows when a change is taken back; settings name them.

Whatever is not named here is taken back by the form of the rows alone (`accounts.undo.undo`).
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from accounts.changes.recording import Write
from accounts.members.models import Member
from studyservice.hooks import HookList, HookTable

Columns = dict[str, Any]
"""A row by the names of its columns; of an emptied reference its id alone."""

OfRows = Callable[[Member, list[Columns]], None]
OfField = Callable[[Member, Write, UUID, Any, Any], None]
OfLog = Callable[[Member, Write, UUID], bool]

COME_BACK = HookTable[OfRows]("COME_BACK")
"""By a table's label, or that of an emptied reference as `practice.Attempt.deck_id`: called with the rows that came
back; counts them, and raises `Conflict` where a limit is full."""

GO_AGAIN = HookTable[OfRows]("GO_AGAIN")
"""By a table's label: called with the rows that were made and are about to be deleted again, to count them no more."""

FIELDS = HookTable[OfField]("FIELDS")
"""By type and field, as `course.categories`: puts a field back that is no column, or moves rows. Called with the
object's id and the values that the change left and that were before it; raises `Conflict` if they are others by now."""

LOGS = HookList[OfLog]("LOGS")
"""Takes back a change that stands in a log of its own, and stores it in the log of changes; False if it is none there.

Raises `Conflict` if it stands in the way."""
