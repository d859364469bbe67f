"""Taking back a change of fields: they go back to what they were, if they are what the change made of them."""

from django.db.models import F, ForeignKey, Model, QuerySet

from accounts.changes.contents import Part
from accounts.changes.recording import Write
from accounts.changes.values import as_kept, changed_since, columns, model_of, value_of
from accounts.members.data import undo_field
from accounts.members.models import Member
from studyservice.operations.errors import Conflict


def put_lists_back(member: Member, write: Write, part: Part) -> None:
    """The fields that are no columns, or more than columns.

    Raises:
        Conflict: they are no longer as the change left them.
    """
    before, after = part.before or {}, part.after or {}
    for name in {**before, **after}:
        put_back = undo_field(f"{part.type}.{name}")
        if put_back is not None:
            put_back(member, write, part.id, after.get(name), before.get(name))


def put_columns_back(write: Write, part: Part) -> None:
    """The fields that are columns.

    Raises:
        Conflict: the object is gone, a field is no longer as the change left it, or what it referred to is gone.
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
    if others := [name for name in names if present[name] != part.after[name]]:
        raise Conflict(f"{changed_since(others, found)}, and an undo overwrites nothing. Undo the later change first.")
    values = {name: value_of(known[name], part.before[name]) for name in names}
    for name, value in values.items():
        field = known[name]
        if isinstance(field, ForeignKey) and value is not None:
            target: QuerySet[Model] = QuerySet(field.related_model).filter(member_id=write.member_id, pk=value)
            if not target.exists():
                raise Conflict(f"The {field.verbose_name} that “{found}” had is gone. Undo the deletion of that first.")
    if "updated_at" in known:
        values["updated_at"] = write.now
    if "sequence" in known:
        values["sequence"] = F("sequence") + 1  # calendars take the older version for the newer otherwise
    mine.update(**values)
