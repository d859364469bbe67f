"""Where each table lives when members are spread over servers, derived from the models and `places`.

A member's rows lie together on one server, the row of the member included; what they refer to is on every server. The
coordinator alone has the rest: what is asked for before it is known whose it is, and what only operators read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core import checks
from django.db.models import Field, ManyToManyField, Model, UniqueConstraint

from studyservice.database.citus import places
from studyservice.hooks import Hook

Owners = Callable[[], dict[type[Model], str]]
"""The models whose rows belong to a member, and the foreign key to the member."""

OWNERS = Hook[Owners]("OWNERS")


@dataclass(frozen=True, slots=True)
class Layout:
    """Tables by where they live.

    Attributes:
        members: the table of members, whose shards the others lie beside.
        by_member: table to the column with the member; the table of members comes first.
        everywhere: those of which every server has a copy, each after those that it refers to.
        coordinator: all others of the models.
    """

    members: str
    by_member: dict[str, str]
    everywhere: tuple[str, ...]
    coordinator: frozenset[str]


@cache
def layout() -> Layout:
    """Where the tables of today's models live."""
    by_member = {model._meta.db_table: _column(model, owner) for model, owner in _of_members().items()}
    everywhere = tuple(model._meta.db_table for model in _everywhere())
    others = {model._meta.db_table for model in _models()}
    return Layout(
        get_user_model()._meta.db_table, by_member, everywhere, frozenset(others - by_member.keys() - {*everywhere})
    )


def check_places(**kwargs: Any) -> list[checks.CheckMessage]:
    """Return an error for each model without one place, and for each column that would no longer be unique."""
    return [checks.Error(text, id="studyservice.E001") for text in (*_without_place(), *_unique_by_nothing())]


def _without_place() -> Iterator[str]:
    named, member = places.ON_COORDINATOR.keys(), get_user_model()
    spread = {*_of_members(), *(model for model in _everywhere() if member not in _targets(model))}
    models = {model._meta.label: model for model in _models()}
    for label in sorted(named - models.keys()):
        yield f"ON_COORDINATOR: {label} is no model with a table."
    for label in sorted(models.keys() - named):
        if models[label] not in spread:
            yield (
                f"{label} has no place when members are spread over servers: register it in the member_data.py of its"
                " app, or name it in ON_COORDINATOR."
            )
    for label in sorted(named):
        if models.get(label) in spread:
            yield f"ON_COORDINATOR: {label} is on the servers of members too."


def _unique_by_nothing() -> Iterator[str]:
    found = {
        f"{model._meta.label}.{'+'.join(fields)}"
        for model, owner in _of_members().items()
        for fields in _unique_sets(model)
        if owner not in fields
    }
    for name in sorted(found - places.UNIQUE_AMONG_MEMBERS.keys()):
        yield (
            f"{name} would be unique for each member alone when members are spread over servers: name the member in"
            " it, or say in UNIQUE_AMONG_MEMBERS what keeps it unique."
        )
    for name in sorted(places.UNIQUE_AMONG_MEMBERS.keys() - found):
        yield f"UNIQUE_AMONG_MEMBERS: {name} is not a unique field of a member's rows without the member."


def _of_members() -> dict[type[Model], str]:
    """The models whose rows lie with their member, and the field with the member."""
    member = get_user_model()
    assert member._meta.pk is not None  # noqa: S101  # a model has one
    owners: dict[type[Model], str] = {member: member._meta.pk.name}
    for field in member._meta.local_many_to_many:
        owners[_links(field)] = field.m2m_field_name()
    with_owner = OWNERS.get()().items()
    return owners | {model: owner for model, owner in with_owner if model._meta.label not in places.ON_COORDINATOR}


def _everywhere() -> list[type[Model]]:
    """What the rows of members refer to, what that refers to and the links in it, and `places.ON_EVERY_SERVER`."""
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
    for label in places.ON_EVERY_SERVER:
        add(apps.get_model(label))
    return list(found)


def _targets(model: type[Model]) -> list[type[Model]]:
    """The models that the foreign keys of `model` refer to."""
    fields: list[Field[Any, Any]] = list(model._meta.local_concrete_fields)
    return [field.related_model for field in fields if field.is_relation and field.related_model not in {None, model}]


def _links(field: "ManyToManyField[Any, Any]") -> type[Model]:
    """The model of the rows that link one with many."""
    return cast("type[Model]", field.remote_field.through)


def _models() -> list[type[Model]]:
    """Every model that has a table which migrations make."""
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and not model._meta.swapped
    ]


def _unique_sets(model: type[Model]) -> Iterator[tuple[str, ...]]:
    """The fields that are unique together in the table of `model`, but for its primary key, which is chance."""
    for field in model._meta.local_concrete_fields:
        if field.unique and not field.primary_key:
            yield (field.name,)
    yield from (tuple(fields) for fields in model._meta.unique_together)
    for constraint in model._meta.constraints:
        if isinstance(constraint, UniqueConstraint):
            yield tuple(constraint.fields)


def _column(model: type[Model], field: str) -> str:
    return model._meta.get_field(field).column  # type: ignore[union-attr,return-value]  # a column of its own
