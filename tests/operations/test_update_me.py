"""update_me: PATCH /v1/me, which has no tool."""

from typing import Any
from unittest.mock import ANY

import pytest

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.tools import mcp_of
from tests.support.vocabulary import made_deck, reviewed

pytestmark = [pytest.mark.rest, pytest.mark.same_statements]

HALF_PAST_ELEVEN = "2026-11-21T22:30:00Z"
"""23:30 in Paris; in Tokyo the 22nd, in New York the afternoon of the 21st."""


def test_it_changes_the_profile(owner: RestEntryPoint) -> None:
    sent = {"time_zone": "Asia/Tokyo", "desired_retention": 0.92, "new_cards_a_day": 7, "morning_email": True}
    changed = owner.made("update_me", name=" Ada Park ", **sent)
    assert changed == {
        "id": ANY,
        "email": "owner@example.org",
        "name": "Ada Park",
        "time_zone": "Asia/Tokyo",
        "desired_retention": 0.92,
        "new_cards_a_day": 7,
        "morning_email": True,
        "today": ANY,
        "weekday": ANY,
        "practice_streak": 0,
        "membership": {"active": True, "until": None, "renew_url": None},
        "scopes": ["read", "write"],
        "limits": None,
        "created_at": ANY,
    }
    assert owner.made("get_me") == changed


def test_only_sent_fields_change(owner: RestEntryPoint) -> None:
    before = owner.made("get_me")
    assert owner.made("update_me", name="") == before | {"name": ""}
    assert owner.made("update_me", id="x", email="other@example.org", membership={"active": False}) == before | {
        "name": ""
    }


@each(
    "wrong",
    [
        {"name": None},
        {"name": "x" * 121},
        {"name": 7},
        {"time_zone": None},
        {"time_zone": ""},
        {"time_zone": "europe/paris"},
        {"time_zone": "CEST"},
        {"time_zone": "Europe/Atlantis"},
        {"time_zone": "localtime"},
        {"time_zone": "../UTC"},
        {"time_zone": "x" * 65},
        {"desired_retention": None},
        {"desired_retention": 0.6999},
        {"desired_retention": 0.9901},
        {"desired_retention": "0.9"},
        {"desired_retention": True},
        {"new_cards_a_day": -1},
        {"new_cards_a_day": 501},
        {"new_cards_a_day": 2.5},
        {"new_cards_a_day": "20"},
        {"morning_email": None},
        {"morning_email": "true"},
        {"morning_email": 1},
    ],
)
def test_invalid_fields_are_named_and_nothing_changes(owner: RestEntryPoint, wrong: dict[str, Any]) -> None:
    before = owner.made("get_me")
    answer = owner.call("update_me", **({"name": "New", "time_zone": "UTC"} | wrong))
    assert (answer.error, answer.fields) == ("validation_failed", list(wrong))
    assert owner.made("get_me") == before


@each(("sent", "kept"), [(0.7, 0.7), (0.99, 0.99), (0.92345, 0.9235)])
def test_retention_is_rounded_to_four_decimals(owner: RestEntryPoint, sent: float, kept: float) -> None:
    assert owner.made("update_me", desired_retention=sent)["desired_retention"] == kept


def test_a_name_may_have_120_characters(owner: RestEntryPoint) -> None:
    assert owner.made("update_me", name="ñ" * 120)["name"] == "ñ" * 120


def test_it_has_no_tool(owner: RestEntryPoint) -> None:
    response = mcp_of(owner).rpc("tools/call", {"name": "update_me", "arguments": {"name": "New"}})
    assert response.json()["error"]["message"].startswith("Unknown tool")


@pytest.mark.database("both")
def test_it_changes_no_other_member(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    before = stranger.made("get_me")
    owner.made("update_me", name="New", time_zone="Asia/Tokyo")
    assert stranger.made("get_me") == before


def test_a_new_time_zone_takes_effect_immediately_in_rest_and_tools(owner: RestEntryPoint, time_machine: Any) -> None:
    """At 23:30: today, the agenda, overdue work, and the number of days left."""
    time_machine.move_to(HALF_PAST_ELEVEN)
    course = owner.made("create_course", name="Biology")
    item = owner.made("create_item", course_id=course["id"], title="Midterm", due_on="2026-11-22")
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-21")
    for zone, today, days_until, overdue in (
        ("Asia/Tokyo", "2026-11-22", 0, True),
        ("America/New_York", "2026-11-21", 1, False),
    ):
        assert owner.made("update_me", time_zone=zone)["today"] == today
        for entry_point in (owner, mcp_of(owner)):
            agenda = entry_point.made("get_agenda", days=1)
            assert (agenda["today"], agenda["items"][0]["days_until"]) == (today, days_until)
            assert [step["overdue"] for step in agenda["milestones"]] == [overdue]
            assert entry_point.made("get_me")["today"] == today
            assert entry_point.made("get_item", item_id=item["id"])["days_until"] == days_until


def test_days_of_practice_keep_their_dates_if_the_member_moves(owner: RestEntryPoint, time_machine: Any) -> None:
    """The new today immediately determines whether the streak continues."""
    time_machine.move_to("2026-11-20T22:30:00Z")
    card = made_deck(owner, "a")["cards"][0]
    reviewed(owner, card, "good")
    time_machine.move_to(HALF_PAST_ELEVEN)
    reviewed(owner, card, "good")
    for zone, streak, practised_today in (
        ("Asia/Tokyo", 2, False),
        ("Pacific/Kiritimati", 2, False),
        ("America/New_York", 2, True),
        ("Europe/Paris", 2, True),
    ):
        assert owner.made("update_me", time_zone=zone)["practice_streak"] == streak
        for entry_point in (owner, mcp_of(owner)):
            stats = entry_point.made("get_practice_stats", days=5)
            assert (stats["streak"]["current"], stats["streak"]["practiced_today"]) == (streak, practised_today)
            days = [row["date"] for row in stats["by_day"] if row["attempts"]]
            assert days == ["2026-11-20", "2026-11-21"]
    time_machine.move_to("2026-11-22T12:00:00Z")
    assert owner.made("update_me", time_zone="Pacific/Kiritimati")["practice_streak"] == 0
    assert owner.made("update_me", time_zone="UTC")["practice_streak"] == 2


@pytest.mark.database("both")
def test_retention_applies_from_the_next_review_on(owner: RestEntryPoint) -> None:
    first, second = made_deck(owner, "a", "b")["cards"]
    usual = reviewed(owner, first, "easy")
    owner.made("update_me", desired_retention=0.97)
    decks = owner.made("list_vocab_decks", deck_id=first["deck_id"], include_cards=True)
    cards = {card["id"]: card for card in decks["data"][0]["cards"]}
    assert cards[first["id"]]["due_at"] == usual["due_at"]
    sooner = reviewed(owner, second, "easy")
    assert sooner["due_at"] < usual["due_at"]


@pytest.mark.database("both")
@pytest.mark.django_db
def test_a_member_being_deleted_is_not_found(owner_member: Member) -> None:
    """The credential was looked up before the deletion began."""
    from accounts.members.profile import update_me
    from studyservice.operations.errors import NotFound

    Member.objects.filter(id=owner_member.id).update(is_active=False, erasure_began_at="2026-11-22T00:00:00Z")
    with pytest.raises(NotFound):
        update_me(owner_member, name="New")
