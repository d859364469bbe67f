"""The columns of rows, from the annotations of their `TypedDict`.

class ItemRow(TypedDict):
id: UUID
course_name: Annotated[str, At("course__name")]
days_until: Annotated[int | None, FILLED_IN]
"""

from typing import Any, NamedTuple, get_type_hints


class At(NamedTuple):
    """Names the column of a field in its `Annotated`. Without it, that is the field's own name.

    Attributes:
        path: over relations, like `course__name`; None if the field has no column.
    """

    path: str | None


FILLED_IN = At(None)
"""Marks a field without a column, which is filled in after the row was read."""


def columns_of_row(row: type[Any]) -> dict[str, str]:
    """Return the path of each field's column, in order. A field that is not required has none."""
    hints = get_type_hints(row, include_extras=True)
    paths = {name: _path(name, hint) for name, hint in hints.items() if name in row.__required_keys__}
    return {name: path for name, path in paths.items() if path is not None}


def _path(name: str, hint: Any) -> str | None:
    marks = [one for one in getattr(hint, "__metadata__", ()) if isinstance(one, At)]
    return marks[0].path if marks else name
