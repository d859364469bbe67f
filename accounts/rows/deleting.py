"""Delete rows with everything below them, and log it. What is below follows from the foreign keys that cascade."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Model, QuerySet

from accounts.changes.deleting import _BELOW, _is_not_kept, _levels, _references, _rows_to_keep
from accounts.changes.recording import Write
from accounts.members.data import data_of
from studyservice.database.deleting import delete_alone_later


def delete_with_below(write: Write, model: type[Model], found: Sequence[Mapping[str, Any]]) -> None:
    """Delete rows that were read whole. References to them from other rows are emptied.

    PostgreSQL reads everything below in one round trip and deletes it in another. Rows of models with a file, and those
    that declare `MemberData.not_kept`, cannot be restored.
    """
    rows: QuerySet[Model] = QuerySet(model).filter(member_id=write.member_id, pk__in=[row["id"] for row in found])
    with _BELOW.rows():
        levels = [*_levels(write.member_id, rows)]
        below = [_rows_to_keep(level) for level in levels[1:]]
        references = [reference for level in levels for reference in _references(write.member_id, level)]
        data = data_of(model)
        if _is_not_kept(model._meta.label):
            write.cannot_be_undone()
        elif data is None or not data.not_logged:
            write.stream.deleted(model, ([*row.values()] for row in found))
        gone = [rows]
        for level, kept in zip(levels[1:], below, strict=True):
            if _is_not_kept(level.model._meta.label):
                ids = [pk for (pk,) in kept]
                write.touched(level.model, ids)
                number = len(ids)
            else:
                number = write.stream.deleted(level.model, kept)
            if number:
                write.deleted_below(level.model, number)
                gone.append(level)
        for reference in references:
            reference.empty(write)
        instances: list[Model] = [model(**row) for row in found]
        for level in reversed(gone):
            delete_alone_later(level, read=instances if level is rows else None)
