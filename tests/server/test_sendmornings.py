"""`sendmornings`: when, to whom, and at most once for a date, with a mail server that does not always answer."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import mail as mail_module
from accounts.members.mornings import dropped_mornings
from accounts.models import Member
from planning import morning_run
from tests.support.cases import each
from tests.support.commands import run_json
from tests.support.factories import CardFactory, CourseFactory, ItemFactory
from tests.support.mail_server import MailServer, mail_server, refusing

pytestmark = pytest.mark.django_db

DAY = date(2026, 11, 28)
SEVEN = datetime(2026, 11, 28, 7, tzinfo=UTC)
QUARTER = timedelta(minutes=15)


@pytest.fixture(autouse=True)
def clock(time_machine: Any) -> Any:
    time_machine.move_to(SEVEN, tick=False)
    return time_machine


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with mail_server(settings) as stub:
        yield stub


def wants_it(make_member: Any, name: str, **fields: Any) -> Member:
    """A member with a new flashcard, so that there is something to tell every day."""
    member: Member = make_member(f"{name}@example.org", **{"morning_email": True, "time_zone": "UTC"} | fields)
    CardFactory.create(member=member)
    return member


@pytest.fixture
def ann(make_member: Any) -> Member:
    return wants_it(make_member, "ann")


def _ended(send: Any) -> Any:
    """Ends the process after sending."""

    def ended(*args: Any) -> None:
        send(*args)
        raise KeyboardInterrupt

    return ended


def counts(**numbers: int) -> dict[str, int]:
    return dict.fromkeys(("sent", "nothing_to_tell", "put_off", "failed", "broken", "dropped"), 0) | numbers


def sent() -> list[str]:
    """Runs the command. Returns the recipients of its e-mails."""
    before = len(mail.outbox)
    run_json("sendmornings")
    return [message.to[0] for message in mail.outbox[before:]]


def moments(clock: Any, zone: str, start: str, days: int) -> list[str]:
    """Runs the command every quarter of an hour, where the morning begins or ends. Returns the e-mails' local times."""
    found = []
    begin = datetime.fromisoformat(start).replace(tzinfo=UTC)
    for at in (begin + number * QUARTER for number in range(days * 96)):
        local = at.astimezone(ZoneInfo(zone))
        if local.hour in {6, 7, 8, 11, 12}:
            clock.move_to(at, tick=False)
            found += [f"{local:%d %H:%M}" for _ in sent()]
    return found


ZONES = {
    *("Pacific/Kiritimati", "Pacific/Niue", "Pacific/Chatham", "Asia/Kathmandu", "Australia/Eucla"),
    *("America/St_Johns", "Europe/London", "Asia/Kolkata", "Pacific/Auckland", "America/Los_Angeles"),
}


@pytest.mark.same_statements
def test_it_is_sent_at_seven_on_each_members_clock(make_member: Any, clock: Any) -> None:
    """From UTC-11 to UTC+14, with offsets of quarters of an hour."""
    start = datetime(2026, 11, 27, tzinfo=UTC)
    clock.move_to(start, tick=False)
    for zone in ZONES:
        yesterday = (start.astimezone(ZoneInfo(zone)) - timedelta(hours=7)).date()
        wants_it(make_member, zone.replace("/", "."), time_zone=zone, morning_sent_on=yesterday)
    found = {}
    for at in (start + number * QUARTER for number in range(96)):
        clock.move_to(at, tick=False)
        for address in sent():
            zone = address.removesuffix("@example.org").replace(".", "/")
            assert zone not in found
            found[zone] = f"{at.astimezone(ZoneInfo(zone)):%H:%M}"
    assert found == dict.fromkeys(ZONES, "07:00")


@pytest.mark.parametrize(
    ("zone", "start", "expected"),
    [
        ("Europe/Lisbon", "2026-03-28T12:00", ["29 07:00", "30 07:00"]),
        ("Europe/Lisbon", "2026-10-24T12:00", ["25 07:00", "26 07:00"]),
        ("America/New_York", "2026-03-07T18:00", ["08 07:00", "09 07:00"]),
        ("America/New_York", "2026-10-31T18:00", ["01 07:00", "02 07:00"]),
        ("Australia/Lord_Howe", "2026-04-04T03:00", ["05 07:00", "06 07:00"]),
        ("Australia/Lord_Howe", "2026-10-03T03:00", ["04 07:00", "05 07:00"]),
        ("Pacific/Apia", "2011-12-28T23:00", ["29 07:00", "31 07:00"]),
    ],
)
@pytest.mark.same_statements
def test_it_is_sent_once_on_days_whose_clocks_change(
    make_member: Any, clock: Any, zone: str, start: str, expected: list[str]
) -> None:
    """Apia had no 30 December 2011."""
    clock.move_to(f"{start}Z", tick=False)
    wants_it(make_member, "ann", time_zone=zone)
    assert moments(clock, zone, start, 2) == expected


@each(("hour", "number"), [("06:59:59", 0), ("07:00:00", 1), ("11:59:59", 1), ("12:00:00", 0), ("23:00:00", 0)])
def test_it_is_sent_only_in_the_morning(ann: Member, clock: Any, hour: str, number: int) -> None:
    clock.move_to(f"{DAY}T{hour}Z", tick=False)
    assert len(sent()) == number
    assert sent() == []


def test_a_new_time_zone_brings_no_second_one_for_a_date(make_member: Any, clock: Any) -> None:
    ann = wants_it(make_member, "ann", time_zone="Pacific/Kiritimati")
    assert moments(clock, "Pacific/Kiritimati", "2026-11-28T12:00", 1)[:1] == ["29 07:00"]
    Member.objects.filter(id=ann.id).update(time_zone="Pacific/Niue")
    assert moments(clock, "Pacific/Niue", "2026-11-28T17:30", 3) == ["30 07:00"], "28 is before, 29 was sent"
    Member.objects.filter(id=ann.id).update(time_zone="Pacific/Kiritimati")
    assert moments(clock, "Pacific/Kiritimati", "2026-12-01T17:30", 1) == ["02 07:30", "03 07:00"]


@pytest.mark.parametrize(
    "fields",
    [
        {"morning_email": False},
        {"membership_active": False},
        {"membership_until": DAY - timedelta(days=1)},
        {"is_active": False},
        {"is_active": False, "erasure_began_at": SEVEN},
    ],
)
def test_others_get_none(make_member: Any, ann: Member, fields: dict[str, Any]) -> None:
    wants_it(make_member, "bob", **fields)
    assert sent() == ["ann@example.org"]


def test_nothing_to_tell_is_looked_for_once_a_day(make_member: Any, clock: Any) -> None:
    make_member("bob@example.org", morning_email=True, time_zone="UTC")
    assert run_json("sendmornings") == counts(nothing_to_tell=1)
    assert run_json("sendmornings") == counts()
    clock.shift(timedelta(days=1))
    assert run_json("sendmornings") == counts(nothing_to_tell=1)


@pytest.mark.parametrize(
    ("verb", "reply"),
    [("MAIL", "421 too many connections"), ("RCPT", "450 4.2.0 greylisted"), ("DATA", "451 later"), (".", "452 full"),
     ("MAIL", "530 5.7.0 authentication required"), ("", "421 busy"), ("", None)],
)  # fmt: skip
def test_what_the_server_put_off_is_sent_by_a_later_run(
    ann: Member, clock: Any, server: MailServer, verb: str, reply: str | None
) -> None:
    server.reply = refusing(verb, reply) if verb else lambda command: reply if command == "" else ""
    assert run_json("sendmornings") == counts(put_off=1)
    clock.shift(QUARTER)
    server.reply = lambda _: ""
    assert run_json("sendmornings") == counts(sent=1)
    clock.shift(QUARTER)
    assert run_json("sendmornings") == counts()
    assert server.recipients() == ["ann@example.org"]


def test_what_was_put_off_until_noon_is_dropped_and_counted(ann: Member, clock: Any, server: MailServer) -> None:
    server.reply = refusing("RCPT", "450 4.2.0 greylisted")
    for _ in range(20):
        assert run_json("sendmornings") == counts(put_off=1)
        clock.shift(QUARTER)
    server.reply = lambda _: ""
    assert run_json("sendmornings") == counts(dropped=1)
    assert server.taken == []
    clock.move_to(SEVEN + timedelta(days=1), tick=False)
    assert run_json("sendmornings") == counts(sent=1)
    clock.shift(timedelta(hours=6))
    assert dropped_mornings() == 0


def test_a_drop_is_counted_for_a_day(ann: Member, clock: Any, server: MailServer) -> None:
    server.reply = refusing("RCPT", "450 4.2.0 greylisted")
    run_json("sendmornings")
    numbers = []
    for hours in (4, 2, 24, 24):
        clock.shift(timedelta(hours=hours))
        numbers.append(dropped_mornings())
    assert numbers == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("verb", "reply"),
    [(".", None), (".", "250-half"), ("RCPT", "550 5.1.1 user unknown"), (".", "554 5.6.0 refused"), (".", "abc")],
)
def test_what_may_have_been_taken_or_was_refused_is_not_sent_again(
    ann: Member, clock: Any, server: MailServer, verb: str, reply: str | None
) -> None:
    server.reply = refusing(verb, reply)
    assert run_json("sendmornings") == counts(failed=1)
    clock.shift(QUARTER)
    server.reply = lambda _: ""
    assert run_json("sendmornings") == counts()
    assert server.taken == []


def test_one_refused_address_does_not_stop_the_others(make_member: Any, ann: Member, server: MailServer) -> None:
    for name in ("bob", "cleo", "dan"):
        wants_it(make_member, name)
    server.reply = refusing("RCPT TO:<BOB", "450 later")
    assert run_json("sendmornings") == counts(sent=3, put_off=1)


def test_the_next_e_mail_takes_a_new_connection_after_a_server_ended_one(
    make_member: Any, ann: Member, server: MailServer
) -> None:
    for name in ("bob", "cleo"):
        wants_it(make_member, name)
    replies = iter(["", "421 too many e-mails"])
    server.reply = lambda command: next(replies, "") if command.startswith("mail") else ""
    assert run_json("sendmornings") == counts(sent=2, put_off=1)
    assert server.connections == 2


def test_an_unreachable_server_is_asked_once_a_run(
    make_member: Any, ann: Member, clock: Any, server: MailServer
) -> None:
    for name in ("bob", "cleo", "dan"):
        wants_it(make_member, name)
    server.reply = lambda command: "421 down" if command == "" else ""
    for _ in range(2):
        assert run_json("sendmornings") == counts(put_off=4)
    assert server.connections == 2
    server.reply = lambda _: ""
    assert run_json("sendmornings") == counts(sent=4)


def test_the_connection_is_renewed_before_the_server_ends_it(
    make_member: Any, ann: Member, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(morning_run, "EACH_CONNECTION", 2)
    for name in ("bob", "cleo", "dan", "eve"):
        wants_it(make_member, name)
    assert run_json("sendmornings") == counts(sent=5)
    assert server.connections == 3


def test_the_e_mail_arrives_whole(ann: Member, server: MailServer) -> None:
    run_json("sendmornings")
    [message] = server.taken
    assert message["Subject"] == "Saturday: 1 flashcard"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    text = message.get_content()
    assert message["List-Unsubscribe"].strip(" <>") in text
    assert "1 flashcard to study today" in text


@each("fields", [{"email": "b\nob@example.org"}, {"time_zone": "Mars/Olympus"}])
def test_bad_data_of_one_member_does_not_stop_the_others(
    make_member: Any, ann: Member, server: MailServer, fields: dict[str, str]
) -> None:
    """An address from before they were checked; a time zone that is gone."""
    bob = wants_it(make_member, "bob")
    wants_it(make_member, "cleo")
    Member.objects.filter(id=bob.id).update(**fields)
    server.taken.clear()
    run_json("sendmornings")
    assert sorted(server.recipients()) == ["ann@example.org", "cleo@example.org"]


@pytest.mark.django_db(transaction=True)
def test_an_internal_error_is_reported_for_each_and_not_repeated(
    make_member: Any, ann: Member, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    wants_it(make_member, "bob")
    settings.CREDENTIAL_PREFIX = "no/link"
    out = StringIO()
    with pytest.raises(CommandError, match="2 failed because of an internal error"):
        call_command("sendmornings", "--json", stdout=out)
    assert json.loads(out.getvalue()) == counts(broken=2)
    assert f"The morning e-mail of member {ann.id} failed" in caplog.messages
    assert run_json("sendmornings") == counts()


@pytest.mark.django_db(transaction=True)
def test_two_runs_at_once_send_one_to_each(make_member: Any, server: MailServer, in_threads: Any) -> None:
    names = [f"m{number}" for number in range(12)]
    for name in names:
        wants_it(make_member, name)
    runs = in_threads(lambda _: run_json("sendmornings"), [0, 1, 2])
    assert sorted(server.recipients()) == sorted(f"{name}@example.org" for name in names)
    assert sum(one["sent"] for one in runs) == 12


@pytest.mark.django_db(transaction=True)
def test_a_run_that_ends_while_sending_sends_none_twice(
    make_member: Any, clock: Any, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is killed after the mail server has taken the e-mail."""
    for name in ("ann", "bob"):
        wants_it(make_member, name)
    with monkeypatch.context() as patch:
        patch.setattr(mail_module, "try_to_send", _ended(mail_module.try_to_send))
        with pytest.raises(KeyboardInterrupt):
            run_json("sendmornings")
    assert len(server.taken) == 1
    assert run_json("sendmornings") == counts(sent=1)
    assert sorted(server.recipients()) == ["ann@example.org", "bob@example.org"]


@pytest.mark.same_statements
def test_each_member_costs_the_same_few_statements(make_member: Any, ann: Member, clock: Any) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as found:
            run_json("sendmornings")
        return len(found)

    statements()  # creates the row of the last run
    clock.shift(timedelta(days=1))
    one = statements()
    for name in ("bob", "cleo"):
        member = wants_it(make_member, name)
        for _ in range(5):
            course = CourseFactory.create(member=member)
            ItemFactory.create_batch(3, member=member, course=course, due_on=DAY + timedelta(days=1))
    clock.shift(timedelta(days=1))
    assert statements() - one == 2 * 4


def test_a_run_stops_when_its_time_is_up(make_member: Any, ann: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    wants_it(make_member, "bob")
    assert morning_run.Run(seconds=-1).send_all().total() == 0
    assert len(sent()) == 2, "the rest is left to the next run"
