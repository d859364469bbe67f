"""Undo a change of fields: restore the old values, if the fields are still as the change left them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, Field, ForeignKey, Model, QuerySet

from accounts.changes.contents import Part
from accounts.changes.recording import Write
from accounts.changes.values import as_kept, changed_since, columns, model_of, value_of
from accounts.members.data import data_of, is_only, undo_field
from accounts.members.models import Member
from studyservice.database.ahead import update_later
from studyservice.database.batches import batches
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


def put_columns_back(write: Write, parts: Sequence[Part], head: Part) -> None:
    """Restore fields that are columns. One query for each type of object.

    Args:
        write: of the undo.
        parts: the changes of the objects, the last one first.
        head: the change of the object that the log's row is about.

    Raises:
        Conflict: an object is gone, a field is no longer as the change left it, or an old reference is gone or taken.
    """
    changed = [(part, names) for part in parts if (names := _columns_of(part))]
    wanted: defaultdict[type[Model], set[UUID]] = defaultdict(set)
    for part, _ in changed:
        wanted[_model_of(part)].add(part.id)
    present = {model: _present(write, model, ids) for model, ids in wanted.items()}
    for part, names in changed:
        found = present[_model_of(part)].get(part.id)
        if found is None:
            raise Conflict(f"“{part.name}” is gone. Undo its deletion first.")
        _put_back(write, found, part, names, is_head=part is head)


def _columns_of(part: Part) -> list[str]:
    """Return the changed fields that are columns."""
    known = columns(_model_of(part))
    return [name for name in part.before or () if name in known and undo_field(f"{part.type}.{name}") is None]


def _model_of(part: Part) -> type[Model]:
    model = model_of(part.type)
    if model is None:
        raise RuntimeError(f"No model: {part.type}")
    return model


def _present(write: Write, model: type[Model], wanted: set[UUID]) -> dict[UUID, Model]:
    """Return the stored objects by their ids."""
    mine: QuerySet[Model] = QuerySet(model).filter(member_id=write.member_id)
    found: dict[UUID, Model] = {}
    for ids in batches(wanted):
        found |= mine.in_bulk(ids)
    return found


def _put_back(write: Write, found: Model, part: Part, names: list[str], *, is_head: bool) -> None:
    """Restore the fields of an object, in the database and in `found`: another part may have changed it too."""
    if part.before is None or part.after is None:
        raise RuntimeError(f"No change of fields: {part.type}")
    model = type(found)
    known = columns(model)
    present = as_kept({name: getattr(found, name) for name in names})
    if changed := [name for name in names if present[name] != part.after[name]]:
        raise Conflict(f"{changed_since(changed, found)}, and an undo overwrites nothing. Undo the later change first.")
    values = {name: value_of(known[name], part.before[name]) for name in names}
    for name, value in values.items():
        _require_target(write, found, known[name], value)
    for name, value in values.items():
        setattr(found, name, value)
    data = data_of(model)
    is_own = data is None or is_head or not values.keys() <= {*data.unstamped}
    if data is not None and data.derived is not None:
        values |= data.derived({name: getattr(found, name) for name in known} | values)
    if "updated_at" in known and is_own:
        values["updated_at"] = write.now
    if "sequence" in known and is_own:
        values["sequence"] = F("sequence") + 1  # otherwise calendars would consider the older version newer
    update_later(QuerySet(model).filter(member_id=write.member_id, pk=part.id), **values)


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
