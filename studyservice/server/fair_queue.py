"""A fair queue: many tasks of one lane do not delay the few of another."""

from collections import Counter, OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

Task = TypeVar("Task", bound=Hashable)


class Lane(NamedTuple):
    """A lane of tasks.

    Attributes:
        name: unique key.
        share: most of its tasks that may run at once.
    """

    name: str
    share: int


class FairQueue(Generic[Task]):
    """Tasks wait in lanes, and lanes take turns (round robin: Nagle, RFC 970, section "Fairness in packet switching").

    Within a lane the order is first come, first served. A lane's next task runs after at most one task of each other
    lane. The queue starts nothing itself and is not thread-safe: callers hold a lock.

    Args:
        slots: most tasks that may run at once.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._waiting: OrderedDict[Lane, deque[Task]] = OrderedDict()
        self._running: dict[Task, Lane] = {}
        self._delivering: dict[Task, Lane] = {}
        self._held: Counter[Lane] = Counter()

    def submit(self, lane: Lane, task: Task) -> None:
        """Queue `task`."""
        self._waiting.setdefault(lane, deque()).append(task)

    def take(self) -> Task | None:
        """Return the next task that may run, and give it a slot. None if there is none or no slot is free."""
        if len(self._running) >= self._slots:
            return None
        # At most as many lanes are skipped as there are slots, since each of them holds one.
        lane = next((lane for lane in self._waiting if self._held[lane] < lane.share), None)
        if lane is None:
            return None
        tasks = self._waiting[lane]
        task = tasks.popleft()
        if tasks:
            self._waiting.move_to_end(lane)
        else:
            del self._waiting[lane]
        self._running[task] = lane
        self._held[lane] += 1
        return task

    def load(self) -> tuple[int, int]:
        """Return the numbers of running and waiting tasks."""
        return len(self._running), sum(map(len, self._waiting.values()))

    def answered(self, task: Task) -> None:
        """Free the slot of `task`. It still counts against its lane's share until it is finished."""
        lane = self._running.pop(task, None)
        if lane is not None:
            self._delivering[task] = lane

    def finished(self, task: Task) -> None:
        """Free everything that `task` holds."""
        lane = self._running.pop(task, None) or self._delivering.pop(task, None)
        if lane is None:
            return
        self._held[lane] -= 1
        if not self._held[lane]:
            del self._held[lane]
