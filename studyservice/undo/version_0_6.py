"""What an undo needs of changes from before version 0.7, which stored it with the fields that lists show.

Such a row has no stream but that of deletions (`Contents.has_stream`). It can be undone for 30 days after an upgrade,
so version 0.8 no longer needs this module.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.apps import apps
from django.db.models import Model, QuerySet

from studyservice.changes.contents import UNTOLD, Contents, model_of, plural_of, type_of, unpacked
from studyservice.operations.errors import Conflict
from studyservice.registry.data import Columns, columns_of, data_of
from studyservice.rows.deleting import references_to
from studyservice.undo.entries import Effects

_ORDER = "_order"
"""The field with the order of rows below an object: the id and the position of each."""

NOT_COLUMNS = frozenset(
    {"course.categories", f"item.{_ORDER}", "milestone.place", f"imported_event.{UNTOLD}remembered", "card.rating"}
)
"""Fields that are not columns, by type: orders of rows, and what rows say besides."""

_CATEGORIES, _MILESTONES = "grades.GradeCategory", "planning.Milestone"


class _Part(NamedTuple):
    """The change of one object.

    Attributes:
        name: its name before the change.
        before: the changed fields before; None for a creation.
        after: the same fields after; None for a deletion.
    """

    type: str
    id: UUID
    name: str
    before: Columns | None
    after: Columns | None


def _parts(contents: Contents, type_: str, id_: UUID, name: str) -> Iterator[_Part]:
    """Yield every object of a change, the row's own first."""
    yield _Part(type_, id_, name, contents.before, contents.after)
    for other, other_id, *rest in contents.more:
        yield _Part(other, UUID(other_id), *rest)


def add_stored_fields(effects: Effects, change: Mapping[str, Any]) -> None:
    """Add what the fields of a row of the log say.

    Raises:
        Conflict: the rows that the change deleted are no longer stored.
    """
    contents = unpacked(change["contents"])
    for part in _parts(contents, change["object_type"], change["object_id"], change["object_name"]):
        _add_part(effects, change["member_id"], part)


def _add_part(effects: Effects, member_id: UUID, part: _Part) -> None:
    """Add what became of one object. Deleted rows are in the snapshots."""
    model = model_of(part.type)
    if model is None:
        raise RuntimeError(f"No model: {part.type}")
    label, known, data = model._meta.label, columns_of(model), data_of(model)
    before, after = part.before, part.after
    if after is None:
        if part.id not in effects.rows[label]:
            raise Conflict(f"What was deleted with “{part.name}” is no longer stored, so it cannot be restored.")
        return
    if before is None:
        made = {**({} if data is None else data.log.made_with), **after}
        effects.add(label, part.id, part.name, None, {name: made[name] for name in made if name in known})
        _add_made_below(effects, member_id, model, part.id, after)
        return
    if "categories" in after:
        _add_categories(effects, part.id, before["categories"], after["categories"])
    if _ORDER in after:
        _add_order(effects, part.id, before[_ORDER], after[_ORDER])
    if names := [name for name in before if name in known and name in after]:
        old, new = ({name: side[name] for name in names} for side in (before, after))
        effects.add(label, part.id, part.name, old, new)


def _add_categories(effects: Effects, course_id: UUID, before: Any, after: Any) -> None:
    """Add the changes of a course's list of categories."""
    data = data_of(apps.get_model(_CATEGORIES))
    usual = {} if data is None else data.log.made_with
    old = {one["id"]: {**usual, **one} for one in before}
    for one in after:
        new, was = {**usual, **one}, old.get(one["id"])
        if was is None:
            new["course_id"] = str(course_id)
        if was != new:
            effects.add(_CATEGORIES, UUID(one["id"]), one["name"], was, new)
    effects.orders[_CATEGORIES, course_id] = [UUID(one["id"]) for one in after]


def _add_order(effects: Effects, item_id: UUID, before: Any, after: Any) -> None:
    """Add the moves of an item's milestones."""
    new = dict(after)
    for id_, position in before:
        if new[id_] != position:
            effects.add(_MILESTONES, UUID(id_), "", {"position": position}, {"position": new[id_]})
    effects.orders[_MILESTONES, item_id] = [UUID(id_) for id_ in new]


def _add_made_below(
    effects: Effects, member_id: UUID, model: type[Model], id_: UUID, after: Mapping[str, object]
) -> None:
    """Add rows that were created below an object, of which an old row of the log has only the number."""
    for reference in references_to(model._meta.label):
        number = after.get(plural_of(type_of(reference.model)))
        if reference.cascades and isinstance(number, int):
            rows: QuerySet[Model] = QuerySet(reference.model).filter(member_id=member_id, **{reference.attname: id_})
            ids = list(rows.order_by().values_list("pk", flat=True)[: number + 1])
            for one in ids if len(ids) <= number else ():
                effects.add(reference.model._meta.label, one, "", None, {reference.attname: str(id_)})


def unknown_field(contents: Contents, type_: str) -> str | None:
    """Return a field that an undo cannot set back, or None.

    That is one of a later version, or a reference to an object that counts its rows: moving the row back would leave
    wrong counts in both.
    """
    for part in _parts(contents, type_, UUID(int=0), ""):
        model = model_of(part.type)
        if model is None or part.before is None or part.after is None:
            continue
        data = data_of(model)
        counted = {f"{limit.per}_id" for limit in (() if data is None else data.maxima) if limit.counter}
        for name in {**part.before, **part.after}:
            is_known = name in columns_of(model) or name in _plurals() or f"{part.type}.{name}" in NOT_COLUMNS
            if not is_known or name in counted:
                return name
    return None


@cache
def _plurals() -> frozenset[str]:
    """Return the names of counts of objects."""
    return frozenset(plural_of(type_of(model)) for model in apps.get_models())
