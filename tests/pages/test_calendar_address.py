"""The calendar feed's address on the key page."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.credentials.keys import new_feed
from accounts.models import CalendarFeed, Member
from tests.support.calendars import path_of
from tests.support.cases import each


@pytest.fixture
def member(owner_member: Member, client: Client) -> Member:
    client.force_login(owner_member)
    return owner_member


def shown(answer: Any) -> list[str]:
    """The addresses on the page."""
    return re.findall(r"https?://[^\s<>\"]+/calendar/svc_cal_[\w-]{43}\.ics", answer.content.decode())


def test_an_address_is_shown_once_and_works(client: Client, member: Member) -> None:
    made = client.post("/keys/calendar")
    [url] = shown(made)
    assert made.status_code == 200
    assert "no-store" in made.headers["Cache-Control"]
    assert Client().get(path_of(url)).status_code == 200
    again = client.get("/keys")
    assert shown(again) == []
    assert "Last used" in again.content.decode()


def test_renewing_asks_first_and_ends_the_old_address(client: Client, member: Member) -> None:
    [old] = shown(client.post("/keys/calendar"))
    asked = client.get("/keys/calendar")
    assert (asked.status_code, b"Renew the calendar address?" in asked.content) == (200, True)
    [new] = shown(client.post("/keys/calendar"))
    assert CalendarFeed.objects.count() == 1
    assert [Client().get(path_of(url)).status_code for url in (old, new)] == [404, 200]


def test_ending_asks_first_and_ends_it(client: Client, member: Member) -> None:
    [url] = shown(client.post("/keys/calendar"))
    assert b"End the calendar address?" in client.get("/keys/calendar/end").content
    assert CalendarFeed.objects.exists()
    ended = client.post("/keys/calendar/end", follow=True)
    assert b"address no longer works" in ended.content
    assert Client().get(path_of(url)).status_code == 404


def test_without_a_feed_there_is_nothing_to_renew_or_end(client: Client, member: Member) -> None:
    for path in ("/keys/calendar", "/keys/calendar/end"):
        assert client.get(path).headers["Location"] == "/keys"
    ended = client.post("/keys/calendar/end", follow=True)
    assert b"has ended" not in ended.content


@each("path", ["/keys/calendar", "/keys/calendar/end"])
def test_it_requires_signing_in(client: Client, db: None, path: str) -> None:
    answer = client.post(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/sign-in?next={path}")


def test_another_members_feed_is_unaffected(client: Client, member: Member, make_member: Any) -> None:
    other = new_feed(make_member())
    client.post("/keys/calendar/end")
    client.post("/keys/calendar")
    assert Client().get(path_of(other)).status_code == 200


@pytest.mark.same_statements
def test_the_21st_new_address_in_an_hour_is_rejected(client: Client, member: Member) -> None:
    assert [client.post("/keys/calendar").status_code for _ in range(21)] == [200] * 20 + [429]


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrently_created_feeds_works(owner_member: Member, in_threads: Any) -> None:
    urls = in_threads(lambda _: new_feed(owner_member), [0, 1])
    assert sorted(Client().get(path_of(url)).status_code for url in urls) == [200, 404]
