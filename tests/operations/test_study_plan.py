"""get_item with minutes_a_day, and list_vocab_decks with for_item: the plan for an exam, and today's cards of it."""

import threading
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed
from vocab import plans
from vocab.models import Card

pytestmark = pytest.mark.django_db

NOON = datetime(2030, 5, 6, 12, tzinfo=UTC)
TODAY = NOON.date()
DAY = timedelta(days=1)


def at(moment: datetime) -> Any:
    rates.clear()
    return time_machine.travel(moment, tick=False)


@pytest.fixture(autouse=True)
def _noon() -> Any:
    with at(NOON):
        yield


def an_exam(owner: RestEntryPoint, course: Any, days: int = 10, **fields: Any) -> Any:
    due_on = str(TODAY + days * DAY)
    return owner.made(
        "create_item", course_id=course["id"], **{"title": "Final", "kind": "exam", "due_on": due_on} | fields
    )


def plan_of(owner: RestEntryPoint, exam: Any, minutes: int = 10, **options: Any) -> Any:
    return owner.made("get_item", item_id=exam["id"], minutes_a_day=minutes, **options)["study_plan"]


def queue_of(owner: RestEntryPoint, exam: Any, minutes: int = 10, **options: Any) -> list[str]:
    decks = owner.made("list_vocab_decks", for_item=exam["id"], minutes_a_day=minutes, **options)["data"]
    assert all("cards" not in deck for deck in decks[1:])
    return [card["term"] for card in decks[0]["cards"]]


def test_a_new_deck_has_a_plan(owner: RestEntryPoint, course: Any) -> None:
    made_deck(owner, "a", "b", "c", course_id=course["id"])
    exam = an_exam(owner, course, 3)
    plan = plan_of(owner, exam)
    nothing = {"due": 0, "last_look": 0, "minutes": 1, "over": 0}
    predicted = plan["predicted"]
    assert 90 < predicted <= 100
    assert plan == {
        "item_id": exam["id"],
        "exam_on": "2030-05-09",
        "today": "2030-05-06",
        "planned_from": "all",
        "cards": 3,
        "seconds_a_card": 12.0,
        "seconds_from": "assumed",
        "last_look_from": "2030-05-08",
        "target": 95,
        "without": 0.0,
        "predicted": predicted,
        "at_most": predicted,
        "reaches_target": True,
        "days": [
            nothing | {"on": "2030-05-06", "new": 2, "minutes": 2},
            nothing | {"on": "2030-05-07", "new": 1},
            nothing | {"on": "2030-05-08", "new": 0, "last_look": 3},
        ],
    }


def test_without_minutes_the_answer_has_no_plan(owner: RestEntryPoint, course: Any) -> None:
    assert "study_plan" not in owner.made("get_item", item_id=an_exam(owner, course)["id"])


def test_it_is_null_without_cards_to_study(owner: RestEntryPoint, course: Any) -> None:
    exam = an_exam(owner, course)
    assert plan_of(owner, exam) is None
    assert owner.made("list_vocab_decks", for_item=exam["id"], minutes_a_day=10)["data"] == []
    [card] = made_deck(owner, "a", course_id=course["id"])["cards"]
    assert plan_of(owner, exam)["cards"] == 1
    Card.objects.filter(id=card["id"]).update(suspended=True)
    assert plan_of(owner, exam) is None
    assert queue_of(owner, exam) == []


def test_only_decks_of_its_course_count(owner: RestEntryPoint, stranger: RestEntryPoint, course: Any) -> None:
    made_deck(owner, "x", name="Other")
    made_deck(stranger, "y")
    first = made_deck(owner, "a", "b", course_id=course["id"])
    second = made_deck(owner, "c", name="Second", course_id=course["id"])
    exam = an_exam(owner, course, 1)
    assert plan_of(owner, exam)["cards"] == 3
    decks = owner.made("list_vocab_decks", for_item=exam["id"], minutes_a_day=10)["data"]
    assert [deck["id"] for deck in decks] == [first["id"], second["id"]]
    assert [(card["term"], card["deck_id"]) for card in decks[0]["cards"]] == [
        ("a", first["id"]),
        ("b", first["id"]),
        ("c", second["id"]),
    ]
    assert queue_of(owner, exam, limit=2) == ["a", "b"]
    assert queue_of(owner, exam, limit=2, include_cards=False) == ["a", "b"]


def test_each_error_names_its_field(owner: RestEntryPoint, stranger: RestEntryPoint, course: Any) -> None:
    exam, essay = an_exam(owner, course), an_exam(owner, course, kind="paper")
    deck = made_deck(owner, course_id=course["id"])
    theirs = an_exam(stranger, stranger.made("create_course", name="Theirs"))
    wrong = [an_exam(owner, course, days) for days in (-1, 0, 121)] + [essay, an_exam(owner, course, due_on=None)]
    for item in wrong:
        assert owner.call("get_item", item_id=item["id"], minutes_a_day=10).fields == ["minutes_a_day"]
        assert owner.call("list_vocab_decks", for_item=item["id"], minutes_a_day=10).fields == ["for_item"]
    for days in (1, 120):
        assert plan_of(owner, an_exam(owner, course, days, kind="quiz"))["cards"] == 1
    item = {"item_id": exam["id"]}
    assert owner.call("get_item", **item, target=90).fields == ["target"]
    for minutes in (4, 601):
        assert owner.call("get_item", **item, minutes_a_day=minutes).fields == ["minutes_a_day"]
    for target in (49, 100):
        assert owner.call("get_item", **item, minutes_a_day=10, target=target).fields == ["target"]
    planned = {"for_item": exam["id"], "minutes_a_day": 10}
    assert owner.call("list_vocab_decks", for_item=exam["id"]).fields == ["minutes_a_day"]
    assert owner.call("list_vocab_decks", minutes_a_day=10).fields == ["minutes_a_day"]
    assert owner.call("list_vocab_decks", **planned, deck_id=deck["id"]).fields == ["for_item"]
    assert owner.call("list_vocab_decks", **planned, include_cards=True, due_only=True).fields == ["for_item"]
    assert owner.call("list_vocab_decks", **planned | {"for_item": theirs["id"]}).fields == ["for_item"]
    assert owner.call("get_item", item_id=theirs["id"], minutes_a_day=10).error == "not_found"


@pytest.mark.rest
def test_the_plan_continues_from_the_cards_done(owner: RestEntryPoint, course: Any) -> None:
    """After today's cards are done, none remain, and tomorrow's plan has the promised days."""
    made_deck(owner, *(f"card {number}" for number in range(9)), course_id=course["id"])
    exam = an_exam(owner, course, 4)
    told = plan_of(owner, exam, 5)
    assert [day["new"] for day in told["days"]] == [3, 3, 3, 0]
    for term in queue_of(owner, exam, 5):
        card = Card.objects.get(term=term)
        reviewed(owner, {"id": card.id}, "good")
        with at(NOON + timedelta(minutes=10)):
            reviewed(owner, {"id": card.id}, "good")
    after = plan_of(owner, exam, 5)
    assert after["days"] == [told["days"][0] | {"new": 0, "minutes": 0}, *told["days"][1:]]
    assert queue_of(owner, exam, 5) == []
    with at(NOON + DAY):
        tomorrow = plan_of(owner, exam, 5)
        assert (tomorrow["days"], tomorrow["last_look_from"]) == (told["days"][1:], told["last_look_from"])


@pytest.mark.rest
def test_last_looks_of_today_are_not_repeated(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, "a", "b", course_id=course["id"])
    exam = an_exam(owner, course, 30)
    for card in deck["cards"]:
        reviewed(owner, card, "easy")
    with at(NOON + 29 * DAY):
        assert [day["last_look"] for day in plan_of(owner, exam)["days"]] == [2]
        assert queue_of(owner, exam) == ["a", "b"]
        reviewed(owner, deck["cards"][0], "good")
        reviewed(owner, deck["cards"][1], "again")
        assert [(day["last_look"], day["due"]) for day in plan_of(owner, exam)["days"]] == [(0, 0)]
        assert queue_of(owner, exam) == []
    with at(NOON + 29 * DAY + timedelta(minutes=10)):
        assert queue_of(owner, exam) == ["b"], "its relearning step is due"


@pytest.mark.rest
def test_new_cards_a_day_does_not_limit_the_plan(owner: RestEntryPoint, course: Any) -> None:
    owner.made("update_me", new_cards_a_day=0)
    made_deck(owner, "a", course_id=course["id"])
    assert queue_of(owner, an_exam(owner, course)) == ["a"]


@pytest.mark.rest
def test_seconds_are_measured_after_fifty_reviews(owner: RestEntryPoint, owner_member: Any, course: Any) -> None:
    made_deck(owner, "a", "b", course_id=course["id"])
    exam = an_exam(owner, course, 2)
    Member.objects.filter(id=owner_member.id).update(seconds=80.125, seconds_reviews=49)
    assert plan_of(owner, exam)["seconds_a_card"] == 12.0
    Member.objects.filter(id=owner_member.id).update(seconds=80.125, seconds_reviews=50)
    plan = plan_of(owner, exam, 5)
    assert (plan["seconds_a_card"], plan["seconds_from"]) == (80.13, "measured")
    day = {"on": "2030-05-06", "new": 2, "due": 0, "last_look": 0, "minutes": 9, "over": 4}
    assert plan["days"][0] == day, "6 reviews of 80.13 seconds are 8 minutes and 0.78 seconds"


@pytest.mark.rest
def test_the_target_is_compared_with_the_returned_recall(owner: RestEntryPoint, course: Any) -> None:
    made_deck(owner, "a", course_id=course["id"])
    exam = an_exam(owner, course, 40)
    predicted = plan_of(owner, exam)["predicted"]
    for target in (50, 99):
        plan = plan_of(owner, exam, target=target)
        assert (plan["target"], plan["reaches_target"]) == (target, predicted >= target)


@pytest.mark.rest
def test_without_equals_the_expected_recall_of_the_same_answer(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, "a", "b", course_id=course["id"])
    reviewed(owner, deck["cards"][0], "good")
    found = owner.made("get_item", item_id=an_exam(owner, course)["id"], minutes_a_day=10)
    assert found["study_plan"]["without"] == found["readiness"]["expected_recall"] > 0


@pytest.mark.rest
def test_days_are_in_the_members_time_zone(owner: RestEntryPoint, course: Any) -> None:
    owner.made("update_me", time_zone="Pacific/Kiritimati")  # 2 a.m. on the next day
    made_deck(owner, "a", course_id=course["id"])
    plan = plan_of(owner, an_exam(owner, course, 2))
    assert (plan["today"], [day["on"] for day in plan["days"]]) == ("2030-05-07", ["2030-05-07"])


@pytest.mark.rest
def test_at_most_four_statements_are_needed(owner: RestEntryPoint, course: Any) -> None:
    for name in ("One", "Two"):
        made_deck(owner, "a", "b", name=name, course_id=course["id"])
    exam = an_exam(owner, course)
    for call, options in (
        ("get_item", {"item_id": exam["id"], "minutes_a_day": 10}),
        ("list_vocab_decks", {"for_item": exam["id"], "minutes_a_day": 10, "on": str(date(2030, 5, 8))}),
    ):
        owner.made(call, **options)
        with CaptureQueriesContext(connection) as queries:
            owner.made(call, **options)
        assert len(queries) == 4


def test_a_second_plan_of_the_same_member_waits_and_another_members_does_not(
    owner_member: Any, make_member: Any
) -> None:
    began, may_end, waited = threading.Event(), threading.Event(), threading.Event()
    order: list[str] = []

    def first() -> None:
        with plans.plan_turn(owner_member.id):
            began.set()
            may_end.wait(10)
            order.append("first")

    def second() -> None:
        began.wait(10)
        waited.set()
        with plans.plan_turn(owner_member.id):
            order.append("second")

    threads = [threading.Thread(target=one) for one in (first, second)]
    for thread in threads:
        thread.start()
    assert waited.wait(10)
    with plans.plan_turn(make_member("other@example.org").id):
        order.append("another's")
    may_end.set()
    for thread in threads:
        thread.join(10)
    assert order == ["another's", "first", "second"]
    assert owner_member.id not in plans._turns, "nothing of it is stored"
