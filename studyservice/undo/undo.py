"""Undo a change: all or nothing, in one write."""

from dataclasses import replace
from uuid import UUID

from django.utils import timezone

from studyservice.changes.contents import ChangeRow, unpacked
from studyservice.operations.errors import Conflict, NotFound
from studyservice.rows.access import Access, change
from studyservice.rows.rows import Row
from studyservice.undo.engine import undo_effects
from studyservice.undo.entries import Effects, effects_of
from studyservice.undo.log import CHANGES, REVIEW_LOG, ask_for_change
from studyservice.undo.seen import NOT_KEPT, require_wholly_seen, why_not
from studyservice.undo.version_0_6 import add_stored_fields

_CONFLICT = "Something that happened since stands in the way, so nothing was changed."


def undo_change(access: Access, change_id: UUID) -> ChangeRow:
    """Undo a change. Return it as answers show it from then on.

    Raises:
        NotFound: the call sees no such change.
        PartHidden: the call sees only a part of it.
        GradesHidden: it is about hidden grades.
        Conflict: it cannot be undone, was already undone, or conflicts with a later change. Nothing was changed.
    """
    with_grades = replace(access, limits=replace(access.limits, grades=True))
    with change(access, "undo_change"):
        row, effects = CHANGES.of(with_grades).find(id=change_id), None
        if row is None:
            logged = REVIEW_LOG.get().find(access, change_id)
            if logged is None:
                raise NotFound("No such change. list_changes gives the ids.")
            row, effects = logged
        require_wholly_seen(access.limits, row)
        _undo(access, row, effects)
        asked = ask_for_change(access, change_id)
    told = asked()
    if told is None:
        raise NotFound("The change was deleted meanwhile.")
    return told


def _undo(access: Access, row: Row, effects: Effects | None) -> None:
    """Undo the change, and mark it. A review moves to the log of changes, where it remains visible."""
    contents = unpacked(row["contents"])
    reason = why_not(row, contents, timezone.now())
    if reason is None and contents.has_stream and effects is None and row["taken"] is None:
        reason = NOT_KEPT  # purged
    if reason is not None:
        raise Conflict(reason)
    write = access.open_write
    try:
        found = effects or effects_of(access.member, row, write.now)
        if effects is None and not contents.has_stream:
            add_stored_fields(found, row)
        undo_effects(access.member, write, found, row["object_id"])
    except Conflict as error:
        if access.limits.keep_back:  # the message may name objects that the credential does not see
            raise Conflict(_CONFLICT) from error
        raise
    if effects is not None:
        CHANGES.of(access).insert(row | {"undone_at": write.now})
    else:
        CHANGES.of(access).update(row, {"undone_at": write.now})
    write.took_back(contents, row)
