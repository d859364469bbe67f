"""The threads that answer requests, and their queue."""

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
        keeps: returns whether a result keeps its place in the lane's share until `free` is called.
    """

    turns: "Turns"
    work: Callable[[], Any]
    keeps: Callable[[Any], bool]
    result: "asyncio.Future[Any]"
    queued_at: float = field(default_factory=time.monotonic)

    def free(self) -> None:
        """Let others of its lane run. May be called again."""
        self.turns.free(self)


Inbox = SimpleQueue[Task | None]


class Turns:
    """Threads, and the tasks that wait for one. The event loop does everything except run the tasks.

    `ThreadPoolExecutor` has no custom order, and creates a `Future` with a lock and a condition for each task, which
    takes a tenth of the server's time per request. Here the thread that finished last takes the next task: if the
    database hangs, that thread has noticed and fails at once, while another would wait as long again.

    Args:
        number: of threads.
        name: prefix of their names.
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
        """Return the numbers of running and waiting tasks."""
        return self._queue.load()

    def shutdown(self) -> None:
        """Stop the threads after all their tasks, and wait for them."""
        for inbox in self._inboxes:
            inbox.put(None)
        for thread in self._threads:
            thread.join()

    async def have_done(self, lane: Lane, work: Callable[[], Any], keeps: Callable[[Any], bool]) -> Task:
        """Run `work` when its turn comes."""
        made = Task(self, work, keeps, asyncio.get_running_loop().create_future())
        self._queue.submit(lane, made)
        self._hand_out()
        try:
            await made.result
        except asyncio.CancelledError:  # the client disconnected; `_done` frees work that is not done yet
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
            except BaseException as error:  # noqa: BLE001  # the thread must continue
                result = error
            with suppress(RuntimeError):  # the process is ending and its event loop has already ended
                task.result.get_loop().call_soon_threadsafe(self._done, inbox, task, result)
            del task, result  # while the thread waits, it would hold an answer

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
        """Free everything that a task holds."""
        self._queue.finished(task)
        self._hand_out()
