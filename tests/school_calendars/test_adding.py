"""Adding a school calendar: its address, its first reading, and the limits."""

import logging
from typing import Any
from unittest.mock import ANY

import pytest

from planning.models import DueCalendar, SchoolCalendar
from tests.school_calendars.conftest import Calls
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.internet import Internet
from tests.support.schools import HOST, SECRET, URL, School, labelled

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]

ESSAY = labelled("a", "20261203", "Essay 1", "BIO 210 Cell Biology")


@pytest.mark.database("both")
def test_the_first_reading_waits_for_confirmation(calls: Calls, school: School) -> None:
    course = calls.course("Cell Biology", "BIO 210")
    school.has(ESSAY)
    added = calls.add()
    new = {"uid": "a", "item_id": None, "title": "Essay 1", "kind": "paper", "due_on": "2026-12-03", "due_time": None}
    assert added == {
        "id": ANY,
        "name": HOST,
        "host": HOST,
        "address_end": ".ics",
        "course_id": None,
        "paused": False,
        "state": "held",
        "labels": [
            {
                "label": "BIO 210 Cell Biology",
                "events": 1,
                "example": "Essay 1",
                "course_id": course["id"],
                "ignored": False,
            }
        ],
        "last_read_at": ANY,
        "last_changed_at": None,
        "last_error": None,
        "next_read_at": ANY,
        "counts": {"new": 0, "changed": 0, "kept": 0, "gone": 0, "unchanged": 0},
        "created_at": ANY,
        "held": [
            {
                "course_id": course["id"],
                "new": [new],
                "changed": [],
                "kept": [],
                "gone": [],
                "unchanged": 0,
                "skipped": [],
            }
        ],
    }
    assert calls.dates() == []
    assert calls.get(added) == added
    [listed] = calls.owner.made("list_school_calendars")["data"]
    assert listed == {name: value for name, value in added.items() if name != "held"}
    taken = calls.answer(added, accept=True)
    assert (taken["state"], taken["held"], taken["counts"]["new"]) == ("ok", None, 1)
    assert taken["last_changed_at"] is not None
    assert calls.dates(course) == [("Essay 1", "2026-12-03")]
    [change] = calls.readings()
    assert change["by"] == {"kind": "calendar", "id": added["id"], "name": HOST}
    assert (change["object"]["type"], change["object"]["id"]) == ("course", course["id"])
    assert calls.owner.call("answer_school_calendar", calendar_id=added["id"], accept=True).error == "conflict"


def test_a_reading_accepted_in_advance_is_applied_at_once(calls: Calls, school: School) -> None:
    calls.course("Cell Biology")
    school.has(*[labelled(str(number), "20261203", f"Essay {number}", "Cell Biology") for number in range(60)])
    added = calls.add(accept=True, name="Canvas")
    assert (added["state"], added["name"], added["counts"]["new"]) == ("ok", "Canvas", 60)
    assert len(calls.dates()) == 60


def test_a_reading_accepted_in_advance_is_applied_when_it_arrives(calls: Calls, school: School) -> None:
    calls.course("Cell Biology")
    school.sends(status="503 Busy")
    added = calls.add(accept=True)
    assert added["state"] == "failing"
    school.has(labelled("a", "20261203", "Essay", "Cell Biology"))
    assert calls.refresh(added)["state"] == "ok"
    assert len(calls.dates()) == 1


def test_webcal_is_read_over_https(calls: Calls, school: School, internet: Internet) -> None:
    added = calls.add(url=f"WebCal://Canvas.School.example:443/feeds/{SECRET}?a=b%20c")
    assert (added["host"], added["address_end"], added["state"]) == (HOST, "%20c", "ok")
    assert internet.requests[0].startswith(f"GET /feeds/{SECRET}?a=b%20c HTTP/1.1\r\nHost: {HOST}\r\n")


@each("port", [":443", ":", ":0443", ""])
def test_the_port_of_https_may_be_named(calls: Calls, school: School, port: str) -> None:
    assert calls.add(url=f"https://{HOST}{port}/a.ics")["state"] == "ok"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "canvas.school.example/a.ics",
        "http://canvas.school.example/a.ics",
        "ftp://canvas.school.example/a.ics",
        "https:///a.ics",
        "https://canvas.school.example:8443/a.ics",
        "https://canvas.school.example:port/a.ics",
        "https://canvas.school.example:0/a.ics",
        "webcal://canvas.school.example:00000/a.ics",
        "https://canvas.school.example:65536/a.ics",
        "https://canvas.school.example:-1/a.ics",
        "https://canvas.school.example:80/a.ics",
        "https://canvas.school.example/a.ics#part",
        "https://canvas.school.example/a.ics#",
        "https://ada:secret@canvas.school.example/a.ics",
        "https://@canvas.school.example/a.ics",
        "https://canvas.school.example/a b.ics",
        "https://canvas.school.example/a\tb.ics",
        "https://canvas.school.example/a\x00.ics",
        "https://canvas.school.example/a\u00a0b.ics",
        "https://canvas.school.example\\@other.example/a.ics",
        "https://127.0.0.1/a.ics",
        "https://127.1/a.ics",
        "https://[::1]/a.ics",
        "https://[::1/a.ics",
        f"https://canvas.school.example/{'a' * 1971}",
        "https://" + "a" * 64 + ".example/a.ics",
        7,
        None,
    ],
)
def test_an_invalid_address_is_422(calls: Calls, internet: Internet, url: Any) -> None:
    refused = calls.owner.call("add_school_calendar", url=url)
    assert (refused.error, refused.fields) == ("validation_failed", ["url"])
    assert (internet.looked_up, SchoolCalendar.objects.count()) == ([], 0)


@pytest.mark.parametrize(
    ("answer", "type_"),
    [
        ({"status": "500 Oh"}, "status"),
        ({"status": "204 None", "Content_Length": ""}, "status"),
        ({"status": "304 Same", "Content_Length": ""}, "status"),
        ({"body": b"<html>Sign in</html>"}, "not_a_calendar"),
        ({"body": b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\n"}, "not_a_calendar"),
        ({"body": b"x" * (2 * 1024 * 1024 + 1)}, "too_large"),
        ({"body": b"\x1f\x8b", "Content_Encoding": "gzip"}, "encoded"),
        ({"body": b"x", "Content_Length": "9"}, "unreachable"),
        ({"status": "302 Found", "Location": "http://canvas.school.example/"}, "address_invalid"),
        ({"status": "302 Found", "Location": "https://inside.example/"}, "address_not_public"),
        ({"status": "302 Found", "Location": "https://[64:ff9b::7f00:1]/"}, "address_not_public"),
        ({"status": "302 Found", "Location": URL}, "redirected"),
    ],
)
def test_a_failed_first_reading_leaves_a_failing_calendar(
    calls: Calls, school: School, internet: Internet, answer: Any, type_: str
) -> None:
    internet.names["inside.example"] = ["10.0.0.7"]
    school.sends(**answer)
    added = calls.add()
    assert (added["state"], added["last_error"]["type"], added["last_read_at"]) == ("failing", type_, None)
    assert SECRET not in str(added)
    assert calls.dates() == []
    assert internet.tried[0] == "93.184.215.14"
    assert "10.0.0.7" not in internet.tried


@pytest.mark.parametrize(
    "address",
    ["10.0.0.7", "100.64.0.1", "::ffff:127.0.0.1", "2002:7f00:1::1", "64:ff9b:1::7f00:1", "fec0::1", "2001:db8::1"],
)
def test_no_connection_is_opened_to_a_private_address(calls: Calls, internet: Internet, address: str) -> None:
    internet.names[HOST] = ["93.184.215.14", address]
    assert calls.add()["last_error"]["type"] == "address_not_public"
    assert internet.tried == []


def test_an_unknown_host_fails(calls: Calls, internet: Internet) -> None:
    error = calls.add()["last_error"]
    assert error["type"] == "unreachable"
    assert error["message"] == "There is no host of this name. Check the address for a typing error."


@pytest.mark.parametrize("url", ["hello world", "http://canvas.school.example/a b", "canvas.school.example"])
def test_the_beginning_of_an_address_is_checked_first(calls: Calls, internet: Internet, url: str) -> None:
    refused = calls.owner.call("add_school_calendar", url=url)
    assert refused.body["details"] == [{"field": "url", "message": "Must begin with https:// or webcal://."}]


def test_404_and_410_stop_it_at_once_with_one_e_mail(
    calls: Calls, school: School, mailoutbox: Any, django_capture_on_commit_callbacks: Any
) -> None:
    from accounts import mail

    for status in ("404 Gone", "410 Gone"):
        with django_capture_on_commit_callbacks(execute=True):
            school.sends(status=status)
            added = calls.add(url=f"{URL}?{status[:3]}")
            assert (added["state"], added["next_read_at"]) == ("stopped", None)
            assert calls.refresh(added)["state"] == "stopped"
    mail.drain()
    assert [one.to for one in mailoutbox] == [["owner@example.org"]] * 2
    assert HOST in mailoutbox[0].body
    assert SECRET not in mailoutbox[0].body
    assert DueCalendar.objects.count() == 0
    calls.update(added, paused=False)
    assert DueCalendar.objects.count() == 1


def test_a_member_has_at_most_five(calls: Calls, school: School, stranger: RestEntryPoint) -> None:
    for number in range(5):
        last = calls.add(url=f"{URL}?{number}")
    assert calls.owner.call("add_school_calendar", url=URL).error == "conflict"
    calls.owner.made("delete_school_calendar", calendar_id=last["id"])
    calls.add()
    stranger.made("add_school_calendar", url=URL)


@pytest.mark.parametrize(
    "again", [URL, URL.replace("https", "webcal"), URL.replace(HOST, HOST.upper()), URL.replace(HOST, f"{HOST}:443")]
)
def test_an_address_can_be_added_only_once(calls: Calls, school: School, stranger: RestEntryPoint, again: str) -> None:
    calls.add()
    refused = calls.owner.call("add_school_calendar", url=again)
    assert (refused.error, refused.fields) == ("validation_failed", ["url"])
    assert "You already have this calendar." in str(refused.body)
    assert (school.gets, SchoolCalendar.objects.count()) == (1, 1)
    stranger.made("add_school_calendar", url=again)


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_an_address_added_twice_at_once_is_added_once(calls: Calls, school: School, in_threads: Any) -> None:
    calls.owner.made("list_school_calendars")  # the threads share what the first call loads
    answers = in_threads(lambda url: calls.owner.call("add_school_calendar", url=url), [URL, URL])
    assert sorted(str(one.error) for one in answers) == ["None", "validation_failed"]
    assert SchoolCalendar.objects.count() == 1


def test_twenty_can_be_added_an_hour_including_deleted_ones(calls: Calls, school: School) -> None:
    for _ in range(20):
        added = calls.add()
        calls.owner.made("delete_school_calendar", calendar_id=added["id"])
    refused = calls.owner.call("add_school_calendar", url=URL)
    assert refused.error == "rate_limited"
    assert school.gets == 20


def test_a_course_must_belong_to_the_member(calls: Calls, school: School, stranger: RestEntryPoint) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    refused = calls.owner.call("add_school_calendar", url=URL, course_id=theirs["id"])
    assert refused.fields == ["course_id"]
    assert school.gets == 0


@pytest.mark.database("both")
def test_the_address_is_encrypted_and_absent_from_logs_changes_and_archives(
    calls: Calls, school: School, caplog: pytest.LogCaptureFixture
) -> None:
    from studyservice.models import Change
    from tests.support.archives import parts_of

    caplog.set_level(logging.DEBUG)
    calls.course("Cell Biology")
    school.has(labelled("a", "20261203", "Essay", "Cell Biology"))
    added = calls.add(accept=True)
    calls.update(added, paused=True)
    row = SchoolCalendar.objects.get()
    assert SECRET not in row.sealed_address
    content = str(parts_of(calls.owner.made("export_data")))
    calls.owner.made("delete_school_calendar", calendar_id=added["id"])
    for told in (caplog.text, str(calls.owner.made("list_changes", limit=100)), content):
        assert SECRET not in told
        assert row.sealed_address not in told
    for change in Change.objects.all():
        stored = b"".join((bytes(change.contents), bytes(change.taken or b"")))
        assert row.sealed_address.encode() not in stored


def test_a_disabled_feature_only_lists_and_deletes(calls: Calls, school: School, settings: Any) -> None:
    added = calls.add()
    settings.SCHOOL_CALENDARS = False
    for name, fields in (
        ("add_school_calendar", {"url": URL}),
        ("refresh_school_calendar", {"calendar_id": added["id"]}),
        ("answer_school_calendar", {"calendar_id": added["id"], "accept": True}),
    ):
        refused = calls.owner.call(name, **fields)
        assert (refused.error, "turned off" in refused.body["message"]) == ("conflict", True), name
    assert school.gets == 1
    assert len(calls.owner.made("list_school_calendars")["data"]) == 1
    calls.owner.made("delete_school_calendar", calendar_id=added["id"])


def test_a_retry_with_its_key_adds_it_once(calls: Calls, school: School) -> None:
    path, sent = "/v1/school-calendars", {"url": URL}
    first, again = (
        calls.owner.client.post(path, sent, content_type="application/json", headers={"Idempotency-Key": "k"})
        for _ in range(2)
    )
    assert (first.status_code, first.json()) == (201, again.json())
    assert (school.gets, SchoolCalendar.objects.count()) == (1, 1)
