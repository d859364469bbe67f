"""The record that import_data returns."""

from typing import Any, ClassVar, TypedDict

from rest_framework import serializers

from accounts.changes.contents import Fields
from studyservice.operations.serializers import Record


class ArchiveImportRow(TypedDict):
    """An `ArchiveImportRecord`."""

    counts: Fields


class ArchiveImportRecord(Record):
    """The numbers of imported rows."""

    example: ClassVar[dict[str, Any]] = {"counts": {"courses": 3, "items": 42, "decks": 2, "cards": 180}}

    counts = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="How many rows were made of each kind. Attempts that were there already are not counted.",
    )
