"""The round trips to PostgreSQL of each operation must equal tests/exchange_counts.json.

`make openapi` rewrites the file.
"""

import json
from functools import partial
from typing import Any

import pytest

from accounts.models import Member
from studyservice.rates import limiter as rates
from tests import ROOT
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.exchanges import counted
from tests.support.internet import Internet
from tests.support.oauth import App
from tests.support.schools import School
from tests.support.undoable import UNDOABLE
from tests.support.world import INTO_NOTHING, OPERATIONS, World, bearer

pytestmark = pytest.mark.database("postgresql")

COUNTS = ROOT / "tests" / "exchange_counts.json"
REFRESH = "Run `make openapi` and look at the difference before you commit it."

LETS_GO = {"add_school_calendar", "refresh_school_calendar"}
"""Operations that release their connection while a school answers, so that their round trips cannot be counted."""

_ORDER = {"PUT": 1, "DELETE": 2}


@pytest.mark.django_db(transaction=True)
def test_round_trips_equal_the_committed_ones(
    owner_member: Member, make_key: Any, internet: Internet, pytestconfig: pytest.Config
) -> None:
    entry_point = RestEntryPoint(make_key(owner_member)[0])
    entry_point.made("get_me")  # record the use of the key now, so that it is not written again
    undone = _of_undos(entry_point, School(internet))
    World(entry_point).empty()
    operations = _of_operations(World(entry_point))
    found = dict(sorted({**operations, **undone, "refresh": _of_refresh(owner_member)}.items()))
    if pytestconfig.getoption("--refresh-baselines"):
        COUNTS.write_text(json.dumps(found, indent=2) + "\n")
    assert json.loads(COUNTS.read_text()) == found, REFRESH


def _of_operations(world: World) -> dict[str, int]:
    """Round trips of each operation, including the credential's. Replacing and deleting operations run last."""
    world.fill()
    found = {}
    for operation_id in sorted(
        set(OPERATIONS) - LETS_GO, key=lambda name: (name in INTO_NOTHING, _ORDER.get(routes()[name].method, 0), name)
    ):
        rates.clear()
        if operation_id in INTO_NOTHING:
            world.empty()
        call = world.call(operation_id)
        response, found[operation_id] = counted(partial(call.send, **bearer(world.entry_point.secret)))
        assert response.status_code == routes()[operation_id].success, response.content
        if routes()[operation_id].method == "DELETE":
            world.forget()
    return found


def _of_undos(owner: RestEntryPoint, school: School) -> dict[str, int]:
    """Count the undo of each change that touches most."""
    found = {}
    for name, change in UNDOABLE.items():
        rates.clear()
        change(owner, school)
        [newest] = owner.made("list_changes", limit=1)["data"]
        assert newest["operation"] == name
        call = World(owner).call("undo_change", change_id=newest["id"])
        response, found[f"undo_change of {name}"] = counted(partial(call.send, **bearer(owner.secret)))
        assert response.status_code == 200, response.content
    return found


def _of_refresh(member: Member) -> int:
    """Round trips of a public client's second token refresh. The first also records the app as just connected."""
    app = App.registered()
    tokens = app.connect(member)
    tokens = app.refresh(tokens["refresh_token"]).json()
    response, exchanges = counted(lambda: app.refresh(tokens["refresh_token"]))
    assert response.status_code == 200, response.content
    return exchanges
