"""Undo a change: all or nothing, in one write, by the form of its stored data.

The order: restore lists, restore deleted rows, restore columns, delete created objects. So nothing is deleted while it
is still referenced, and no reference points to a missing row. Within each kind the last comes first, since a call can
change a field twice.
"""

from collections.abc import Callable
from itertools import groupby
from uuid import UUID

from django.utils import timezone

from accounts.changes.chains import end_chains
from accounts.changes.contents import Part, unpacked
from accounts.changes.models import Change
from accounts.changes.recording import Write
from accounts.changes.records import ChangeRow
from accounts.changes.writing import writing
from accounts.credentials.limiting import current_limits, grades_seen
from accounts.members.data import member_data
from accounts.members.models import Member
from accounts.undo.deleted import Return
from accounts.undo.fields import put_columns_back, put_lists_back
from accounts.undo.kinds import parts_of, why_not
from accounts.undo.log import ask_for_change
from accounts.undo.made import delete_again
from accounts.undo.seen import require_wholly_seen
from studyservice.database.ahead import insert_later, update_later
from studyservice.database.limiting import WholeMember
from studyservice.hooks import HookList
from studyservice.operations.errors import Conflict, NotFound

UndoLogged = Callable[[Member, Write, UUID], bool]
"""Undoes a change that is stored in a separate log, and copies it to the log of changes. False if that log does not
have it. Raises `Conflict` if it cannot be undone.
"""

LOGS = HookList[UndoLogged]("LOGS")


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
        if change is not None:
            require_wholly_seen(change)
            with _UNDONE.rows():
                _undo(member, write, change)
        elif not any(log(member, write, change_id) for log in LOGS):
            raise NotFound("No such change. list_changes gives the ids.")
        asked = ask_for_change(member, change_id)
    told = asked()
    if told is None:
        raise NotFound("The change was deleted meanwhile.")
    return told


def _undo(member: Member, write: Write, change: Change) -> None:
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
    parts = parts_of(change.object_type, change.object_id, change.object_name, contents)
    try:
        _restore(member, write, change, parts)
    except Conflict as error:
        if current_limits().keep_back:  # the message may name objects that the credential does not see
            raise Conflict(_CONFLICT) from error
        raise


def _restore(member: Member, write: Write, change: Change, parts: list[Part]) -> None:
    changed = [part for part in reversed(parts) if part.before is not None and part.after is not None]
    for part in changed:
        put_lists_back(member, write, part)
    if change.taken is not None:
        Return(member, write).of(bytes(change.taken))
    put_columns_back(write, changed, parts[0])
    made = [part for part in reversed(parts) if part.before is None]
    for type_, of_type in groupby(made, lambda part: part.type):
        delete_again(member, write, type_, list(of_type))
    for data in member_data():
        if data.settle is not None:
            data.settle(member, write)
    write.took_back(parts, change)
    update_later(Change.objects.filter(member_id=member.id, id=change.id), undone_at=write.now)
    end_chains(member.id, write.snapshots.objects, change.created_at)


def store_undone(member: Member, write: Write, change: Change, part: Part) -> None:
    """Copy an undone change from another log to the log of changes, where it remains visible."""
    change.member_id, change.undoable, change.undone_at = member.id, True, write.now
    insert_later([change])
    write.took_back([part], change)
