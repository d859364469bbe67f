"""Repeated calls during a drill, each kind on its own connection, and many calls at the same moment."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Self, TypeVar

from tools.bench.drills.client import Client, ClosedError, HttpAnswer, ImproperAnswerError
from tools.bench.drills.report import Report
from tools.bench.measure import percentile

Ask = Callable[[Client], HttpAnswer]


def health(client: Client) -> HttpAnswer:
    """Check the health like a proxy."""
    return client.get("/health")


def items(client: Client) -> HttpAnswer:
    """Read like an app."""
    return client.get("/v1/items")


def me(client: Client) -> HttpAnswer:
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


@contextmanager
def together(watches: Iterable[Watch]) -> Iterator[None]:
    """Run all of them until the end of the block."""
    with ExitStack() as stack:
        for watch in watches:
            stack.enter_context(watch)
        yield


def times(watches: Sequence[Watch]) -> str:
    """Return how long all calls of some watches took, in words."""
    seconds = [each for watch in watches for each in watch.seconds]
    shares = (percentile(seconds, share) * 1000 for share in (0.5, 0.95, 0.99, 1))
    return "median {:.0f}, p95 {:.0f}, p99 {:.0f}, longest {:.0f} ms".format(*shares)


def kinds(answers: Counter[str]) -> str:
    """Return counts in words."""
    return ", ".join(f"{times} x {kind}" for kind, times in answers.most_common())


LIMIT = 120
"""Requests per minute and credential (spec, Limits)."""

ASKED = 400
_THREADS = 8
_Result = TypeVar("_Result")


def at_once(calls: Sequence[Callable[[], _Result]]) -> list[_Result | Exception]:
    """Run all calls at the same moment, each in its own thread. Return their results or exceptions."""
    gate = threading.Barrier(len(calls))

    def run(call: Callable[[], _Result]) -> _Result | Exception:
        gate.wait(30)
        try:
            return call()
        except Exception as error:  # noqa: BLE001  # counted by the caller
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def accepted(ports: Sequence[int], key: str) -> tuple[int, list[Exception]]:
    """Send `ASKED` requests with one key. Return how many passed its limit, and other errors."""

    def ask(port: int) -> list[HttpAnswer]:
        with Client(port, key) as client:
            return [client.get("/v1/me") for _ in range(ASKED // _THREADS)]

    results = at_once([partial(ask, ports[number % len(ports)]) for number in range(_THREADS)])
    answers = [answer for result in results if isinstance(result, list) for answer in result]
    wrong = [result for result in results if isinstance(result, Exception)]
    wrong += [RuntimeError(answer.fault) for answer in answers if answer.status not in {200, 429}]
    return sum(answer.status == 200 for answer in answers), wrong


def check_limit(report: Report, what: str, ports: Sequence[int], key: str) -> None:
    """Check that the limit of a key is exact."""
    passed, wrong = accepted(ports, key)
    report.check(f"{what}{passed} of {ASKED} requests with one key pass in a minute", passed == LIMIT and not wrong)
