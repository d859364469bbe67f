"""The place of each table when members are distributed over servers, derived from the models (see also `tables`).

Models with a foreign key to the member have their rows on the member's server. Tables that those rows refer to are on
every server. All others are only on the coordinator: tables that are read before the member is known, and tables for
operators.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core import checks
from django.db.models import F, Field, ManyToManyField, Model, UniqueConstraint

from studyservice.citus.tables import ON_COORDINATOR, ON_EVERY_SERVER, UNIQUE_AMONG_MEMBERS


@dataclass(frozen=True, slots=True)
class Layout:
    """Tables by their place.

    Attributes:
        members: the table of members; the shards of `by_member` are placed with its shards.
        by_member: table to the column with the member; the table of members comes first.
        everywhere: tables with a copy on every server, each after those that it refers to.
        coordinator: all other tables of models.
    """

    members: str
    by_member: dict[str, str]
    everywhere: tuple[str, ...]
    coordinator: frozenset[str]


@cache
def layout() -> Layout:
    """Return the place of each table."""
    by_member = {model._meta.db_table: _column(model, owner) for model, owner in _of_members().items()}
    everywhere = tuple(model._meta.db_table for model in _everywhere())
    others = {model._meta.db_table for model in _models()}
    return Layout(
        get_user_model()._meta.db_table, by_member, everywhere, frozenset(others - by_member.keys() - {*everywhere})
    )


def check_places(**kwargs: Any) -> list[checks.CheckMessage]:
    """Check that each model has one place, and that fields unique across all members stay so."""
    return [checks.Error(text, id="citus.E001") for text in (*_without_place(), *_unique_by_nothing())]


def _without_place() -> Iterator[str]:
    named = ON_COORDINATOR.keys()
    spread = {*_of_members(), *_everywhere()}
    models = {model._meta.label: model for model in _models()}
    for label in sorted(named - models.keys()):
        yield f"ON_COORDINATOR: {label} is not a model with a table."
    for label in sorted(models.keys() - named):
        if models[label] not in spread:
            yield (
                f"{label} has no place when members are spread over servers: give it a foreign key to the member, or"
                " name it in ON_COORDINATOR or ON_EVERY_SERVER (studyservice/citus/tables.py)."
            )
    for label in sorted(named):
        if models.get(label) in spread:
            yield f"ON_COORDINATOR: {label} is on every server too."


def _unique_by_nothing() -> Iterator[str]:
    found = {
        f"{model._meta.label}.{'+'.join(fields)}"
        for model, owner in _of_members().items()
        for fields in _unique_sets(model)
        if owner not in fields
    }
    for name in sorted(found - UNIQUE_AMONG_MEMBERS.keys()):
        yield (
            f"{name} would be unique only within each member when members are spread over servers: add the member to"
            " it, or say in UNIQUE_AMONG_MEMBERS (studyservice/citus/tables.py) what keeps it unique."
        )
    for name in sorted(UNIQUE_AMONG_MEMBERS.keys() - found):
        yield f"UNIQUE_AMONG_MEMBERS: {name} is not a unique field of a member's rows without the member."


def _of_members() -> dict[type[Model], str]:
    """Return the models whose rows are placed with their member, and the field with the member."""
    member = get_user_model()
    assert member._meta.pk is not None  # noqa: S101  # a model has one
    owners: dict[type[Model], str] = {member: member._meta.pk.name}
    for model in _models():
        if model._meta.label not in ON_COORDINATOR:
            owners.update((model, field.name) for field in _fields(model) if field.related_model is member)
    return owners


def _everywhere() -> list[type[Model]]:
    """Return the models that members' rows refer to, directly or indirectly, and those of `ON_EVERY_SERVER`."""
    owned = _of_members()
    found: dict[type[Model], None] = {}

    def add(model: type[Model]) -> None:
        if model in owned or model in found:
            return
        for target in _targets(model):
            add(target)
        found[model] = None
        for field in model._meta.local_many_to_many:
            add(_links(field))

    for model in owned:
        for target in _targets(model):
            add(target)
    for label in ON_EVERY_SERVER:
        add(apps.get_model(label))
    return list(found)


def _targets(model: type[Model]) -> list[type[Model]]:
    """Return the models that the foreign keys of `model` refer to."""
    return [field.related_model for field in _fields(model) if field.related_model not in {None, model}]


def _fields(model: type[Model]) -> "list[Field[Any, Any]]":
    return list(model._meta.local_concrete_fields)


def _links(field: "ManyToManyField[Any, Any]") -> type[Model]:
    """Return the through model of a many-to-many field."""
    return cast("type[Model]", field.remote_field.through)


def _models() -> list[type[Model]]:
    """Return every model whose table migrations create."""
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and not model._meta.swapped
    ]


def _unique_sets(model: type[Model]) -> Iterator[tuple[str, ...]]:
    """Yield the fields that are unique together in the table of `model`, except its random primary key."""
    for field in model._meta.local_concrete_fields:
        if field.unique and not field.primary_key:
            yield (field.name,)
    yield from (tuple(fields) for fields in model._meta.unique_together)
    for constraint in model._meta.constraints:
        if isinstance(constraint, UniqueConstraint):
            named = (one for one in constraint.expressions if isinstance(one, F))
            yield tuple(constraint.fields) or tuple(one.name for one in named)  # type: ignore[attr-defined]  # has it


def _column(model: type[Model], field: str) -> str:
    return model._meta.get_field(field).column  # type: ignore[union-attr,return-value]  # a column of its own
