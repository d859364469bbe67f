"""System checks for the declarations of models with rows of members."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Error
from django.db.models import DateTimeField, Field, ForeignKey, UUIDField

from accounts.members.data import MemberData, data_of, member_data
from accounts.members.models import Member

_UNUSED = frozenset({"oauth2_provider"})
"""Apps whose own tables are empty."""


def check_member_data(**kwargs: Any) -> list[CheckMessage]:
    """Return an error for each model without a declaration, and for each wrong name in a declaration."""
    found = [*_unregistered(), *(text for data in member_data() for text in _wrong_names(data))]
    return [Error(text, id="accounts.E001") for text in found]


def _unregistered() -> Iterator[str]:
    for model in apps.get_models():
        label, app = model._meta.label, model._meta.app_label
        refers = any(field.related_model is Member for field in model._meta.concrete_fields)
        if refers and not model._meta.proxy and app not in _UNUSED and data_of(model) is None:
            call = f"register(MemberData({model.__name__}, ...))"
            yield f"{label} refers to a member: add {call} to {app}/member_data.py."


def _wrong_names(data: MemberData) -> Iterator[str]:
    kinds: dict[str, tuple[tuple[str, ...], type[Field[Any, Any]]]] = {
        "owner": ((data.owner,), ForeignKey),
        "stamps": (data.stamps, DateTimeField),
        "restamped": (data.log.restamped, DateTimeField),
        "moved": (data.log.moved, Field),
        "hash_column": ((data.hash_column,) if data.hash_column else (), Field),
        "plain_references": (tuple(data.log.plain_references), UUIDField),
        "limits": (tuple(limit.per for limit in data.limits if limit.counter), ForeignKey),
    }
    fields = {name: field for field in data.model._meta.concrete_fields for name in (field.name, field.attname)}
    for attribute, (names, kind) in kinds.items():
        for name in names:
            if not isinstance(fields.get(name), kind):
                yield f"{data.label}: {attribute} names {name}, which is not a {kind.__name__} of the model."
