"""Mark changes that can never be undone because an object they need is gone for good.

An object whose creation was undone, or a deleted file, cannot be restored. Earlier changes of such an object, or of
objects created below it, can no longer be undone. Their rows say so.
"""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import CASCADE, ForeignKey, QuerySet

from accounts.changes.contents import ORDER, Part, unpacked
from accounts.changes.models import Change
from accounts.changes.values import columns, model_of
from studyservice.database.ahead import update_later
from studyservice.database.batches import batches
from studyservice.database.snapshots import in_pieces

_FORGIVING = frozenset({"imported_event", "syllabus_file"})
"""Types whose fields an undo restores, or skips if the object is gone (`MemberData.undo_fields`)."""


def end_chains(member_id: UUID, gone: Iterable[UUID], since: datetime) -> None:
    """Mark the changes since `since` that need one of the objects `gone`. Call inside `writing`.

    Reads the oldest first, so that an object created below a gone one counts as gone before its own changes are read.
    """
    lost = {str(object_id) for object_id in gone}
    if not lost:
        return
    mine = Change.objects.filter(member_id=member_id)
    ended = []
    rows = mine.filter(undoable=True, undone_at=None, created_at__gte=since).order_by("created_at", "id")
    for change in in_pieces(rows.defer("taken")):
        contents = unpacked(change.contents)
        head = Part(change.object_type, change.object_id, change.object_name, contents.before, contents.after)
        parts = [head, *contents.more]
        if any(_needs(part, lost) for part in parts):
            ended.append(change.id)
            lost.update(str(part.id) for part in parts if _is_gone(member_id, part, lost))
    for batch in batches(ended):
        update_later(mine.filter(id__in=batch), undoable=False)


def _needs(part: Part, lost: set[str]) -> bool:
    """Return whether undoing the change of the object needs a lost object."""
    if part.after is None:
        return _refers(part, lost, only_cascading=True)
    if part.before is not None and part.type in _FORGIVING:
        return False
    return str(part.id) in lost or _refers(part, lost, only_cascading=False) or _ordered(part, lost)


def _ordered(part: Part, lost: set[str]) -> bool:
    """Return whether the change ordered rows of which one is lost."""
    order = (part.after or {}).get(ORDER)
    return isinstance(order, list) and any(row_id in lost for row_id, _ in order)


def _refers(part: Part, lost: set[str], *, only_cascading: bool) -> bool:
    model = model_of(part.type)
    known = {} if model is None else columns(model)
    for name, value in (*(part.before or {}).items(), *(part.after or {}).items()):
        field = known.get(name)
        if isinstance(field, ForeignKey) and str(value) in lost:
            return field.remote_field.on_delete is CASCADE or not only_cascading
    return False


def _is_gone(member_id: UUID, part: Part, lost: set[str]) -> bool:
    """Return whether an object created or deleted below a lost one is lost too, because it was not moved elsewhere."""
    model = model_of(part.type)
    if model is None or (part.before is not None and part.after is not None):
        return False
    below = _refers(part, lost, only_cascading=True)
    return below and not QuerySet(model).filter(member_id=member_id, pk=part.id).exists()
