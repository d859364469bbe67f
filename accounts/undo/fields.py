"""Undo a change of fields: restore the old values, if the fields are still as the change left them."""

from typing import Any

from django.db.models import F, Field, ForeignKey, Model, QuerySet

from accounts.changes.contents import Part
from accounts.changes.recording import Write
from accounts.changes.values import as_kept, changed_since, columns, model_of, value_of
from accounts.members.data import data_of, is_only, undo_field
from accounts.members.models import Member
from studyservice.database.ahead import update_later
from studyservice.operations.errors import Conflict


def put_lists_back(member: Member, write: Write, part: Part) -> None:
    """Restore fields that are not columns, or more than columns.

    Raises:
        Conflict: they are no longer as the change left them.
    """
    before, after = part.before or {}, part.after or {}
    for name in {**before, **after}:
        put_back = undo_field(f"{part.type}.{name}")
        if put_back is not None:
            put_back(member, write, part.id, after.get(name), before.get(name))


def put_columns_back(write: Write, part: Part, *, is_head: bool) -> None:
    """Restore fields that are columns.

    Args:
        write: of the undo.
        part: the change of the object.
        is_head: whether the log's row is about this object.

    Raises:
        Conflict: the object is gone, a field is no longer as the change left it, or the old reference is gone or taken.
    """
    model = model_of(part.type)
    if model is None or part.before is None or part.after is None:
        raise RuntimeError(f"No change of fields: {part.type}")
    known = columns(model)
    names = [name for name in part.before if name in known and undo_field(f"{part.type}.{name}") is None]
    if not names:
        return
    mine: QuerySet[Model] = QuerySet(model).filter(member_id=write.member_id, pk=part.id)
    found = mine.first()
    if found is None:
        raise Conflict(f"“{part.name}” is gone. Undo its deletion first.")
    present = as_kept({name: getattr(found, name) for name in names})
    if changed := [name for name in names if present[name] != part.after[name]]:
        raise Conflict(f"{changed_since(changed, found)}, and an undo overwrites nothing. Undo the later change first.")
    values = {name: value_of(known[name], part.before[name]) for name in names}
    for name, value in values.items():
        _require_target(write, found, known[name], value)
    data = data_of(model)
    is_own = data is None or is_head or not values.keys() <= {*data.unstamped}
    if data is not None and data.derived is not None:
        values |= data.derived({name: getattr(found, name) for name in known} | values)
    if "updated_at" in known and is_own:
        values["updated_at"] = write.now
    if "sequence" in known and is_own:
        values["sequence"] = F("sequence") + 1  # otherwise calendars would consider the older version newer
    update_later(mine, **values)


def _require_target(write: Write, of: Model, field: "Field[Any, Any]", value: object) -> None:
    """Check that the old target of a reference exists, and is free if only one row may refer to it."""
    if not isinstance(field, ForeignKey) or value is None:
        return
    target: QuerySet[Model] = QuerySet(field.related_model).filter(member_id=write.member_id, pk=value)
    if not target.exists():
        raise Conflict(f"The {field.verbose_name} that “{of}” had is gone. Undo the deletion of that first.")
    if is_only(type(of), field.attname):
        mine: QuerySet[Model] = QuerySet(type(of)).filter(member_id=write.member_id)
        if (other := mine.filter(**{field.attname: value}).first()) is not None:
            raise Conflict(f"“{other}” has the {field.verbose_name} that “{of}” had. Undo that first.")
