"""get_me: GET /v1/me."""

from unittest.mock import ANY

from tests.support.entry_points import RestEntryPoint


def test_it_returns_the_member(owner: RestEntryPoint, time_machine) -> None:
    time_machine.move_to("2026-11-21T23:30:00Z")
    assert owner.made("get_me") == {
        "id": ANY,
        "email": "owner@example.org",
        "name": "Owner",
        "time_zone": "Europe/Paris",
        "desired_retention": 0.9,
        "new_cards_a_day": 20,
        "morning_email": False,
        "today": "2026-11-22",
        "weekday": "Sunday",
        "practice_streak": 0,
        "membership": {"active": True, "until": None, "renew_url": None},
        "scopes": ["read", "write"],
        "limits": None,
        "created_at": ANY,
    }


def test_it_returns_the_joining_time(make_member, entry_point, time_machine) -> None:
    time_machine.move_to("2026-09-01T08:30:00Z", tick=False)
    member = make_member()
    me = entry_point(member).made("get_me")
    assert me["id"] == str(member.id)
    assert me["created_at"] == "2026-09-01T08:30:00.000000Z"


def test_it_returns_an_empty_name(make_member, entry_point) -> None:
    """Fine print, Keys: the name of a member may be empty, never null."""
    assert entry_point(make_member()).made("get_me")["name"] == ""


def test_it_returns_the_scopes_of_the_credential(reader: RestEntryPoint) -> None:
    assert reader.made("get_me")["scopes"] == ["read"]


def test_it_returns_the_last_day_of_the_membership(make_member, entry_point, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    me = entry_point(make_member(membership_until="2026-11-21")).made("get_me")
    assert me["membership"] == {"active": True, "until": "2026-11-21", "renew_url": None}


def test_a_deactivated_membership_is_inactive_before_its_last_day(make_member, entry_point, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    me = entry_point(make_member(membership_active=False, membership_until="2026-12-31")).made("get_me")
    assert me["membership"] == {"active": False, "until": "2026-12-31", "renew_url": None}


def test_each_credential_returns_its_own_member(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    """Rule 1: every credential belongs to one member."""
    assert owner.made("get_me")["email"] == "owner@example.org"
    assert stranger.made("get_me")["email"] == "stranger@example.org"


def test_it_shows_a_changed_profile_at_once(owner: RestEntryPoint, owner_member) -> None:
    owner.made("get_me")
    owner_member.name, owner_member.time_zone = "Ada", "Asia/Tokyo"
    owner_member.save()
    me = owner.made("get_me")
    assert (me["name"], me["time_zone"]) == ("Ada", "Asia/Tokyo")
