"""Recurring events whose instances moved, so that the file has them under other keys than remembered."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple

from planning.calendar.comparison import Absence, FileEvent, Key, KnownEvent

_A_WEEK = 7
"""Days that an instance moves at most if its title changes too. Timetables of each term count their UIDs from 0."""

_BY_DAY = attrgetter("due_on", "key")


class _Pair(NamedTuple):
    known: KnownEvent
    event: FileEvent


def follow_moves(
    events: Iterable[FileEvent], known: Mapping[Key, KnownEvent], absence: Absence
) -> dict[Key, KnownEvent]:
    """Return `known` with the keys that the file has now.

    The `RECURRENCE-ID` of every instance changes with the time of day or the weekday of a series, and when a single
    event becomes a series. The UID stays. Instances of one UID that only one side has are matched by day. The others
    are matched in order, between those that both sides have: an instance that was excluded is not moved to one that was
    added at the end.

    Args:
        events: of the file.
        known: remembered events by key.
        absence: says which missing events may be in the file under another key.
    """
    there: defaultdict[str, list[FileEvent]] = defaultdict(list)
    for event in events:
        there[event.key[0]].append(event)
    here: defaultdict[str, list[KnownEvent]] = defaultdict(list)
    for one in known.values():
        here[one.uid].append(one)
    moved = [pair for uid in there.keys() & here.keys() for pair in _moved(there[uid], here[uid], absence)]
    old = {pair.known.key for pair in moved}
    return {key: one for key, one in known.items() if key not in old} | {pair.event.key: pair.known for pair in moved}


def _moved(events: Iterable[FileEvent], known: Iterable[KnownEvent], absence: Absence) -> list[_Pair]:
    """The pairs of one UID with different keys."""
    by_key = {one.key: one for one in known}
    same = [_Pair(by_key[event.key], event) for event in events if event.key in by_key]
    kept = {pair.event.key for pair in same}
    added = sorted((event for event in events if event.key not in kept), key=_BY_DAY)
    missing = sorted((one for key, one in by_key.items() if key not in kept and absence.may_move(one)), key=_BY_DAY)
    if not added or not missing:
        return []
    days = _by_day(added, missing)
    taken = {pair.event.key for pair in days} | {pair.known.key for pair in days}
    added = [event for event in added if event.key not in taken]
    missing = [one for one in missing if one.key not in taken]
    is_cut = missing[0].uid in absence.cut if missing else False
    ordered = [pair for gap in _gaps(added, missing, same + days) for pair in _in_order(*gap, is_cut=is_cut)]
    return days + [pair for pair in ordered if is_same(*pair)]


def is_same(known: KnownEvent, event: FileEvent) -> bool:
    """Return whether an event of this UID is the known one, rather than another: it has its title, or is near it."""
    return known.title == event.title or _days(_Pair(known, event)) <= _A_WEEK


def _days(pair: _Pair) -> int:
    """How many days the event moved, in either direction."""
    return abs((pair.event.due_on - pair.known.due_on).days)


def _by_day(added: Iterable[FileEvent], missing: Iterable[KnownEvent]) -> list[_Pair]:
    free: defaultdict[date, list[KnownEvent]] = defaultdict(list)
    for one in missing:
        free[one.due_on].append(one)
    return [_Pair(free[event.due_on].pop(0), event) for event in added if free[event.due_on]]


def _gaps(
    added: Iterable[FileEvent], missing: Iterable[KnownEvent], fixed: Iterable[_Pair]
) -> Iterator[tuple[list[FileEvent], list[KnownEvent]]]:
    """Yield what is left between two neighbors that both sides have, as far as both sides have something."""
    fixed = list(fixed)
    then, now = sorted(pair.known.due_on for pair in fixed), sorted(pair.event.due_on for pair in fixed)
    gaps: defaultdict[int, tuple[list[FileEvent], list[KnownEvent]]] = defaultdict(lambda: ([], []))
    for event in added:
        gaps[bisect_left(now, event.due_on)][0].append(event)
    for one in missing:
        gaps[bisect_left(then, one.due_on)][1].append(one)
    return (gap for gap in gaps.values() if all(gap))


def _in_order(added: Sequence[FileEvent], missing: Sequence[KnownEvent], *, is_cut: bool) -> Iterator[_Pair]:
    """Yield the pairs in order. If one side has more, some at its ends remain, so that the moves are short.

    If the file has only a part of the instances (`is_cut`), some at the ends of both sides may remain.
    """
    more = len(added) - len(missing)
    first, last = (1 - len(missing), len(added) - 1) if is_cut else (min(more, 0), max(more, 0))

    def pairs(ahead: int) -> list[_Pair]:
        return [_Pair(*pair) for pair in zip(missing[max(-ahead, 0) :], added[max(ahead, 0) :], strict=False)]

    def days(ahead: int) -> float:
        return fmean(_days(pair) for pair in pairs(ahead))

    yield from pairs(min(range(first, last + 1), key=days))
