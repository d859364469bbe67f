"""The member's clock stamps only what pollers see, and operators can repair it."""

import json
import logging
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from accounts.models import ApiKey, Member
from studyservice.database.functions import AMicrosecondLater
from tests.support.browsers import act
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

NOW = datetime(2099, 11, 21, 12, tzinfo=UTC)
AHEAD = timedelta(days=400)


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


@pytest.fixture
def clock(time_machine: Any) -> Any:
    """Stop the clock at `NOW`."""
    time_machine.move_to(NOW, tick=False)
    return time_machine


@pytest.fixture
def ahead(owner: RestEntryPoint, clock: Any) -> Any:
    """Data created by a server 400 days ahead: a course with two items and a milestone, a score and a deck."""
    clock.move_to(NOW + AHEAD, tick=False)
    course = owner.made("create_course", name="Ahead")
    items = [owner.made("create_item", course_id=course["id"], title=title) for title in ("first", "second")]
    owner.made("create_milestone", item_id=items[0]["id"], title="Step")
    graded = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Exam", "weight": 100}])
    [category] = graded["categories"]
    owner.made("add_grade_score", course_id=course["id"], category_id=category["id"], label="x", score=80)
    deck = owner.made("create_vocab_deck", name="Deck", cards=[{"term": "a", "definition": "b"}])
    clock.move_to(NOW, tick=False)
    return {"course": course, "items": items, "deck": deck}


def repaired(*arguments: str) -> Any:
    printed = StringIO()
    call_command("repairclock", *arguments, "--json", stdout=printed)
    return json.loads(printed.getvalue())


@pytest.mark.database("postgresql")
@pytest.mark.django_db
def test_the_step_of_the_clock_is_constant() -> None:
    """Partitioned databases allow no other expression in an UPDATE or an index."""
    sql, _ = Member.objects.annotate(later=AMicrosecondLater("write_clock")).values("later").query.sql_with_params()
    step = sql.removeprefix("SELECT ").partition(" AS ")[0].replace('"accounts_member".', "")
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE INDEX ON accounts_member (({step}))")


@pytest.mark.rest
@pytest.mark.usefixtures("ahead")
def test_a_key_expires_by_the_true_time(client: Client, owner_member: Member) -> None:
    client.force_login(owner_member)
    client.post("/keys", {"name": "Script", "expires": "30"})
    key = ApiKey.objects.get(name="Script")
    assert (key.created_at, key.expires_at) == (NOW, NOW + timedelta(days=30))


def test_a_card_is_scheduled_by_the_true_time(owner: RestEntryPoint, ahead: Any) -> None:
    """A new card answered with `again` is due after one minute."""
    deck = owner.made("create_vocab_deck", name="Now", cards=[{"term": "a", "definition": "b"}])
    card = owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="again")
    assert (card["last_reviewed_at"], card["due_at"]) == (stamp(NOW), stamp(NOW + timedelta(minutes=1)))
    assert owner.made("get_practice_stats", days=1)["attempts"] == 1
    assert deck["created_at"] > stamp(NOW + AHEAD)


def test_a_review_is_never_before_the_cards_last(owner: RestEntryPoint, clock: Any) -> None:
    """Two servers whose clocks differ by a minute."""
    deck = owner.made("create_vocab_deck", name="Now", cards=[{"term": "a", "definition": "b"}])
    first = owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="good")
    clock.move_to(NOW - timedelta(minutes=1), tick=False)
    second = owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="again")
    assert second["last_reviewed_at"] > first["last_reviewed_at"] == stamp(NOW)
    assert second["due_at"] == stamp(NOW + timedelta(minutes=1, microseconds=1))


@pytest.mark.usefixtures("ahead")
def test_a_clock_that_is_ahead_is_logged_once_a_minute(
    owner: RestEntryPoint, clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "accounts.changes.writing")
    for seconds in (3600, 3610, 3700):
        clock.move_to(NOW + timedelta(seconds=seconds), tick=False)
        owner.made("create_course", name=f"{seconds}")
    lines = [record.getMessage() for record in caplog.records if record.name == "accounts.changes.writing"]
    assert len(lines) == 2
    assert "34556400 s ahead" in lines[0]
    assert "repairclock" in lines[0]


def test_clocks_a_few_seconds_apart_are_not_logged(
    owner: RestEntryPoint, course: Any, clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "accounts.changes.writing")
    owner.made("create_item", course_id=course["id"], title="x")
    clock.move_to(NOW - timedelta(seconds=4), tick=False)
    owner.made("create_item", course_id=course["id"], title="y")
    assert not caplog.records


@pytest.mark.database("sqlite", "other tests send the same statements")
@pytest.mark.usefixtures("ahead")
def test_a_repair_restamps_future_data_in_order(owner: RestEntryPoint, owner_member: Member) -> None:
    def stamps() -> list[str]:
        courses, items = owner.made("list_courses")["data"], owner.made("list_items")["data"]
        milestones = owner.made("list_milestones", item_id=items[0]["id"])["data"]
        decks = owner.made("list_vocab_decks")["data"]
        rows = [*courses, *items, *milestones, *decks]
        scores = owner.made("get_grades", course_id=courses[0]["id"])["categories"][0]["scores"]
        return [row[name] for row in [*rows, *scores] for name in ("created_at", "updated_at") if name in row]

    before = stamps()
    found = repaired(owner_member.email)
    after = stamps()
    assert max(after) <= stamp(NOW)
    order = dict(zip(before, after, strict=True))
    assert len(set(order.values())) == len(order)
    assert [order[old] for old in sorted(order)] == sorted(order.values())
    [told] = found["members"]
    assert (told["email"], round(told["ahead_seconds"])) == (owner_member.email, AHEAD.total_seconds())
    assert told["stamps"] == len(order) + 2  # of the milestone, and of the categories in the log of changes


def test_a_poller_continues_after_a_repair(owner: RestEntryPoint, course: Any, clock: Any) -> None:
    """A poller sees old and new data in order, whenever it last polled."""
    known = owner.made("create_item", course_id=course["id"], title="before")
    clock.move_to(NOW + AHEAD, tick=False)
    owner.made("create_item", course_id=course["id"], title="ahead")
    clock.move_to(NOW + timedelta(hours=1), tick=False)
    owner.made("create_item", course_id=course["id"], title="behind it")
    repaired("--all")
    owner.made("create_item", course_id=course["id"], title="after")
    found = owner.made("list_items", created_after=known["created_at"])["data"]
    assert [item["title"] for item in found] == ["ahead", "behind it", "after"]
    assert found[2]["created_at"] <= stamp(NOW + timedelta(hours=1, seconds=1))
    assert owner.made("list_items", created_after=found[1]["created_at"])["data"] == [found[2]]


def test_a_clock_that_jumped_twice_is_repaired(owner: RestEntryPoint, course: Any, clock: Any) -> None:
    """Data of one hour was stamped over two years, and must fit into the hour again."""
    known = owner.made("create_item", course_id=course["id"], title="0")
    for number, leap in enumerate((AHEAD, AHEAD + timedelta(minutes=1), 2 * AHEAD), start=1):
        clock.move_to(NOW + leap, tick=False)
        owner.made("create_item", course_id=course["id"], title=str(number))
    clock.move_to(NOW + timedelta(hours=1), tick=False)
    repaired("--all")
    owner.made("create_item", course_id=course["id"], title="4")
    found = owner.made("list_items", created_after=known["created_at"])["data"]
    assert [item["title"] for item in found] == ["1", "2", "3", "4"]
    assert found[2]["created_at"] == stamp(NOW + timedelta(hours=1))


def test_a_repair_restores_keys_and_reviews(
    owner: RestEntryPoint, owner_member: Member, clock: Any, make_key: Any
) -> None:
    """Values computed from the server's time: the expiry of a key and the due time of a card."""
    deck = owner.made("create_vocab_deck", name="Deck", cards=[{"term": "a", "definition": "b"}])
    clock.move_to(NOW + AHEAD, tick=False)
    key = make_key(owner_member, "Script", expires_days=30)[1]
    ahead = owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="again")
    clock.move_to(NOW, tick=False)
    repaired(owner_member.email)
    key.refresh_from_db()
    assert (key.created_at, key.expires_at) == (NOW, NOW + timedelta(days=30))
    [listed] = owner.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"][0]["cards"]
    assert listed == ahead | {"last_reviewed_at": stamp(NOW), "due_at": stamp(NOW + timedelta(minutes=1))}
    stats = owner.made("get_practice_stats", days=1)
    assert (stats["attempts"], stats["streak"]["current"]) == (1, 1)
    clock.move_to(NOW + timedelta(minutes=1), tick=False)
    again = owner.made("review_vocab_card", card_id=listed["id"], rating="again")
    assert again["due_at"] == stamp(NOW + timedelta(minutes=2))


@pytest.mark.usefixtures("course")
def test_a_correct_clock_is_unchanged(owner: RestEntryPoint, owner_member: Member, clock: Any) -> None:
    before = owner.made("list_courses")
    assert repaired(owner_member.email) == {"members": []}
    assert repaired("--all") == {"members": []}
    assert owner.made("list_courses") == before


@pytest.mark.database("sqlite", "other tests send the same statements")
@pytest.mark.usefixtures("ahead")
def test_an_operator_can_repair_a_clock_in_the_admin(
    admin: Client, owner: RestEntryPoint, owner_member: Member
) -> None:
    admin.force_login(Member.objects.get(email="operator@example.com"))
    said = act(admin, "/admin/accounts/member/", "repair_clock", owner_member)
    assert said == "Repaired the clock of: 1 member."
    assert owner.made("list_courses")["data"][0]["created_at"] <= stamp(NOW)


@pytest.mark.django_db
@each("arguments", [[], ["nobody@example.org"], ["a@example.org", "--all"]])
def test_the_command_accepts_one_member_or_all(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("repairclock", *arguments)


@pytest.mark.usefixtures("ahead")
def test_practice_on_a_future_day_moves_to_the_true_day(
    owner: RestEntryPoint, owner_member: Member, clock: Any
) -> None:
    from practice.models import Attempt

    deck = owner.made("create_vocab_deck", name="Now", cards=[{"term": "a", "definition": "b"}])
    clock.move_to(NOW + AHEAD, tick=False)
    owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="good")
    clock.move_to(NOW, tick=False)
    repaired(owner_member.email)
    assert Attempt.objects.get().day == date(2099, 11, 21)
