"""Undo a change: all or nothing, in one write."""

from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

from django.utils import timezone

from accounts.changes.contents import unpacked
from accounts.changes.models import Change
from accounts.changes.recording import Write
from accounts.changes.records import ChangeRow
from accounts.changes.writing import writing
from accounts.credentials.limiting import current_limits, grades_seen
from accounts.members.models import Member
from accounts.undo.engine import undo_effects
from accounts.undo.entries import Effects, effects_of
from accounts.undo.kinds import why_not
from accounts.undo.log import ask_for_change
from accounts.undo.seen import require_wholly_seen
from studyservice.database.ahead import insert_later, update_later
from studyservice.database.limiting import WholeMember
from studyservice.hooks import HookList
from studyservice.operations.errors import Conflict, NotFound


class Logged(NamedTuple):
    """A change that is stored in a separate log, as a row of the log of changes that is not stored yet."""

    change: Change
    effects: Effects


FindLogged = Callable[[Member, UUID], Logged | None]
"""Returns a change that is stored in a separate log, or None. Raises `Conflict` if it cannot be undone."""

LOGS = HookList[FindLogged]("LOGS")

_UNDONE = WholeMember("undoing a change that the credential sees as a whole restores all that it did")
_CONFLICT = "Something that happened since stands in the way, so nothing was changed."


def undo_change(member: Member, change_id: UUID) -> ChangeRow:
    """Undo a change. Return it as answers show it from then on.

    Raises:
        NotFound: the member has no such change.
        Conflict: it cannot be undone, was already undone, or conflicts with a later change. Nothing was changed.
    """
    with writing(member.id, "undo_change") as write:
        with grades_seen():
            change = Change.objects.filter(member_id=member.id, id=change_id).first()
        logged = None
        if change is None:
            logged = next((found for log in LOGS if (found := log(member, change_id)) is not None), None)
            if logged is None:
                raise NotFound("No such change. list_changes gives the ids.")
            change = logged.change
        require_wholly_seen(change)
        with _UNDONE.rows():
            _undo(member, write, change, None if logged is None else logged.effects)
        asked = ask_for_change(member, change_id)
    told = asked()
    if told is None:
        raise NotFound("The change was deleted meanwhile.")
    return told


def _undo(member: Member, write: Write, change: Change, effects: Effects | None) -> None:
    """Undo the change, and mark it. One from a separate log moves to the log of changes, where it remains visible."""
    contents = unpacked(change.contents)
    reason = why_not(
        change.operation,
        change.object_type,
        contents,
        created_at=change.created_at,
        kept=change.undoable,
        undone=change.undone_at is not None,
        now=timezone.now(),
    )
    if reason is not None:
        raise Conflict(reason)
    try:
        undo_effects(member, write, effects or effects_of(member, change, write.now), change.object_id)
    except Conflict as error:
        if current_limits().keep_back:  # the message may name objects that the credential does not see
            raise Conflict(_CONFLICT) from error
        raise
    if effects is not None:
        change.undone_at = write.now
        insert_later([change])
    else:
        update_later(Change.objects.filter(member_id=member.id, id=change.id), undone_at=write.now)
    write.took_back(contents, change)
