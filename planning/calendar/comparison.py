"""A three-way comparison of a calendar now, its last import, and the member's items."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple, TypedDict, cast
from uuid import UUID

from courses.serializers import NewItem

Key = tuple[str, str]
"""`UID` and instance. The instance is empty for events without recurrence."""


MOST_NEW = 50
"""A reading with more new items in a course waits for confirmation."""

MANY_CHANGED = 10
"""A reading with more changes in a course waits for confirmation, if they are also a quarter of its items."""

_A_QUARTER, _HALF = 4, 2


UNKNOWN = ""
"""The time of an event that was read before times were kept."""


class VersionFields(TypedDict):
    """The fields of a `Version` in an item."""

    title: str
    due_on: date | None
    due_time: str | None


class Version(NamedTuple):
    """The compared fields, without the kind."""

    title: str
    due_on: date | None
    due_time: str | None

    def fields(self) -> VersionFields:
        """The fields of an item. An unknown time is none."""
        return {"title": self.title, "due_on": self.due_on, "due_time": self.due_time or None}

    def item(self, kind: str) -> NewItem:
        """An item with these fields."""
        return cast("NewItem", {**self.fields(), "kind": kind})


@dataclass(frozen=True, slots=True)
class FileEvent:
    """An event in the file that is not canceled.

    Attributes:
        label: identifies its course; empty if unknown (`planning.calendar.properties`).
        due_time: `HH:MM`, None of an all-day event, or `UNKNOWN`.
    """

    key: Key
    title: str
    due_on: date
    label: str = ""
    due_time: str | None = None

    @property
    def version(self) -> Version:
        """The compared fields."""
        return Version(self.title, self.due_on, self.due_time)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEvent:
    """An event in the version of its last import (`planning.models.ImportedEvent`), and its item.

    Attributes:
        of_other: whether another school calendar than the one that is read has it.
        item: columns of the item created from it; None if the member has deleted it.
    """

    id: UUID
    course_id: UUID
    item_id: UUID
    uid: str
    instance: str
    prodid: str
    title: str
    due_on: date
    due_time: str | None
    calendar_id: UUID | None
    is_gone: bool
    of_other: bool
    item: Mapping[str, Any] | None = None

    @property
    def key(self) -> Key:
        """`UID` and instance, as remembered."""
        return self.uid, self.instance

    @property
    def base(self) -> Version:
        """Its last imported version."""
        return Version(self.title, self.due_on, self.due_time)

    @property
    def mine(self) -> Version | None:
        """The current item."""
        return None if self.item is None else Version._make(self.item[name] for name in Version._fields)

    @property
    def kind(self) -> str:
        """The item's kind; empty without an item."""
        return "" if self.item is None else self.item["kind"]


@dataclass(frozen=True, slots=True)
class EventChange:
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
    """The differences that a reading makes in a course.

    Attributes:
        new: unknown events.
        changed: items updated with changes made only by the calendar.
        kept: items that both sides changed, which keep the member's version.
        timed: items without a time that get the first known time of their event. They count as unchanged.
        gone: items whose event was canceled or is missing from the reading.
        deleted: events whose item the member has deleted.
        unchanged: number of unchanged items.
        bases: known events with their new keys and versions.
        adopted: events of a file or a deleted calendar that this calendar takes over.
        shared: events whose item another calendar created, with its id.
        newly_gone: events missing from this calendar for the first time.
        back: events that reappeared in this calendar.
        moved_out: events that move to another course, with their items.
        live: number of this calendar's future items that are still in the reading.
    """

    course_id: UUID
    new: list[FileEvent] = field(default_factory=list)
    changed: list[EventChange] = field(default_factory=list)
    kept: list[EventChange] = field(default_factory=list)
    timed: list[EventChange] = field(default_factory=list)
    gone: list[KnownEvent] = field(default_factory=list)
    deleted: list[FileEvent] = field(default_factory=list)
    unchanged: int = 0
    bases: list[tuple[KnownEvent, FileEvent]] = field(default_factory=list)
    adopted: list[KnownEvent] = field(default_factory=list)
    shared: list[tuple[FileEvent, UUID]] = field(default_factory=list)
    newly_gone: list[KnownEvent] = field(default_factory=list)
    back: list[KnownEvent] = field(default_factory=list)
    moved_out: list[KnownEvent] = field(default_factory=list)
    live: int = 0

    @property
    def not_shown(self) -> int:
        """The number of unchanged items that are in no row for approval."""
        return self.unchanged - len({one.known.key for one in self.timed} - {one.known.key for one in self.kept})

    def changes_something(self) -> bool:
        """Return whether there is anything to apply or to report to the member."""
        return bool(self.new or self.changed or self.kept or self.newly_gone or self.moved_out)

    def writes_something(self) -> bool:
        """Return whether there is anything to store, if only of what is remembered."""
        return self.changes_something() or bool(self.adopted or self.shared or self.back or self.bases)

    def is_odd(self, item_count: int, today: date) -> bool:
        """Return whether the change is unusual enough to require the member's confirmation.

        Args:
            item_count: of the course.
            today: the member's; past events may disappear without confirmation.
        """
        changed = len(self.changed)
        ahead = sum(event.due_on >= today for event in self.newly_gone)
        return (
            len(self.new) > MOST_NEW
            or (changed >= MANY_CHANGED and changed * _A_QUARTER >= item_count)
            or bool(ahead and ahead * _HALF >= self.live)
        )


def compare(found: Comparison, events: Iterable[FileEvent], known: Mapping[Key, KnownEvent]) -> None:
    """Compare each event with its known version, separately by title and date.

    `known` has the keys of the reading (`planning.calendar.moves`).

    Changes made only by the calendar are applied, and changes made only by the member are kept. If both changed a
    field, the member's value is kept, and the conflict is reported once.
    """
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


def _compare(found: Comparison, known: KnownEvent, mine: Version, theirs: Version) -> None:
    base, read, first_time = known.base, theirs, None
    if UNKNOWN in {base.due_time, theirs.due_time}:
        if base.due_time == UNKNOWN and mine.due_time is None:
            first_time = theirs.due_time or None
        base, read = base._replace(due_time=mine.due_time), theirs._replace(due_time=mine.due_time)
    fields = list(zip(read, base, mine, strict=True))
    merged = Version._make(new if new != old and own == old else own for new, old, own in fields)
    if merged.due_on is None:
        merged = merged._replace(due_time=None)
    is_same = merged == mine
    if first_time is not None and merged.due_on is not None:
        merged = merged._replace(due_time=first_time)
    if not is_same:
        found.changed.append(EventChange(known, merged, mine))
    elif merged != mine:
        found.timed.append(EventChange(known, merged, mine))
    if any(old not in {new, own} and new != own for new, old, own in fields):
        found.kept.append(EventChange(known, merged, theirs))
    elif is_same:
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
        prodid: of the file, if events from files of other programs cannot be missing from it; None for an address.
    """

    present: Collection[Key]
    cancelled: Collection[Key]
    cut: Collection[str]
    first: date
    last: date
    prodid: str | None

    def may_move(self, event: KnownEvent) -> bool:
        """Return whether the event may be in the file under another key."""
        return event.key not in self.present and event.key not in self.cancelled and self._covers(event)

    def gone(self, known: Mapping[Key, KnownEvent]) -> list[KnownEvent]:
        """Known events with an item that are canceled in the file or missing from it.

        Missing events mean nothing if they are from a file of another program, or instances outside of the time that a
        file covers, or of an event with too many instances.
        """
        return [
            event
            for key, event in known.items()
            if event.mine is not None
            and key not in self.present
            and (key in self.cancelled or (self.prodid in {None, event.prodid} and self._is_missing(event)))
        ]

    def _is_missing(self, event: KnownEvent) -> bool:
        return self._covers(event) and not (event.instance and event.uid in self.cut)

    def _covers(self, event: KnownEvent) -> bool:
        return not event.instance or self.first <= event.due_on <= self.last
