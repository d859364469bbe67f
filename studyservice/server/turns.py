"""The threads that answer, and whose turn it is to get one."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import Any

from studyservice.server.fair_queue import FairQueue, Lane


@dataclass(slots=True, eq=False)
class Task:
    """A task for a thread, and its result or exception.

    Attributes:
        keeps: tells of a result with which its lane's share is kept until `free` is called.
    """

    turns: "Turns"
    work: Callable[[], Any]
    keeps: Callable[[Any], bool]
    result: "asyncio.Future[Any]"
    queued_at: float = field(default_factory=time.monotonic)

    def free(self) -> None:
        """Let others of its lane run; it may be called again."""
        self.turns.free(self)


Inbox = SimpleQueue[Task | None]


class Turns:
    """Threads, and the tasks that wait for one. All but the tasks themselves is done by the event loop.

    `ThreadPoolExecutor` has no order of its own, and makes a `Future` with a lock and a condition for each task, which
    takes a tenth of the server's time per request. Here the thread that was busy last goes on: when the database hangs,
    it has found that out and fails at once, where another would wait as long again.

    Args:
        number: of threads.
        name: of them.
    """

    def __init__(self, number: int, name: str) -> None:
        self._queue: FairQueue[Task] = FairQueue(number)
        self._inboxes: list[Inbox] = [SimpleQueue() for _ in range(number)]
        self._idle = self._inboxes.copy()
        self._threads = [Thread(target=self._run, args=[inbox], name=name) for inbox in self._inboxes]
        self.waited: Callable[[float], None] | None = None
        for thread in self._threads:
            thread.start()

    def load(self) -> tuple[int, int]:
        """The numbers of running and waiting tasks."""
        return self._queue.load()

    def shutdown(self) -> None:
        """End the threads when all that was handed to them is done, and wait for that."""
        for inbox in self._inboxes:
            inbox.put(None)
        for thread in self._threads:
            thread.join()

    async def have_done(self, lane: Lane, work: Callable[[], Any], keeps: Callable[[Any], bool]) -> Task:
        """Have `work` done when it is its turn."""
        made = Task(self, work, keeps, asyncio.get_running_loop().create_future())
        self._queue.submit(lane, made)
        self._hand_out()
        try:
            await made.result
        except asyncio.CancelledError:  # the client is gone; if the work is not done yet, `_done` frees
            if not made.result.cancelled():
                made.free()
            raise
        return made

    def _hand_out(self) -> None:
        while (task := self._queue.take()) is not None:
            self._idle.pop().put(task)

    def _run(self, inbox: Inbox) -> None:
        while (task := inbox.get()) is not None:
            if self.waited is not None:
                self.waited(time.monotonic() - task.queued_at)
            result: Any
            try:
                result = task.work()
            except BaseException as error:  # noqa: BLE001  # whatever it is, the thread goes on
                result = error
            with suppress(RuntimeError):  # the process ends, and its event loop has ended before
                task.result.get_loop().call_soon_threadsafe(self._done, inbox, task, result)

    def _done(self, inbox: Inbox, task: Task, result: Any) -> None:
        self._idle.append(inbox)
        if task.result.cancelled():
            task.free()
            return
        if task.keeps(result):
            self._queue.answered(task)
            self._hand_out()
        else:
            task.free()
        task.result.set_result(result)

    def free(self, task: Task) -> None:
        """Free what a task holds."""
        self._queue.finished(task)
        self._hand_out()
