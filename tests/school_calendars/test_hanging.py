"""A school that does not answer: nobody else waits for it, and few calls wait with it."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import connections

from planning.school_calendars import fetching
from tests.support.entry_points import RestEntryPoint
from tests.support.internet import OTHER_PUBLIC, Internet
from tests.support.schools import HOST, URL, School

pytestmark = [pytest.mark.rest, pytest.mark.django_db(transaction=True)]

HANGS = 3.0
"""Seconds that the school needs in this test, instead of ten."""


def test_other_calls_continue_while_a_school_does_not_answer(
    owner: RestEntryPoint, stranger: RestEntryPoint, internet: Internet, monkeypatch: Any
) -> None:
    """Even the member's own writes, as no lock is held. A third fetch at once is rejected, and one is allowed
    afterwards.
    """
    monkeypatch.setattr(fetching, "LIMITS", replace(fetching.LIMITS, seconds=HANGS))
    internet.serve_in_silence("slow.example", OTHER_PUBLIC)
    School(internet)

    def add(number: int) -> Any:
        try:
            return owner.call("add_school_calendar", url=f"https://slow.example/{number}.ics")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        began = time.monotonic()
        hanging = [threads.submit(add, number) for number in range(fetching.MOST_AT_ONCE)]
        while internet.tried.count(OTHER_PUBLIC) < fetching.MOST_AT_ONCE:
            time.sleep(0.01)
        for entry_point in (owner, stranger):
            entry_point.made("create_course", name="Biology")
            entry_point.made("get_agenda")
        refused = stranger.call("add_school_calendar", url=URL)
        assert refused.error == "rate_limited"
        assert not any(one.done() for one in hanging)
        added = [one.result().body for one in hanging]
        assert time.monotonic() - began >= HANGS
    assert [one["last_error"]["type"] for one in added] == ["timed_out"] * 2
    assert stranger.made("add_school_calendar", url=URL)["host"] == HOST
