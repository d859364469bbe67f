"""The contents of a row in the log of changes: the fields before and after.

Fields whose name begins with an underscore are for undo only and are hidden from answers. An object with only such
fields is not counted.

Stored as JSON, compressed from `_WORTH_COMPRESSING` bytes on; the first byte says which. A call that changed several
objects names the first. Answers show the others, its parts, as counts.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from uuid import UUID

import orjson
from django.db.models import Model

TOLD_CHARACTERS = 300
"""The maximum length of a text in an answer."""

UNTOLD = "_"
"""The prefix of fields that are stored only for undo."""

ORDER = "_order"
"""The field of an object that holds the order of rows below it: the id and the position of each."""

INTERNAL = frozenset({"sequence", "done_at", "missable_from", "graded", "marked_at", "folded", "hue"})
"""Columns that are not in any answer. The log may store them for undo."""

Json = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""A JSON value."""

Fields = Mapping[str, object]
"""Values by column name, also as a `TypedDict`."""

_WORTH_COMPRESSING = 256
"""Below this many bytes zlib saves little and costs 15 µs."""

_PLAIN = b"{"


@dataclass(frozen=True, slots=True)
class Part:
    """The change of one object.

    Attributes:
        type: in the words of `type_of`.
        name: its name before the change.
        before: the changed fields before; None for a creation.
        after: the same fields after; None for a deletion.
    """

    type: str
    id: UUID
    name: str
    before: Fields | None
    after: Fields | None


@dataclass(frozen=True, slots=True)
class Contents:
    """The stored contents of a row: its object, and other objects of the same call.

    Attributes:
        counts: by type of other objects, how many there were before and after.
        stream: whether the row's stream has what an undo needs (`accounts.changes.stream`); 2 if the object's own
            fields are needed too, as its code reports them itself.
    """

    before: dict[str, Json] | None
    after: dict[str, Json] | None
    more: list[Part] = field(default_factory=list)
    counts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    stream: int = 0

    def told(self, type_: str) -> tuple[dict[str, Json] | None, dict[str, Json] | None]:
        """Return the fields before and after, with long texts cut and further objects as counts.

        Args:
            type_: of the object that the row is about.
        """
        return self._told(0, self.before, type_), self._told(1, self.after, type_)

    def _told(self, side: int, fields: dict[str, Json] | None, type_: str) -> dict[str, Json] | None:
        """Return the fields of one side that answers show, with counts of other objects; None if there are none."""
        counts = Counter({one: numbers[side] for one, numbers in self.counts.items()})
        counts.update(part.type for part in self.more if _is_told((part.before, part.after)[side]))
        told = {
            plural_of(one): number for one, number in counts.items() if number and (fields is not None or one == type_)
        }
        if fields is None and not told:
            return None
        kept = {name: value for name, value in (fields or {}).items() if name not in INTERNAL}
        return {name: short(value) for name, value in kept.items() if not name.startswith(UNTOLD)} | told

    def parts(self, type_: str, id_: UUID, name: str) -> list[Part]:
        """Return every object of the call, the row's own first."""
        return [Part(type_, id_, name, self.before, self.after), *self.more]


def fields_of(row: Model, columns: Sequence[str]) -> dict[str, object]:
    """Return the values of a row's columns."""
    return {name: getattr(row, name) for name in columns}


def type_of(model: type[Model]) -> str:
    """Return the type of an object in answers, like `grade_score`."""
    return str(model._meta.verbose_name).replace(" ", "_")


@cache
def plural_of(type_: str) -> str:
    """Return a plural like `grade_scores`."""
    return f"{type_[:-1]}ies" if type_.endswith("y") else f"{type_}s"


def as_words(type_: str) -> str:
    """Return words like `grade score`."""
    return type_.replace("_", " ")


def packed(parts: Sequence[Part], *, counts: Mapping[str, Sequence[int]] | None = None, stream: int = 0) -> bytes:
    """Pack the objects of a call for storage."""
    head, *more = parts
    contents: dict[str, object] = {"before": head.before, "after": head.after}
    if more:
        contents["more"] = [(part.type, part.id, part.name, part.before, part.after) for part in more]
    if counts:
        contents["counts"] = counts
    if stream:
        contents["stream"] = stream
    text = dumps(contents)
    return text if len(text) < _WORTH_COMPRESSING else zlib.compress(text)


def unpacked(stored: bytes | memoryview) -> Contents:
    """Unpack `packed`."""
    text = bytes(stored)
    contents = orjson.loads(text if text.startswith(_PLAIN) else zlib.decompress(text))
    more = [Part(type_, UUID(id_), *rest) for type_, id_, *rest in contents.get("more", ())]
    return Contents(contents["before"], contents["after"], more, contents.get("counts", {}), contents.get("stream", 0))


def dumps(value: object) -> bytes:
    """Encode as JSON. A number of four decimals becomes a float, which converts back exactly."""
    return orjson.dumps(value, default=float, option=orjson.OPT_UTC_Z)


def short(value: Json) -> Json:
    """Shorten a long text for answers."""
    if isinstance(value, str) and len(value) > TOLD_CHARACTERS:
        return f"{value[: TOLD_CHARACTERS - 1]}…"
    return value


def is_untold(part: Part) -> bool:
    """Return whether answers leave the object out because its fields are stored only for undo."""
    names = {**(part.before or {}), **(part.after or {})}
    return bool(names) and all(name.startswith(UNTOLD) for name in names)


def _is_told(fields: Fields | None) -> bool:
    """Return whether answers show the object. One reported by `within` has no fields at all."""
    return fields is not None and (not fields or not all(name.startswith(UNTOLD) for name in fields))
