"""The rows that decide whether a change can be undone, read in one round trip on PostgreSQL."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.apps import apps
from django.db.models import Count, ForeignKey, Model, QuerySet

from studyservice.database.executing import Ahead, batches
from studyservice.registry.data import Columns, columns_of, data_of, member_data, target_of
from studyservice.rows.deleting import Reference, references_to, referring_to
from studyservice.undo.entries import Effects, Entry


class Below(NamedTuple):
    """The rows that refer to created rows through one reference.

    Attributes:
        numbers: by created row, how many refer to it, without those that the undo deletes or makes refer elsewhere.
    """

    reference: Reference
    numbers: Counter[UUID]


class Stored:
    """The entries of a change, and the rows that its undo needs.

    Attributes:
        made: entries of created rows, by label of a model, parents first, and by id.
        back: the same of deleted rows, which come back.
        changed: the same of changed rows.
        rows: the created and changed rows as they are, by label and id.
        emptied: by emptied reference, its present value in each stored row.
        orders: by label and parent, the positions of its rows, in order.
        below: what refers to created rows, by label.
    """

    def __init__(self, member_id: UUID, effects: Effects) -> None:
        self._member_id = member_id
        self._effects = effects
        entries = {label: effects.rows[label] for label in sorted(effects.rows, key=place_of)}
        self.made = _chosen(entries, lambda one: one.before is None)
        self.back = _chosen(entries, lambda one: one.after is None)
        self.changed = _chosen(entries, lambda one: one.before is not None and one.after is not None)
        rows = {label: self._ask(label, {*self.made[label], *self.changed[label]}) for label in entries}
        targets = {label: self._ask(label, ids, ("id", "member_id")) for label, ids in self._targets().items()}
        emptied = {one: self._ask(one.label, ids, ("id", one.attname)) for one, ids in effects.emptied.items()}
        orders = {label: self._ask_order(label, parents) for label, parents in self._parents().items()}
        below = {label: [*self._ask_below(label)] for label in entries}
        self.rows = {label: {row["id"]: row for row in found} for label, found in rows.items()}
        self._targets_there = {label: {row["id"] for row in found} for label, found in targets.items()}
        self.emptied = {one: {row["id"]: row[one.attname] for row in found} for one, found in emptied.items()}
        self.orders = {label: _by_parent(found) for label, found in orders.items()}
        self.below = {label: [self._others(*one) for one in found] for label, found in below.items()}

    def mine(self, label: str) -> QuerySet[Model]:
        """Return the member's rows of a model."""
        return QuerySet(apps.get_model(label)).filter(member_id=self._member_id)

    def has(self, label: str, id_: UUID) -> bool:
        """Return whether an object that a restored reference needs is stored, or comes back too."""
        return id_ in self.back.get(label, {}) or id_ in self._targets_there.get(label, ())

    def _ask(self, label: str, ids: Iterable[UUID], names: Iterable[str] = ()) -> Iterator[Columns]:
        """Queue the query of rows, with all columns or these. Return an iterator over them."""
        model: type[Model] = apps.get_model(label)
        names = [*(names or columns_of(model))]
        asked = [Ahead(self.mine(label).filter(pk__in=batch).order_by().values_list(*names)) for batch in batches(ids)]
        return (dict(zip(names, row, strict=True)) for found in asked for row in found)

    def _targets(self) -> dict[str, set[UUID]]:
        """Return the objects that restored references need, by label, except those that come back too."""
        wanted: defaultdict[str, set[UUID]] = defaultdict(set)
        for entries in (self.back, self.changed):
            for label, of_label in entries.items():
                for key in keys_of(label):
                    values = {(one.before or {}).get(key.attname) for one in of_label.values()} - {None}
                    wanted[key.related_model._meta.label] |= {_id(value) for value in values}
        for one in self._effects.emptied:
            wanted[target_of(one.label, one.attname)].add(one.to)
        return {label: ids - self.back.get(label, {}).keys() for label, ids in wanted.items()}

    def _parents(self) -> dict[str, set[UUID]]:
        """Return the parents whose order goes back, and those to which rows with a place come back."""
        wanted: defaultdict[str, set[UUID]] = defaultdict(set)
        for label, parent_id in self._effects.orders:
            wanted[label].add(parent_id)
        for label, entries in self.back.items():
            if moved(label) and entries:
                parent = order_of(label)[0]
                restored = self.back.get(target_of(label, parent), {}).keys()
                wanted[label] |= {one.before[parent] for one in entries.values() if one.before} - restored
        return wanted

    def _ask_order(self, label: str, parents: set[UUID]) -> Iterator[tuple[Any, ...]]:
        """Queue the query of parent, id and position of the parents' rows."""
        parent, *_ = order_of(label)
        mine = self.mine(label).order_by(*order_of(label)).values_list(parent, "pk", "position")
        asked = [Ahead(mine.filter(**{f"{parent}__in": batch})) for batch in batches(parents)]
        return (row for found in asked for row in found)

    def _ask_below(self, label: str) -> Iterator[tuple[Reference, list[Ahead[Any]]]]:
        """Queue the queries of how many rows refer to each created row by a foreign key.

        Those that the service remembers do not count.
        """
        for reference in references_to(label):
            if not is_remembered(reference):
                asked = []
                for ids in batches(self.made[label]):
                    rows = referring_to(reference, self._member_id, self.mine(label).filter(pk__in=ids))
                    numbers = rows.order_by().values_list(reference.attname).annotate(number=Count("pk"))
                    asked.append(Ahead(numbers))
                yield reference, asked

    def _others(self, reference: Reference, asked: list[Ahead[Any]]) -> Below:
        label = reference.model._meta.label
        entries = (*self.made.get(label, {}).values(), *self.changed.get(label, {}).values())
        ours = Counter(_id(to) for one in entries if (to := (one.after or {}).get(reference.attname)) is not None)
        return Below(reference, Counter(dict(row for found in asked for row in found)) - ours)


def _chosen(entries: dict[str, dict[UUID, Entry]], chosen: Callable[[Entry], bool]) -> dict[str, dict[UUID, Entry]]:
    return {label: {id_: one for id_, one in rows.items() if chosen(one)} for label, rows in entries.items()}


def _by_parent(rows: Iterable[tuple[Any, ...]]) -> defaultdict[UUID, dict[UUID, int]]:
    found: defaultdict[UUID, dict[UUID, int]] = defaultdict(dict)
    for parent_id, id_, position in rows:
        found[parent_id][id_] = position
    return found


def _id(value: Any) -> UUID:
    """Return an id from a row or from the log."""
    return value if isinstance(value, UUID) else UUID(value)


def is_remembered(reference: Reference) -> bool:
    """Return whether the service, rather than the member, made the rows with this reference."""
    data = data_of(reference.model)
    return data is not None and data.log.remembered


@cache
def place_of(label: str) -> int:
    """Return the model's place among all, referenced models first."""
    return next(place for place, data in enumerate(member_data()) if data.label == label)


@cache
def moved(label: str) -> frozenset[str]:
    """Return the columns with a row's place in an order (`Logged.moved`)."""
    data = data_of(apps.get_model(label))
    return frozenset() if data is None else frozenset(data.log.moved)


@cache
def order_of(label: str) -> tuple[str, ...]:
    """Return the columns that order the rows, the parent first."""
    data = data_of(apps.get_model(label))
    if data is None or data.archive is None:
        raise LookupError(label)
    return tuple(data.archive.order)


@cache
def keys_of(label: str) -> "list[ForeignKey[Any, Any]]":
    """Return the foreign keys of a model, except the member."""
    fields = apps.get_model(label)._meta.concrete_fields
    return [field for field in fields if isinstance(field, ForeignKey) and field.attname != "member_id"]
