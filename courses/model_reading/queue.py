"""The queue of readings: two at once in a process, in threads that no request waits for."""

import logging
from collections import deque
from collections.abc import Callable
from functools import cache
from threading import Condition, Thread
from typing import Final
from uuid import UUID

from django.db import connections

logger = logging.getLogger(__name__)

AT_ONCE: Final = 2

Task = Callable[[], None]


class Tasks:
    """Waiting tasks. Members take turns, so that the many uploads of one do not delay another's."""

    def __init__(self) -> None:
        self._waiting: dict[UUID, deque[Task]] = {}
        self._changed = Condition()

    def put(self, member_id: UUID, task: Task) -> None:
        """Add a task of a member."""
        with self._changed:
            self._waiting.setdefault(member_id, deque()).append(task)
            self._changed.notify()

    def take(self) -> Task:
        """Wait for a task, and move its member to the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            member_id = next(iter(self._waiting))
            tasks = self._waiting.pop(member_id)
            task = tasks.popleft()
            if tasks:
                self._waiting[member_id] = tasks
            return task


def begin_later(member_id: UUID, task: Task) -> None:
    """Run a task of a member when a thread is free."""
    _tasks().put(member_id, task)


@cache
def _tasks() -> Tasks:
    """Create the queue and its threads at the first reading.

    The threads are daemons, unlike those of an executor: a server that stops does not wait two minutes for a model. A
    reading that ends with its process is failed when its time is over.
    """
    tasks = Tasks()
    for number in range(AT_ONCE):
        Thread(target=_run, args=[tasks], name=f"model-reading-{number}", daemon=True).start()
    return tasks


def _run(tasks: Tasks) -> None:
    while True:
        task = tasks.take()
        try:
            task()
        except Exception:  # no caller is left to handle the error
            logger.exception("A reading of a syllabus failed")
        finally:
            connections.close_all()
