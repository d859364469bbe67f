"""An account that is seen in part."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.half_seen import HalfSeen


@pytest.fixture
def half(owner_member: Any, make_key: Any, time_machine: Any) -> "HalfSeen":
    from tests.support.half_seen import HalfSeen, Patient

    time_machine.move_to("2026-11-23T12:00:00Z")
    Patient.clock = time_machine
    return HalfSeen(Patient(make_key(owner_member)[0]))
