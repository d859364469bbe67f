"""Many requests at the same moment, spread over ports."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from bench.drills.client import Answer, Client
from bench.drills.report import Report

LIMIT = 120
"""Requests per minute and credential (spec, Limits)."""

ASKED = 400
_THREADS = 8
_Result = TypeVar("_Result")


def at_once(calls: Sequence[Callable[[], _Result]]) -> list[_Result | Exception]:
    """What the calls give, or raise, when all are let go at the same moment, each in a thread of its own."""
    gate = threading.Barrier(len(calls))

    def run(call: Callable[[], _Result]) -> _Result | Exception:
        gate.wait(30)
        try:
            return call()
        except Exception as error:  # noqa: BLE001  # handed to the caller, who counts it
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def answered(calls: Sequence[Callable[[], _Result]]) -> list[_Result]:
    """The same of calls that may not fail."""
    results = []
    for result in at_once(calls):
        if isinstance(result, Exception):
            raise result
        results.append(result)
    return results


def accepted(ports: Sequence[int], key: str) -> tuple[int, list[Exception]]:
    """How many of `ASKED` requests with one key passed its limit, and what else went wrong."""

    def ask(port: int) -> list[Answer]:
        with Client(port, key) as client:
            return [client.call("GET", "/v1/me") for _ in range(ASKED // _THREADS)]

    results = at_once([partial(ask, ports[number % len(ports)]) for number in range(_THREADS)])
    answers = [answer for result in results if isinstance(result, list) for answer in result]
    wrong = [result for result in results if isinstance(result, Exception)]
    wrong += [RuntimeError(answer.fault) for answer in answers if answer.status not in {200, 429}]
    return sum(answer.status == 200 for answer in answers), wrong


def check_limit(report: Report, what: str, ports: Sequence[int], key: str) -> None:
    """Let `report` say whether as many requests with one key pass in a minute as may."""
    passed, wrong = accepted(ports, key)
    report.check(f"{what}{passed} of {ASKED} requests with one key pass in a minute", passed == LIMIT and not wrong)
