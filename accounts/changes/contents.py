"""The contents of a row in the log of changes: the fields of its object before and after, and counts of others.

Stored as JSON, compressed from `_WORTH_COMPRESSING` bytes on; the first byte says which. What an undo needs is stored
beside it (`accounts.changes.stream`).

Version 0.6 stored that here too: the other objects of the call (`Part`), and fields whose name begins with an
underscore. Answers do not show such fields, nor count an object that has no others.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from uuid import UUID

import orjson
from django.db.models import Model

TOLD_CHARACTERS = 300
"""The maximum length of a text in an answer."""

UNTOLD = "_"
"""The prefix of fields that version 0.6 stored only for undo."""

ORDER = "_order"
"""The field in which version 0.6 stored the order of rows below an object: the id and the position of each."""

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
    """The change of one object, as version 0.6 stored it.

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
        more: other objects, as version 0.6 stored them.
        counts: by type of other objects, how many there were before and after.
        has_stream: the row has a stream with what an undo needs (`accounts.changes.stream`).
    """

    before: dict[str, Json] | None
    after: dict[str, Json] | None
    more: list[Part] = field(default_factory=list)
    counts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    has_stream: bool = False

    def told(self, type_: str) -> tuple[dict[str, Json] | None, dict[str, Json] | None]:
        """Return the fields before and after, with long texts cut and further objects as counts.

        Args:
            type_: of the object that the row is about.
        """
        return self._told(0, self.before, type_), self._told(1, self.after, type_)

    def numbers(self) -> dict[str, list[int]]:
        """Return how many other objects there were before and after, by type."""
        numbers = {type_: [*sides] for type_, sides in self.counts.items()}
        for part in self.more:
            sides = numbers.setdefault(part.type, [0, 0])
            for place, fields in enumerate((part.before, part.after)):
                sides[place] += _is_told(fields)
        return numbers

    def _told(self, side: int, fields: dict[str, Json] | None, type_: str) -> dict[str, Json] | None:
        """Return the fields of one side that answers show, with counts of other objects; None if there are none."""
        told = {
            plural_of(one): numbers[side]
            for one, numbers in self.numbers().items()
            if numbers[side] and (fields is not None or one == type_)
        }
        if fields is None and not told:
            return None
        kept = {name: value for name, value in (fields or {}).items() if name not in INTERNAL}
        return {name: short(value) for name, value in kept.items() if not name.startswith(UNTOLD)} | told

    def parts(self, type_: str, id_: UUID, name: str) -> list[Part]:
        """Return every object of the call, the row's own first."""
        return [Part(type_, id_, name, self.before, self.after), *self.more]


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


def packed(
    before: Fields | None,
    after: Fields | None,
    counts: Mapping[str, Sequence[int]] | None = None,
    *,
    has_stream: bool = False,
) -> bytes:
    """Pack the contents of a row for storage."""
    contents: dict[str, object] = {"before": before, "after": after}
    if counts:
        contents["counts"] = counts
    if has_stream:
        contents["stream"] = True
    text = dumps(contents)
    return text if len(text) < _WORTH_COMPRESSING else zlib.compress(text)


def unpacked(stored: bytes | memoryview) -> Contents:
    """Unpack `packed`."""
    text = bytes(stored)
    contents = orjson.loads(text if text.startswith(_PLAIN) else zlib.decompress(text))
    more = [Part(type_, UUID(id_), *rest) for type_, id_, *rest in contents.get("more", ())]
    return Contents(
        contents["before"], contents["after"], more, contents.get("counts", {}), contents.get("stream", False)
    )


def dumps(value: object) -> bytes:
    """Encode as JSON. A number of four decimals becomes a float, which converts back exactly."""
    return orjson.dumps(value, default=float, option=orjson.OPT_UTC_Z)


def short(value: Json) -> Json:
    """Shorten a long text for answers."""
    if isinstance(value, str) and len(value) > TOLD_CHARACTERS:
        return f"{value[: TOLD_CHARACTERS - 1]}…"
    return value


def _is_told(fields: Fields | None) -> bool:
    """Return whether answers show the object. Version 0.6 stored some without any field."""
    return fields is not None and (not fields or not all(name.startswith(UNTOLD) for name in fields))
