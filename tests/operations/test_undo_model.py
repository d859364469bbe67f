"""Random histories by two apps and on pages, undone in random order, always match a model of the rules."""

import copy
import random
from typing import Any

import pytest
from hypothesis import Phase, event, example, given
from hypothesis import strategies as st

from studyservice.rates import limiter as rates
from tests.support.account_model import Done, Link, Refused, Undoing, Unspecified, compared, observed
from tests.support.entry_points import RestEntryPoint
from tests.support.properties import examples
from tests.support.random_writes import ACTORS, FIRST, PAGE_WRITES, WRITES, Writers

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

STEPS = st.lists(
    st.tuples(st.sampled_from(ACTORS), st.integers(0, len(WRITES) - 1), st.integers(0, 99), st.integers(0, 99)),
    min_size=6,
    max_size=20,
)


EVERY = [("rest", which, 0, 3) for which in range(len(WRITES))]
EVERY += [("page", which, 0, 1) for which in range(len(PAGE_WRITES))]
"""Each kind of write once."""


def newest(rest: RestEntryPoint) -> str:
    return str(rest.made("list_changes", limit=1)["data"][0]["id"])


def undo(rest: RestEntryPoint, change_id: str) -> int:
    rates.clear()
    return int(rest.request("POST", f"/v1/changes/{change_id}/undo").status_code)


def written(writers: Writers, steps: list[tuple[str, int, int, int]]) -> list[tuple[str, Done]]:
    """Carry out the steps. Return the changes that they left, with what each did."""
    changes: list[tuple[str, Done]] = []
    state = observed(writers.rest)
    last = ""
    for one in steps:
        writers.write(*one)
        before, state = state, observed(writers.rest)
        if (change_id := newest(writers.rest)) != last:
            changes.append((change_id, compared(before, state)))
            last = change_id
        else:
            assert state == before, one
    return changes


@given(STEPS, st.integers(0, 10**6))
@example(EVERY, 1)
@example(EVERY[::-1], 2)
@examples(24, phases=[Phase.explicit, Phase.generate])
def test_undos_in_any_order_match_the_rules(
    make_member: Any, make_key: Any, steps: list[tuple[str, int, int, int]], order: int
) -> None:
    writers = Writers.of(make_member(), make_key)
    changes = written(writers, [*FIRST, *steps])
    random.Random(order).shuffle(changes)  # noqa: S311  # an order
    state, waiting = observed(writers.rest), list[Link]()
    for change_id, done in changes:
        undoing = Undoing(state, waiting)
        try:
            undoing.undo(done)
            expected = 200
        except Refused:
            expected = 409
        except Unspecified:
            event("unspecified")
            continue
        status = undo(writers.rest, change_id)
        event(f"answered {status}")
        assert status == expected, (change_id, done)
        if status == 200:
            state, waiting = copy.deepcopy(undoing.state), undoing.waiting
            assert undo(writers.rest, change_id) == 409
        found = observed(writers.rest)
        assert found == state, done
