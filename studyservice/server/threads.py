"""The thread pool that answers requests."""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

Task = TypeVar("Task")


class ThreadPool(Generic[Task]):
    """Threads that run one task after another.

    `ThreadPoolExecutor` creates a `Future` with a lock and a condition for each task. Nothing waits for these
    tasks, and the futures would take a tenth of the server's time per request.

    Args:
        number: of threads.
        work: does a task, and gives the one that its thread is to go on with, if there is one; raises nothing.
    """

    def __init__(self, number: int, work: "Callable[[Task], Task | None]") -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._threads = [Thread(target=self._run, args=[work], name=f"answers-{place}") for place in range(number)]
        for thread in self._threads:
            thread.start()

    def submit(self, task: Task) -> None:
        """Have `task` done by whichever thread is free first."""
        self._tasks.put(task)

    def shutdown(self, wait: bool = True) -> None:
        """End the threads when all that was submitted is done; the process ends after them, as with an executor."""
        for _ in self._threads:
            self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _run(self, work: "Callable[[Task], Task | None]") -> None:
        while (task := self._tasks.get()) is not None:
            following: Task | None = task
            while following is not None:
                following = work(following)
