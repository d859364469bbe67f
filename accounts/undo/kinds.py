"""Decide from the rows of changes which ones can be undone, and explain why others cannot."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from accounts.changes.contents import Contents, as_words, model_of
from accounts.changes.models import UNDOABLE_FOR
from accounts.changes.records import ChangeRow
from accounts.undo.version_0_6 import unknown_field

DONE = "This change was already undone."
_INSTEAD = "Change it back by hand, or ask your assistant to."
TOO_OLD = f"Changes can be undone for {UNDOABLE_FOR.days} days. {_INSTEAD}"
NOTHING_CHANGED = "This change has nothing to undo."
IS_UNDO = "An undo cannot be undone. Make the change again instead."
FILES = "Deleted files cannot be restored. Upload them again."
IMPORT = "An import cannot be undone. Delete its courses and decks instead."
SCHOOL_CALENDAR = "Deleting a calendar cannot be undone. Add it again."
NOT_KEPT = f"This can no longer be undone. {_INSTEAD}"

_NEVER = {"undo_change": IS_UNDO, "import_data": IMPORT, "delete_school_calendar": SCHOOL_CALENDAR}
"""Operations that cannot be undone, whatever they changed."""


def why_not(change: Mapping[str, Any], contents: Contents, now: datetime) -> str | None:
    """Return why a change can never be undone, whatever happened since; None if it may be.

    Args:
        change: columns of its row in the log.
        now: the true time.
    """
    if change["undone_at"] is not None:
        return DONE
    if change["operation"] in _NEVER:
        return _NEVER[change["operation"]]
    if not change["undoable"] and not contents.has_stream:
        return _not_kept(change["object_type"], contents)
    if change["created_at"] <= now - UNDOABLE_FOR:
        return TOO_OLD
    for type_ in (change["object_type"], *(other for other, *_ in contents.more)):
        if model_of(type_) is None:
            return f"A change of a {as_words(type_)} cannot be undone. {_INSTEAD}"
    name = None if contents.has_stream else unknown_field(contents, change["object_type"])
    return None if name is None else f"A change of {name} cannot be undone. {_INSTEAD}"


def told_why_not(change: ChangeRow, now: datetime) -> str:
    """Return the same for a change in an answer. Empty if it may be undone."""
    if change["undoable"]:
        return ""
    if change["undone_at"] is not None:
        return DONE
    if change["operation"] in _NEVER:
        return _NEVER[change["operation"]]
    if change["before"] is None and change["after"] is None:
        return NOTHING_CHANGED
    if change["object"]["type"] == "syllabus_file":
        return FILES
    return TOO_OLD if change["created_at"] <= now - UNDOABLE_FOR else NOT_KEPT


def _not_kept(object_type: str, contents: Contents) -> str:
    if contents.before is None and contents.after is None:
        return NOTHING_CHANGED
    return FILES if object_type == "syllabus_file" else NOT_KEPT
