"""get_agenda with `minutes`: the steps of 500 generated accounts equal those of the oracle."""

from collections import defaultdict
from random import Random
from typing import Any

import pytest

from tests.conftest import OpenEntryPoint
from tests.support.agenda_accounts import agenda_account, agenda_minutes
from tests.support.agenda_oracle import now
from tests.support.agenda_rows import stored_accounts

TEXTS = {("due_in", 2): "Due in 2 days", ("worth", 15): "15 % of the grade"}
"""Texts according to the rules."""


def compare(open_entry_point: OpenEntryPoint, clock: Any, seeds: range) -> None:
    """Compare one account at its own time, for several `minutes` and random `days`."""
    accounts = sorted(((agenda_account(seed), seed) for seed in seeds), key=lambda one: one[0].now)
    clock.move_to(accounts[0][0].now, tick=False)
    members = stored_accounts([account for account, _ in accounts])
    texts: dict[Any, set[str]] = defaultdict(set)
    for (account, seed), member in zip(accounts, members, strict=True):
        clock.move_to(account.now, tick=False)
        entry_point = open_entry_point(member)
        chance = Random(seed)  # noqa: S311  # an example, no secret
        for minutes in agenda_minutes(seed, 4):
            answer = entry_point.made("get_agenda", minutes=minutes, days=chance.randint(1, 120))["now"]
            assert (seed, answer) == (seed, now(account, minutes))
            for reason in (reason for step in answer["steps"] for reason in step["because"]):
                texts[reason["code"], reason["value"]].add(reason["text"])
    check_texts(texts)


def check_texts(texts: dict[Any, set[str]]) -> None:
    """Each text consists only of its code and value, and is printable ASCII under 120 characters."""
    assert {key: found for key, found in texts.items() if len(found) > 1} == {}
    told = {key: text for key, (text,) in texts.items()}
    assert [text for text in told.values() if not (text.isascii() and text.isprintable() and 0 < len(text) < 120)] == []
    assert len(set(told.values())) == len(told)
    assert {key: told[key] for key in TEXTS if key in told} == {key: TEXTS[key] for key in TEXTS if key in told}


@pytest.mark.django_db
@pytest.mark.database("both")
@pytest.mark.parametrize("first", [0, 25])
def test_the_steps_equal_those_of_the_oracle(entry_point: OpenEntryPoint, time_machine: Any, first: int) -> None:
    compare(entry_point, time_machine, range(first, first + 25))


@pytest.mark.django_db
@pytest.mark.thorough("same statements as above, with other rows")
@pytest.mark.database("sqlite", "same statements as above, with other rows")
@pytest.mark.parametrize("first", range(50, 500, 50))
def test_the_steps_of_more_accounts_equal_those_of_the_oracle(
    entry_point: OpenEntryPoint, time_machine: Any, first: int
) -> None:
    compare(entry_point, time_machine, range(first, first + 50))
