"""Which tool gives the ids that another one takes, read from the declared shapes of the answers."""

from collections.abc import Iterator, Sequence

from rest_framework import serializers

from mcpbridge.schemas import Schema
from studyservice.operations.declaration import Operation


def id_sources(schema: Schema, reading: Sequence[Operation]) -> dict[str, str]:
    """For each `…_id` among the arguments, the reading operation whose answer holds such records most directly."""
    found = {}
    for name in schema["properties"]:
        stem = name.removesuffix("_id")
        if stem != name and (source := _source(stem, reading)) is not None:
            found[name] = source
    return found


def _source(stem: str, reading: Sequence[Operation]) -> str | None:
    ending = stem.title().replace("_", "") + "Record"
    candidates = [
        (depth, not operation.many, operation.id)
        for operation in reading
        if f"{stem}_id" not in operation.path_ids
        for depth, record in _records(operation.answer())
        if record.endswith(ending)
    ]
    return min(candidates)[2] if candidates else None


def _records(record: serializers.Serializer[object], depth: int = 0) -> Iterator[tuple[int, str]]:
    yield depth, type(record).__name__
    for field in record.fields.values():
        inner = field.child if isinstance(field, serializers.ListSerializer) else field
        if isinstance(inner, serializers.Serializer):
            yield from _records(inner, depth + 1)
