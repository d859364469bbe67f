"""The command that reads due calendars: when, for which members, and each calendar once."""

import json
from datetime import datetime, timedelta
from io import StringIO
from threading import Lock
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections

from accounts.members.last_runs import LastRun
from accounts.models import Member
from planning.models import DueCalendar, SchoolCalendar
from planning.school_calendars import fetching
from studyservice.fetching import guarded
from tests.school_calendars.conftest import NOW, Calls
from tests.support.internet import OTHER_PUBLIC, Internet
from tests.support.schools import HOST, SECRET, URL, School, labelled

pytestmark = [pytest.mark.rest, pytest.mark.django_db(transaction=True)]


def run() -> Any:
    out = StringIO()
    call_command("readcalendars", "--json", stdout=out)
    return json.loads(out.getvalue())


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_it_reads_only_due_calendars(calls: Calls, school: School, clock: Any) -> None:
    calls.course("Biology")
    school.has(labelled("a", "20261203", "Essay", "Biology"))
    added = calls.add(accept=True)
    next_read = moment(added["next_read_at"])
    assert timedelta(hours=5.4) <= next_read - moment(added["last_read_at"]) <= timedelta(hours=6.6)
    assert run() == {"read": 0}
    clock.move_to(next_read + timedelta(seconds=1))
    school.has(labelled("a", "20261204", "Essay", "Biology"))
    assert run() == {"read": 1, "taken": 1}
    assert calls.dates() == [("Essay", "2026-12-04")]
    assert run() == {"read": 0}
    clock.shift(timedelta(hours=7))
    assert run() == {"read": 1, "unchanged": 1}
    assert (school.gets, school.unchanged) == (3, 1)
    [change, _] = calls.readings()
    assert change["by"] == {"kind": "calendar", "id": added["id"], "name": HOST}


def test_a_failing_calendar_is_retried_after_1_6_and_24_hours_and_stopped_after_14_days(
    calls: Calls, school: School, clock: Any, mailoutbox: Any
) -> None:
    from accounts import mail

    school.sends(status="500 Oh")
    added = calls.add()
    waits = []
    while added["state"] == "failing":
        at = moment(added["last_error"]["at"])
        waits.append((moment(added["next_read_at"]) - at).total_seconds() / 3600)
        clock.move_to(moment(added["next_read_at"]) + timedelta(seconds=1))
        assert run()["read"] == 1
        added = calls.get(added)
    assert waits == [1, 6, *[24] * 14]
    assert (added["state"], added["next_read_at"]) == ("stopped", None)
    clock.shift(timedelta(days=2))
    assert run() == {"read": 0}
    mail.drain()
    assert [HOST in one.body for one in mailoutbox] == [True]
    school.has()
    assert calls.update(added, paused=False)["state"] == "failing"
    assert run() == {"read": 1, "unchanged": 1}
    assert calls.get(added)["state"] == "ok"


def test_a_successful_reading_restarts_the_14_days(calls: Calls, school: School, clock: Any) -> None:
    school.sends(status="500 Oh")
    added = calls.add()
    for _ in range(2):
        clock.shift(timedelta(days=10))
        run()
        school.has()
        assert run()["read"] <= 1
        clock.shift(timedelta(days=2))
        run()
        assert calls.get(added)["state"] == "ok"
        school.sends(status="500 Oh")
        clock.shift(timedelta(days=1))
        run()
        assert calls.get(added)["state"] == "failing"


def test_paused_calendars_and_those_of_lapsed_or_erased_members_are_not_read(
    calls: Calls, school: School, clock: Any, owner_member: Member
) -> None:
    added = calls.add()
    calls.update(added, paused=True)
    clock.shift(timedelta(days=1))
    assert run() == {"read": 0}
    assert calls.get(added)["next_read_at"] is None
    calls.update(added, paused=False)
    Member.objects.filter(id=owner_member.id).update(membership_active=False)
    clock.shift(timedelta(days=1))
    assert run() == {"read": 1, "lapsed": 1}
    clock.shift(timedelta(days=1))
    Member.objects.get(id=owner_member.id).delete()
    assert (DueCalendar.objects.count(), SchoolCalendar.objects.count()) == (0, 0)
    assert run() == {"read": 0}
    assert school.gets == 1


def test_it_reads_nothing_if_disabled(calls: Calls, school: School, clock: Any, settings: Any) -> None:
    calls.add()
    clock.shift(timedelta(days=1))
    settings.SCHOOL_CALENDARS = False
    assert run() == {"read": 0}
    assert school.gets == 1


def test_a_calendar_removed_by_an_undo_is_not_due(calls: Calls, school: School, clock: Any) -> None:
    calls.add()
    [added] = calls.owner.made("list_changes")["data"]
    calls.owner.made("undo_change", change_id=added["id"])
    clock.shift(timedelta(days=1))
    assert run() == {"read": 1, "gone": 1}
    assert DueCalendar.objects.count() == 0


def test_an_error_in_one_is_logged_and_does_not_affect_others(
    calls: Calls, internet: Internet, clock: Any, monkeypatch: Any, caplog: Any
) -> None:
    from django.core.management.base import CommandError

    School(internet)
    School(internet, "other.example", OTHER_PUBLIC)
    calls.add()
    other = calls.add(url=f"https://other.example/{SECRET}")
    clock.shift(timedelta(days=1))
    real = guarded.fetch

    def broken(url: str, *given: Any, **named: Any) -> Any:
        if HOST in url:
            raise AssertionError("a fault")
        return real(url, *given, **named)

    monkeypatch.setattr(fetching, "fetch", broken)
    with pytest.raises(CommandError, match="1 could not be read"):
        run()
    assert calls.get(other)["last_read_at"] > added_at(other)
    assert SECRET not in caplog.text
    assert run() == {"read": 0}


def added_at(calendar: Any) -> str:
    return str(calendar["created_at"])


def test_no_database_connection_is_held_while_a_school_answers(
    calls: Calls, school: School, clock: Any, monkeypatch: Any
) -> None:
    held = []
    real = guarded.fetch

    def watched(*given: Any, **named: Any) -> Any:
        held.append(connections["default"].connection is not None)
        return real(*given, **named)

    monkeypatch.setattr(fetching, "fetch", watched)
    added = calls.add()
    calls.refresh(added)
    clock.shift(timedelta(days=1))
    run()
    assert held == [False, False, False]


@pytest.mark.database("both")
def test_two_runs_at_once_read_each_calendar_once_with_one_connection_per_host(
    internet: Internet, make_member: Any, clock: Any, in_threads: Any
) -> None:
    """Three hosts, and eight members with three calendars each."""
    hosts = {f"school{number}.example": f"93.184.215.{20 + number}" for number in range(3)}
    at_once: dict[str, int] = {}
    most: dict[str, int] = {}
    asked: list[str] = []
    counting = Lock()
    for host, address in hosts.items():
        school = School(internet, host, address)
        answer = school._write

        def counted(head: str, connection: Any, host: str = host, answer: Any = answer) -> None:
            with counting:
                at_once[host] = at_once.get(host, 0) + 1
                most[host] = max(most.get(host, 0), at_once[host])
                asked.append(head.split()[1])
            answer(head, connection)
            with counting:
                at_once[host] -= 1

        internet.serve(host, counted, address)
    for number in range(8):
        member = make_member(f"m{number}@example.org")
        for host in hosts:
            _stored(member, host, f"https://{host}/{number}.ics")
    runs = in_threads(lambda _: run(), [0, 1])
    assert sorted(asked) == sorted(f"/{number}.ics" for number in range(8) for _ in hosts)
    assert set(most.values()) == {1}
    assert sum(one["read"] for one in runs) == 24
    # Two runs in one process may need to read a file at the same time. Separate processes read independently.
    later = sum(one.get("later", 0) for one in runs)
    assert DueCalendar.objects.filter(next_read_at__lte=NOW + timedelta(hours=5)).count() == later
    assert not DueCalendar.objects.filter(claimed_until__isnull=False).exists()


def _stored(member: Member, host: str, url: str) -> None:
    from planning.school_calendars.addresses import sealed

    calendar = SchoolCalendar.objects.create(
        member=member, name=host, host=host, address_end=url[-4:], sealed_address=sealed(url), next_read_at=NOW
    )
    DueCalendar.objects.create(id=calendar.id, member=member, host=host, next_read_at=NOW)


def test_an_unfinished_claim_expires(calls: Calls, school: School, clock: Any) -> None:
    calls.add()
    clock.shift(timedelta(days=1))
    DueCalendar.objects.update(claimed_until=NOW + timedelta(days=1, minutes=20))
    assert run() == {"read": 0}
    clock.shift(timedelta(minutes=21))
    assert run()["read"] == 1


def test_remaining_calendars_wait_for_the_next_run_if_time_is_up(calls: Calls, school: School, clock: Any) -> None:
    from planning.school_calendars.running import Run

    calls.add()
    calls.add(url=f"{URL}?2")
    clock.shift(timedelta(days=1))
    Run(seconds=0).read_all()
    assert school.gets == 2
    assert run()["read"] == 2
    assert LastRun.objects.filter(name="readcalendars").exists()


@pytest.mark.database("sqlite", "a function of the key")
def test_addresses_are_reencrypted_and_those_with_a_lost_key_stop(
    calls: Calls, school: School, clock: Any, settings: Any
) -> None:
    settings.SECRET_KEY_FALLBACKS, old = [settings.SECRET_KEY], settings.SECRET_KEY
    added = calls.add()
    settings.SECRET_KEY = "a new key " * 6
    before = SchoolCalendar.objects.get().sealed_address
    out = StringIO()
    call_command("resealsecrets", "--json", stdout=out)
    assert json.loads(out.getvalue())["sealed"] == 1
    assert SchoolCalendar.objects.get().sealed_address != before
    settings.SECRET_KEY_FALLBACKS = []
    assert calls.refresh(added)["state"] == "ok"
    settings.SECRET_KEY = old
    stopped = calls.refresh(added)
    assert (stopped["state"], stopped["last_error"]["type"]) == ("stopped", "address_lost")
