"""Repeated calls during a drill, each kind on its own connection."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Self

from tools.bench.drills.client import Answer, Client, ClosedError, ImproperAnswerError

Ask = Callable[[Client], Answer]


def health(client: Client) -> Answer:
    """Check the health like a proxy."""
    return client.get("/health")


def items(client: Client) -> Answer:
    """Read like an app."""
    return client.get("/v1/items")


def me(client: Client) -> Answer:
    """Send the cheapest call."""
    return client.get("/v1/me")


class Watch:
    """`with Watch(port, ask, key) as watch:` repeats the call until the end of the block.

    Args:
        pause: seconds between calls; a credential may send 120 a minute.
        times: the most calls.
        beside: a count of other events, read before and after each call.
        fresh: open a new connection for each call.

    Attributes:
        answers: count of each status, with `Retry-After` if present, or of each error.
        seconds: duration of each call. Drills only report it, because the machine may be busy.
        passed: for each call, by how much `beside` increased meanwhile.
    """

    def __init__(
        self,
        port: int,
        ask: Ask,
        key: str = "",
        *,
        pause: float = 0.05,
        times: float = float("inf"),
        beside: Callable[[], int] = lambda: 0,
        fresh: bool = False,
    ) -> None:
        self.answers: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.passed: list[int] = []
        self._client = Client(port, key)
        self._ask, self._pause, self._times, self._beside, self._fresh = ask, pause, times, beside, fresh
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(60)
        self._client.close()

    def run(self) -> Self:
        """Send all `times` calls now."""
        self._watch()
        self._client.close()
        return self

    def only(self, *answers: str) -> bool:
        """Return whether there was an answer, and all were of these kinds."""
        return bool(self.answers) and set(self.answers) <= set(answers)

    @property
    def longest(self) -> float:
        """Seconds of the longest call."""
        return max(self.seconds, default=0.0)

    def told(self) -> str:
        """Return the answers in words."""
        return f"{kinds(self.answers)}, the longest {self.longest:.2f} s"

    def _watch(self) -> None:
        while len(self.seconds) < self._times and not self._stopped.wait(self._pause):
            started, before = time.monotonic(), self._beside()
            try:
                answer = self._ask(self._client)
            except (ClosedError, ImproperAnswerError) as error:
                self.answers[str(error)] += 1
            else:
                after = answer.headers["Retry-After"]
                self.answers[f"{answer.status}" + (f" (Retry-After: {after})" if after else "")] += 1
            self.passed.append(self._beside() - before)
            self.seconds.append(time.monotonic() - started)
            if self._fresh:
                self._client.close()


def kinds(answers: Counter[str]) -> str:
    """Return counts in words."""
    return ", ".join(f"{times} x {kind}" for kind, times in answers.most_common())
