"""The member's clock stamps only what pollers see, by the time of the database."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.models import ApiKey, Member
from studyservice.changes import writing
from studyservice.database.expressions import AMicrosecondLater
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
    """Data stamped 400 days ahead: a course with two items and a milestone, a score and a deck."""
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


@pytest.fixture
def _by_the_database(database_clock: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stamp as in production."""
    monkeypatch.setattr(writing, "clock", database_clock)
    writing.tick.cache_clear()
    yield
    writing.tick.cache_clear()


@pytest.mark.rest
@pytest.mark.database("postgresql", "SQLite has no clock of its own")
@pytest.mark.usefixtures("_by_the_database")
def test_a_server_with_a_fast_clock_stamps_by_that_of_the_database(owner: RestEntryPoint, time_machine: Any) -> None:
    now = datetime.now(UTC)
    before = owner.made("create_course", name="before")
    time_machine.move_to(now + AHEAD)
    during = owner.made("create_course", name="during")
    time_machine.move_to(now - AHEAD)
    after = owner.made("create_course", name="after")
    stamps = [datetime.fromisoformat(course["created_at"]) for course in (before, during, after)]
    assert stamps == sorted(stamps)
    assert stamps[-1] - stamps[0] < timedelta(minutes=5)


@pytest.mark.usefixtures("ahead")
def test_stamps_grow_until_the_true_time_has_caught_up(owner: RestEntryPoint, course: Any) -> None:
    known = owner.made("create_item", course_id=course["id"], title="behind")
    owner.made("create_item", course_id=course["id"], title="after")
    found = owner.made("list_items", created_after=known["created_at"])["data"]
    assert [item["title"] for item in found] == ["after"]
