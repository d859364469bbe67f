"""What a calendar file changes, three-way: the file now, the file as it was imported last, and the member's items."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple
from uuid import UUID

Key = tuple[str, str]
"""`UID` and instance; the instance is empty of what does not recur."""


class Version(NamedTuple):
    """What is compared; the kind is not."""

    title: str
    due_on: date | None


@dataclass(frozen=True, slots=True)
class FileEvent:
    """A live event of the file.

    Attributes:
        label: what tells its course; empty if nothing does (`planning.calendar.labels`).
    """

    key: Key
    title: str
    due_on: date
    label: str = ""

    @property
    def version(self) -> Version:
        """What is compared."""
        return Version(self.title, self.due_on)


@dataclass(frozen=True, slots=True)
class KnownEvent:
    """One that was imported before.

    Attributes:
        base: as the file had it.
        item_id: of the item that was made of it.
        kind: of the item.
        mine: the item as it is; None if the member has deleted it.
    """

    key: Key
    prodid: str
    base: Version
    item_id: UUID
    kind: str = ""
    mine: Version | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A known event with what becomes of it.

    Attributes:
        version: the item from now on.
        other: as it was before; or of what stays, as the file has it.
    """

    known: KnownEvent
    version: Version
    other: Version


@dataclass(slots=True)
class Comparison:
    """What the file changes.

    Attributes:
        new: never seen.
        changed: items that get what only the file changed.
        kept: items that stay in what both changed.
        gone: items whose event was cancelled or is not in the file any more.
        deleted: events whose item the member has deleted.
        unchanged: how many items stay as they are.
        bases: what the file says now, of known events where that is new.
    """

    new: list[FileEvent] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    kept: list[Change] = field(default_factory=list)
    gone: list[KnownEvent] = field(default_factory=list)
    deleted: list[FileEvent] = field(default_factory=list)
    unchanged: int = 0
    bases: list[FileEvent] = field(default_factory=list)


def compare(events: Iterable[FileEvent], known: Mapping[Key, KnownEvent]) -> Comparison:
    """Each live event of the file with what is known of it; title and date each for itself.

    What only the file changed is changed, what only the member changed stays, what both changed stays and is told once.
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
        if before is not None and before.base != event.version:
            found.bases.append(event)
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


def gone(
    known: Mapping[Key, KnownEvent],
    present: Collection[Key],
    cancelled: Collection[Key],
    *,
    prodid: str,
    cut: Collection[str],
    today: date,
    window: timedelta,
) -> list[KnownEvent]:
    """Those with an item that the file has cancelled, or has not any more.

    Another program's file says nothing of an event by leaving it out; nor does any of the instances that are not looked
    at: further away than `window`, or of an event with too many.
    """

    def may_be_told(event: KnownEvent) -> bool:
        uid, instance = event.key
        if event.prodid != prodid:
            return False
        if not instance:
            return True
        day = event.base.due_on
        return uid not in cut and day is not None and abs(day - today) <= window

    return [
        event
        for key, event in known.items()
        if event.mine is not None and key not in present and (key in cancelled or may_be_told(event))
    ]
