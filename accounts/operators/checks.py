"""Start fails if a setting names what is not there, or is of another kind than it is used as."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import FieldDoesNotExist
from django.db.models import DateTimeField, Field, ForeignKey, UUIDField


@register()
def check_fields(**kwargs: Any) -> list[CheckMessage]:
    """Where other apps keep what belongs to a member, and the moments that the member's clock gave."""
    stamps = [(label, name) for label, names in settings.MEMBER_CLOCK_STAMPS.items() for name in names]
    stamped = [(label, name) for label, names in settings.UNDO_STAMPED.items() for name in names]
    plain = [(label, name) for label, name, _ in settings.MEMBER_PLAIN_REFERENCES]
    return [
        *_errors("MEMBER_PLAIN_REFERENCES", plain, UUIDField),
        *_errors("UNDO_STAMPED", stamped, DateTimeField),
        *_errors("MEMBER_DATA", settings.MEMBER_DATA, ForeignKey),
        *_errors("MEMBER_CLOCK_STAMPS", stamps, DateTimeField),
    ]


def _errors(setting: str, fields: Iterable[tuple[str, str]], kind: "type[Field[Any, Any]]") -> Iterator[CheckMessage]:
    for label, name in fields:
        try:
            fits = isinstance(apps.get_model(label)._meta.get_field(name), kind)
        except (LookupError, ValueError, FieldDoesNotExist):
            fits = False
        if not fits:
            yield Error(f"{setting}: {label}.{name} is no {kind.__name__} of a model.", id="accounts.E001")
