"""A three-way comparison of a calendar file now, its last import, and the member's items."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import NamedTuple
from uuid import UUID

Key = tuple[str, str]
"""`UID` and instance. The instance is empty for events without recurrence."""


class Version(NamedTuple):
    """The compared fields, without the kind."""

    title: str
    due_on: date | None


@dataclass(frozen=True, slots=True)
class FileEvent:
    """An event in the file that is not canceled.

    Attributes:
        label: identifies its course; empty if unknown (`planning.calendar.labels`).
    """

    key: Key
    title: str
    due_on: date
    label: str = ""

    @property
    def version(self) -> Version:
        """The compared fields."""
        return Version(self.title, self.due_on)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """An event in the version of its last import (`planning.models.ImportedEvent`).

    Attributes:
        of_other: whether another school calendar than the one that is read has it.
    """

    id: UUID
    course_id: UUID
    item_id: UUID
    uid: str
    instance: str
    prodid: str
    title: str
    due_on: date
    calendar_id: UUID | None
    is_gone: bool
    of_other: bool = False

    @property
    def key(self) -> Key:
        """`UID` and instance."""
        return self.uid, self.instance

    @property
    def version(self) -> Version:
        """The compared columns."""
        return Version(self.title, self.due_on)


REMEMBERED = {one.name: one.name for one in fields(Remembered) if one.name != "of_other"}
"""The stored columns of a `Remembered`."""


@dataclass(frozen=True, slots=True)
class KnownEvent:
    """A previously imported event.

    Attributes:
        id: of the row that remembers it.
        key: as remembered.
        base: its last imported version.
        item_id: the item created from it.
        kind: of the item.
        mine: the current item; None if the member has deleted it.
    """

    id: UUID
    key: Key
    prodid: str
    base: Version
    item_id: UUID
    kind: str = ""
    mine: Version | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A known event with its change.

    Attributes:
        version: the resulting item.
        other: the previous version, or, for a kept item, the version in the file.
    """

    known: KnownEvent
    version: Version
    other: Version


@dataclass(slots=True)
class Comparison:
    """The differences that a file makes.

    Attributes:
        new: unknown events.
        changed: items updated with changes made only in the file.
        kept: items that both sides changed, which keep the member's version.
        gone: items whose event was canceled or is missing from the file.
        deleted: events whose item the member has deleted.
        unchanged: number of unchanged items.
        bases: known events with their new keys and versions.
    """

    new: list[FileEvent] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    kept: list[Change] = field(default_factory=list)
    gone: list[KnownEvent] = field(default_factory=list)
    deleted: list[FileEvent] = field(default_factory=list)
    unchanged: int = 0
    bases: list[tuple[KnownEvent, FileEvent]] = field(default_factory=list)


def compare(events: Iterable[FileEvent], known: Mapping[Key, KnownEvent]) -> Comparison:
    """Compare each event of the file with its known version, separately by title and date.

    `known` has the keys of the file (`planning.calendar.moves`).

    Changes made only in the file are applied, and changes made only by the member are kept. If both changed a field,
    the member's value is kept, and the conflict is reported once.
    """
    found = Comparison()
    for event in events:
        before = known.get(event.key)
        if before is None:
            found.new.append(event)
        elif before.mine is None:
            found.deleted.append(event)
        else:
            _compare(found, before, before.mine, event.version)
        if before is not None and (before.key, before.base) != (event.key, event.version):
            found.bases.append((before, event))
    return found


def _compare(found: Comparison, known: KnownEvent, mine: Version, theirs: Version) -> None:
    base = known.base
    by_file = [new != old for new, old in zip(theirs, base, strict=True)]
    by_member = [new != old for new, old in zip(mine, base, strict=True)]
    both = [a and b and new != old for a, b, new, old in zip(by_file, by_member, theirs, mine, strict=True)]
    merged = Version(
        theirs.title if by_file[0] and not by_member[0] else mine.title,
        theirs.due_on if by_file[1] and not by_member[1] else mine.due_on,
    )
    if merged != mine:
        found.changed.append(Change(known, merged, mine))
    if any(both):
        found.kept.append(Change(known, merged, theirs))
    elif merged == mine:
        found.unchanged += 1


@dataclass(frozen=True, slots=True)
class Absence:
    """The meaning of an event's absence from a file.

    Attributes:
        present: keys of events that are in the file.
        cancelled: keys of canceled events.
        cut: UIDs of events with too many instances; others may be missing.
        first: the first day of the instances in a file.
        last: the last one.
    """

    present: Collection[Key]
    cancelled: Collection[Key]
    cut: Collection[str]
    first: date
    last: date

    def may_move(self, event: KnownEvent) -> bool:
        """Return whether the event may be in the file under another key."""
        return event.key not in self.present and event.key not in self.cancelled and self._covers(event)

    def gone(self, known: Mapping[Key, KnownEvent], *, prodid: str | None = None) -> list[KnownEvent]:
        """Known events with an item that are canceled in the file or missing from it.

        Missing events mean nothing if they are from a file of another program than `prodid`, or instances outside of
        the time that a file covers, or of an event with too many instances.
        """
        return [
            event
            for key, event in known.items()
            if event.mine is not None
            and key not in self.present
            and (key in self.cancelled or (prodid in {None, event.prodid} and self._is_missing(event)))
        ]

    def _is_missing(self, event: KnownEvent) -> bool:
        return self._covers(event) and not (event.key[1] and event.key[0] in self.cut)

    def _covers(self, event: KnownEvent) -> bool:
        day = event.base.due_on
        return not event.key[1] or (day is not None and self.first <= day <= self.last)
