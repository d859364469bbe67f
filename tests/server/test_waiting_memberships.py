"""What `setmembership --file` says of an address that has not joined waits until it joins."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError
from django.test import Client

from accounts import mail
from accounts.joining import add_member, invite
from accounts.members.waiting import WaitingMembership
from accounts.models import Member
from tests.support.commands import run, run_json
from tests.support.signing_in import newest_code

pytestmark = pytest.mark.django_db

NEW = "new@example.org"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)

Say = Callable[..., Any]


@pytest.fixture(autouse=True)
def noon(time_machine: Any, settings: Any) -> Any:
    settings.SIGN_UP, settings.SIGN_UP_MEMBERSHIP_DAYS = "open", 30
    time_machine.move_to(NOW, tick=False)
    return time_machine


@pytest.fixture
def say(tmp_path: Path) -> Say:
    """Runs `setmembership --file` with these lines."""

    def set_memberships(*lines: str) -> Any:
        path = tmp_path / "memberships.csv"
        path.write_text("\n".join(["email,state,until", *lines]))
        return run_json("setmembership", "--file", str(path))

    return set_memberships


def membership(email: str = NEW) -> tuple[bool, date | None]:
    member = Member.objects.get(email=email)
    return member.membership_active, member.membership_until


def test_it_waits_and_the_others_are_set(say: Say, make_member: Any) -> None:
    make_member("ada@example.org")
    answer = say("ada@example.org,active,2027-06-30", "New@Example.org,active,2027-06-30")
    assert answer == {"members": 1, "waiting": 1}
    assert membership("ada@example.org") == (True, date(2027, 6, 30))
    assert WaitingMembership.objects.get().email == NEW


def test_a_wrong_line_keeps_the_others_from_waiting(say: Say) -> None:
    with pytest.raises(CommandError, match="line 3: state is active or inactive"):
        say(f"{NEW},active,", "other@example.org,on,")
    assert not WaitingMembership.objects.exists()


def test_it_is_used_by_signing_up(say: Say, client: Client) -> None:
    say(f"{NEW},active,2027-06-30")
    client.post("/sign-in", {"email": NEW})
    mail.drain()
    client.post("/sign-in/code", {"code": newest_code()})
    assert membership() == (True, date(2027, 6, 30))
    assert not WaitingMembership.objects.exists()


def test_it_is_used_by_an_invitation_and_outweighs_its_last_day(say: Say, client: Client) -> None:
    say(f"{NEW},inactive,")
    secret = invite(NEW, until=date(2027, 6, 30)).url.partition("=")[2]
    client.get("/join", {"invitation": secret})
    client.post("/join")
    assert membership() == (False, None)


def test_it_is_used_when_an_operator_creates_the_member(say: Say, admin: Client) -> None:
    say(f"{NEW},active,2027-06-30", "b@example.org,active,2027-06-30", "c@example.org,active,2027-06-30")
    run("createmember", "NEW@example.org")
    run("createmember", "b@example.org", "--inactive")
    fields = {"email": "c@example.org", "time_zone": "UTC", "usable_password": "false"}
    assert admin.post("/admin/accounts/member/add/", fields).status_code == 302
    assert membership() == membership("c@example.org") == (True, date(2027, 6, 30))
    assert membership("b@example.org") == (False, None)
    assert not WaitingMembership.objects.exists()


def test_the_newest_file_counts(say: Say) -> None:
    say(f"{NEW},active,2027-06-30")
    say(f"{NEW},active,")
    add_member(NEW)
    assert membership() == (True, None)


def test_it_is_used_once(say: Say) -> None:
    say(f"{NEW},inactive,")
    add_member(NEW)
    Member.objects.get(email=NEW).delete()
    add_member(NEW)
    assert membership() == (True, date(2026, 12, 22))


def test_it_ends_after_400_days(say: Say, noon: Any) -> None:
    say(f"{NEW},inactive,", "other@example.org,inactive,")
    noon.move_to(NOW + timedelta(days=400) - timedelta(seconds=1))
    assert run_json("purgeexpired")["waiting_memberships"] == 0
    add_member(NEW)
    noon.move_to(NOW + timedelta(days=400))
    add_member("other@example.org")
    assert (membership()[0], membership("other@example.org")[0]) == (False, True)


def test_it_is_purged_after_400_days_without_a_file(say: Say, noon: Any) -> None:
    say(f"{NEW},active,", "other@example.org,active,")
    noon.move_to(NOW + timedelta(days=300))
    say(f"{NEW},active,")
    noon.move_to(NOW + timedelta(days=400))
    assert run_json("purgeexpired")["waiting_memberships"] == 1
    assert WaitingMembership.objects.get().email == NEW


def test_it_is_deleted_with_the_member_of_its_address(say: Say, make_member: Any) -> None:
    """Left by a version of before."""
    say(f"{NEW},active,")
    make_member(NEW).delete()
    assert not WaitingMembership.objects.exists()


def test_an_operator_deletes_it_and_the_log_forgets_the_address(say: Say, admin: Client) -> None:
    say(f"{NEW},active,")
    assert NEW in admin.get("/admin/accounts/waitingmembership/?q=new@").content.decode()
    admin.post(f"/admin/accounts/waitingmembership/{NEW.replace('@', '_40')}/delete/", {"post": "yes"})
    assert not WaitingMembership.objects.exists()
    run("purgeexpired")
    assert not LogEntry.objects.filter(object_repr__contains=NEW).exists()


@pytest.mark.django_db(transaction=True)
def test_who_joins_during_a_run_gets_the_membership_of_the_file(say: Say, in_threads: Callable[..., list[Any]]) -> None:
    """Whichever commits first."""
    emails = [f"new{number}@example.org" for number in range(6)]

    def act(email: str) -> None:
        if email:
            add_member(email)
        else:
            say(*(f"{one},active,2027-06-30" for one in emails))

    in_threads(act, ["", *emails])
    assert {membership(email) for email in emails} == {(True, date(2027, 6, 30))}
    assert not WaitingMembership.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_concurrent_files_wait_for_each_other(say: Say, tmp_path: Path, in_threads: Callable[..., list[Any]]) -> None:
    emails = [f"new{number}@example.org" for number in range(50)]
    paths = [tmp_path / "forth.csv", tmp_path / "back.csv"]
    for path, order in zip(paths, (emails, emails[::-1]), strict=True):
        path.write_text("email,state,until\n" + "".join(f"{email},active,\n" for email in order))
    told = in_threads(lambda path: run_json("setmembership", "--file", str(path)), paths)
    assert told == [{"members": 0, "waiting": 50}] * 2
    assert WaitingMembership.objects.count() == 50
