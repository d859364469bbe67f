"""Many requests at the same moment, distributed over ports."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from tools.bench.drills.client import Answer, Client
from tools.bench.drills.report import Report

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

    def ask(port: int) -> list[Answer]:
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
