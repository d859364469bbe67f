"""get_agenda with `minutes`. test_agenda_minutes_oracle tests the chosen steps."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from courses.models import Course
from tests.conftest import OpenEntryPoint
from tests.support.agenda_accounts import agenda_account
from tests.support.agenda_rows import stored_accounts
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, MilestoneFactory, stored
from tests.support.samples import later

TODAY = "2026-11-21"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "the comparison with the oracle runs on both"),
    pytest.mark.time_machine(f"{TODAY}T12:00:00Z"),
]
BEFORE_MIDNIGHT = [
    ("Asia/Kathmandu", "2026-11-21T18:14:59Z"),
    ("America/St_Johns", "2026-11-22T03:29:59Z"),
    ("Pacific/Chatham", "2026-11-21T10:14:59Z"),
]
"""The last second of the day in three zones with offsets of a quarter or half an hour."""


def test_it_returns_a_step_with_its_reasons(owner: RestEntryPoint, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Problem set", due_on=later(TODAY, 2))
    assert owner.made("get_agenda", minutes=30)["now"] == {
        "minutes": 30,
        "left_over": 5,
        "steps": [
            {
                "position": 1,
                "kind": "item",
                "title": "Problem set",
                "course_name": "Cell Biology",
                "minutes": 25,
                "item_id": item["id"],
                "milestone_id": None,
                "deck_id": None,
                "cards": None,
                "because": [{"code": "due_in", "value": 2, "text": "Due in 2 days"}],
            }
        ],
    }


@pytest.mark.database("both")
def test_an_exam_without_a_category_is_not_last(owner: RestEntryPoint, course: Any) -> None:
    """Its worth is unknown: 5, or the mean of all items of its course that have one, here 28 and 7 times 2."""
    weights = [{"name": "Homework", "weight": 14}, {"name": "Project", "weight": 28}, {"name": "Final", "weight": 58}]
    made = owner.made("set_grade_categories", course_id=course["id"], categories=weights)["categories"]
    homework, project, _ = ({"course_id": course["id"], "category_id": one["id"]} for one in made)
    tasks = [{"title": f"Homework {n}", "category_id": homework["category_id"]} for n in range(2, 8)]
    owner.made("create_item", **homework, title="Homework 1", due_on=TODAY, more=tasks)
    owner.made("create_item", **project, title="Project", due_on=later(TODAY, 90))
    tomorrow = later(TODAY, 1)
    owner.made("create_item", course_id=course["id"], title="Exam", kind="exam", due_on=tomorrow)
    elsewhere = owner.made("create_course", name="Physics")["id"]
    owner.made("create_item", course_id=elsewhere, title="Draft", due_on=tomorrow)
    steps = owner.made("get_agenda", minutes=120)["now"]["steps"]
    assert [(step["title"], [one["code"] for one in step["because"]]) for step in steps] == [
        ("Exam", ["due_in"]),
        ("Draft", ["due_in"]),
        ("Homework 1", ["due_in", "worth"]),
    ]


@pytest.mark.rest
def test_the_rest_is_identical_byte_for_byte(entry_point: OpenEntryPoint, time_machine: Any) -> None:
    """For accounts of all kinds, although another statement computes readiness then."""
    ready = 0
    for seed in range(60):
        account = agenda_account(seed)
        time_machine.move_to(account.now, tick=False)
        [member] = stored_accounts([account])
        owner = entry_point(member)
        days = 1 + 7 * seed % 120
        plain = owner.request("GET", "/v1/agenda", query={"days": str(days)}).content
        timed = json.loads(owner.request("GET", "/v1/agenda", query={"days": str(days), "minutes": "60"}).content)
        assert timed.pop("now")["minutes"] == 60
        assert (seed, json.dumps(timed)) == (seed, json.dumps(json.loads(plain)))
        ready += len(timed["readiness"])
    assert ready > 10


def test_without_minutes_there_is_no_now(owner: RestEntryPoint) -> None:
    told = ["today", "weekday", "until", "items", "milestones", "readiness", "missed"]
    assert list(owner.made("get_agenda")) == told


@each(
    ("minutes", "message"),
    [
        (4, "Must be at least 5."),
        (481, "Must be at most 480."),
        (0, "Must be at least 5."),
        (-30, "Must be at least 5."),
    ],
)
def test_minutes_are_limited(owner: RestEntryPoint, minutes: int, message: str) -> None:
    answer = owner.call("get_agenda", minutes=minutes)
    assert answer.body["details"] == [{"field": "minutes", "message": message}]


@pytest.mark.parametrize(("zone", "last"), BEFORE_MIDNIGHT)
def test_days_are_in_the_members_time_zone(
    make_member: Any, entry_point: OpenEntryPoint, time_machine: Any, zone: str, last: str
) -> None:
    """An item due tomorrow becomes due today at midnight, and overdue at the next one."""
    time_machine.move_to(last, tick=False)
    member: Member = make_member(time_zone=zone)
    owner = entry_point(member)
    due_on = later(str(member.today()), 1)
    course = owner.made("create_course", name="Biology")
    owner.made("create_item", course_id=course["id"], title="Essay", due_on=due_on)
    told = []
    for seconds in (0, 1, 86_400, 86_401):
        time_machine.move_to(last, tick=False)
        time_machine.shift(seconds)
        [step] = owner.made("get_agenda", minutes=30)["now"]["steps"]
        told.append(step["because"][0]["text"])
    assert told == ["Due tomorrow", "Due today", "Due today", "Overdue by 1 day"]


def test_a_strangers_data_adds_no_steps(owner: RestEntryPoint, stranger: RestEntryPoint, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Essay", due_on=TODAY)
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on=TODAY)
    owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=[{"term": "a", "definition": "b"}])
    assert stranger.made("get_agenda", minutes=480)["now"] == {"minutes": 480, "left_over": 480, "steps": []}
    assert len(owner.made("get_agenda", minutes=480)["now"]["steps"]) == 2


@pytest.mark.rest
def test_it_changes_nothing_and_is_repeatable(owner: RestEntryPoint, course: Any) -> None:
    for days in range(5):
        owner.made("create_item", course_id=course["id"], title=f"Sheet {days}", due_on=later(TODAY, days))
    before = owner.made("list_changes")
    first = owner.made("get_agenda", minutes=60)
    assert owner.made("get_agenda", minutes=60) == first
    assert owner.made("list_changes") == before


@pytest.mark.rest
def test_it_needs_one_statement_each_for_items_decks_and_topics(
    entry_point: OpenEntryPoint, owner_member: Member
) -> None:
    """Four including the credential's, whatever the account contains."""
    owner = entry_point(owner_member)
    owner.made("get_me")
    counts = []
    for number in (0, 3, 40):
        course = Course(id=owner.made("create_course", name=f"Course {number}")["id"])
        items = stored(ItemFactory, 1 + number, member=owner_member, course=course, due_on=TODAY, kind="exam")
        for item in items:
            stored(MilestoneFactory, 2, member=owner_member, item=item)
        cards = [{"term": str(n), "definition": "Meaning"} for n in range(number + 1)]
        owner.made("create_vocab_deck", name=f"Deck {number}", course_id=str(course.id), cards=cards)
        with CaptureQueriesContext(connection) as queries:
            owner.made("get_agenda", minutes=480)
        counts.append(len(queries))
    assert counts == [4, 4, 4]
