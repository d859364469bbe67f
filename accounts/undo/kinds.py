"""Decide from the rows of changes which ones can be undone, and explain why others cannot."""

from datetime import datetime
from functools import cache
from uuid import UUID

from django.apps import apps

from accounts.changes.contents import Contents, Part, plural_of, type_of
from accounts.changes.models import UNDOABLE_FOR
from accounts.changes.records import ChangeRow
from accounts.changes.values import model_of
from accounts.members.data import columns_of, data_of
from accounts.undo.entries import NOT_COLUMNS

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


def why_not(
    operation: str,
    object_type: str,
    contents: Contents,
    *,
    created_at: datetime,
    kept: bool,
    undone: bool,
    now: datetime,
) -> str | None:
    """Return why a change can never be undone, whatever happened since; None if it may be.

    Args:
        kept: whether the row has all data that an undo needs.
        undone: whether it was undone.
        now: the true time.
    """
    if undone:
        return DONE
    if operation in _NEVER:
        return _NEVER[operation]
    if not kept and not contents.has_stream:
        return _not_kept(object_type, contents)
    if created_at <= now - UNDOABLE_FOR:
        return TOO_OLD
    if contents.has_stream:
        return _unknown_type(object_type)
    unknown = map(_unknown, contents.parts(object_type, UUID(int=0), ""))
    return next(filter(None, unknown), None)


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


def _unknown_type(type_: str) -> str | None:
    return None if model_of(type_) else f"A change of a {type_.replace('_', ' ')} cannot be undone. {_INSTEAD}"


def _unknown(part: Part) -> str | None:
    """Return why a change with unknown fields cannot be undone. None if all are known."""
    model = model_of(part.type)
    if model is None:
        return _unknown_type(part.type)
    if part.before is None or part.after is None:
        return None
    known, data = columns_of(model), data_of(model)
    counted = {f"{limit.per}_id" for limit in (() if data is None else data.limits) if limit.counter}
    for name in {**part.before, **part.after}:
        is_known = name in known or name in _plurals() or f"{part.type}.{name}" in NOT_COLUMNS
        if not is_known or name in counted:  # moving the row back would leave wrong counts in both places
            return f"A change of {name} cannot be undone. {_INSTEAD}"
    return None


@cache
def _plurals() -> frozenset[str]:
    """Return the names of counts of objects."""
    return frozenset(plural_of(type_of(model)) for model in apps.get_models())
