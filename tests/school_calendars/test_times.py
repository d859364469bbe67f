"""Times of day in school calendars, and readings from before times were kept."""

from typing import Any

import orjson
import pytest

from planning.calendar.files import as_json, unpacked
from planning.models import ImportedEvent, SchoolCalendar
from tests.school_calendars.conftest import Calls
from tests.support.calendar_files import event
from tests.support.schools import School, essay

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "other tests send the same statements"),
]


def quiz(number: int, hour: int = 14) -> str:
    """A quiz of the course "Biology" at this hour on the member's clock."""
    return event(f"n{number}", f"DTSTART:20261203T{hour - 1:02}0000Z", summary=f"Quiz {number} [Biology]")


def times(calls: Calls) -> set[str | None]:
    return {item["due_time"] for item in calls.owner.made("list_items", limit=100)["data"]}


def as_before_the_upgrade(calls: Calls) -> None:
    """Make items, remembered events and the stored reading as an upgrade leaves them."""
    import zlib

    for item in calls.owner.made("list_items", limit=100)["data"]:
        calls.owner.made("update_item", item_id=item["id"], due_time=None)
    ImportedEvent.objects.update(due_time="")
    [stored] = SchoolCalendar.objects.all()
    if stored.reading is not None:
        reading = as_json(unpacked(stored.reading))
        reading["events"] = [one[:5] for one in reading["events"]]
        stored.reading = zlib.compress(orjson.dumps(reading))
    stored.fingerprint = f"{stored.fingerprint[1:]}0"
    stored.save()


@pytest.mark.database("both")
def test_events_bring_their_times(calls: Calls, school: School, biology: Any) -> None:
    school.has(quiz(1), essay())
    added = calls.add(accept=True)
    assert times(calls) == {"14:00", None}
    school.has(quiz(1, hour=15), essay())
    assert calls.refresh(added)["counts"] == {"new": 0, "changed": 1, "kept": 0, "gone": 0, "unchanged": 1}
    assert times(calls) == {"15:00", None}


@pytest.mark.database("both")
def test_the_next_reading_fills_in_the_times(calls: Calls, school: School, biology: Any) -> None:
    """Although the file is the same, and so many at once would otherwise be held."""
    school.has(*(quiz(number) for number in range(12)))
    added = calls.add(accept=True)
    as_before_the_upgrade(calls)
    read = calls.refresh(added)
    assert (read["state"], read["counts"]["changed"], read["counts"]["unchanged"]) == ("ok", 0, 12)
    assert times(calls) == {"14:00"}
    calls.refresh(added)
    assert school.unchanged == 1, "a reading with times is not fetched again"


def test_filling_in_is_one_change_that_can_be_undone(calls: Calls, school: School, biology: Any) -> None:
    school.has(quiz(1), quiz(2))
    added = calls.add(accept=True)
    as_before_the_upgrade(calls)
    calls.refresh(added)
    change = calls.readings()[0]
    calls.owner.made("undo_change", change_id=change["id"])
    assert times(calls) == {None}
    calls.refresh(added)
    assert times(calls) == {None}, "what the member undid stays"


def test_a_refused_file_does_not_ask_again(calls: Calls, school: School, biology: Any) -> None:
    school.has(quiz(1))
    added = calls.add()
    calls.answer(added, accept=False)
    as_before_the_upgrade(calls)
    assert calls.refresh(added)["state"] == "ok"
    school.has(quiz(1), quiz(2))
    assert calls.refresh(added)["state"] == "held"


def test_a_held_reading_from_before_can_be_accepted(calls: Calls, school: School, biology: Any) -> None:
    school.has(quiz(1))
    added = calls.add()
    as_before_the_upgrade(calls)
    [held] = calls.get(added)["held"]
    assert [one["due_time"] for one in held["new"]] == [None]
    calls.answer(added, accept=True)
    assert times(calls) == {None}
    assert calls.refresh(added)["counts"]["unchanged"] == 1
    assert times(calls) == {"14:00"}
