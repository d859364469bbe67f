"""Many requests at the same moment, spread over ports."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from bench.drills.client import Answer, Client

LIMIT = 120
"""Requests per minute and credential (spec, Limits)."""

_Result = TypeVar("_Result")


def at_once(calls: Sequence[Callable[[], _Result]]) -> list[_Result | Exception]:
    """What the calls give, or raise, when all are let go at the same moment, each in a thread of its own."""
    gate = threading.Barrier(len(calls))
    results: list[_Result | Exception] = [RuntimeError("no result in time")] * len(calls)

    def run(place: int, call: Callable[[], _Result]) -> None:
        gate.wait(30)
        try:
            results[place] = call()
        except Exception as error:  # noqa: BLE001  # handed to the caller, who counts it
            results[place] = error

    threads = [threading.Thread(target=run, args=numbered, daemon=True) for numbered in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def accepted(ports: Sequence[int], key: str, requests: int, threads: int = 8) -> tuple[int, list[Exception]]:
    """How many of so many requests with one key passed its limit, and what else went wrong."""

    def ask(port: int) -> list[Answer]:
        with Client(port, key) as client:
            return [client.call("GET", "/v1/me") for _ in range(requests // threads)]

    results = at_once([partial(ask, ports[number % len(ports)]) for number in range(threads)])
    answers = [answer for result in results if isinstance(result, list) for answer in result]
    wrong = [result for result in results if isinstance(result, Exception)]
    wrong += [RuntimeError(answer.fault) for answer in answers if answer.status not in {200, 429}]
    return sum(answer.status == 200 for answer in answers), wrong
