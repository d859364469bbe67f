"""get_agenda with `minutes` for a large account. `pytest -s --thorough` prints its CPU time."""

from datetime import timedelta
from time import process_time
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Member
from tests.conftest import OpenEntryPoint
from tests.support.factories import (
    CardFactory,
    CourseFactory,
    DeckFactory,
    GradeCategoryFactory,
    ItemFactory,
    MilestoneFactory,
)

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.thorough("measures a large account")]

COURSES, ITEMS, DECKS, CARDS = 20, 250, 100, 50
"""Items per course, from 60 days ago to 240 days ahead, and cards per deck."""


@pytest.fixture
def large(owner_member: Member) -> Member:
    now = timezone.now()
    today = owner_member.date_at(now)
    kinds = ("assignment", "quiz", "lab", "exam", "paper", "project", "other")
    rows: dict[Any, list[Any]] = {}

    def add(factory: Any, **fields: Any) -> Any:
        row = factory.build(member=owner_member, **fields)
        rows.setdefault(type(row), []).append(row)
        return row

    courses = [add(CourseFactory) for _ in range(COURSES)]
    for course in courses:
        categories = [add(GradeCategoryFactory, course=course, weight=20, position=place) for place in range(1, 6)]
        for place in range(ITEMS):
            item = add(
                ItemFactory,
                course=course,
                title=f"Item {place}",
                kind=kinds[place % len(kinds)],
                due_on=today + timedelta(days=place * 300 // ITEMS - 60),
                missable_from=today - timedelta(days=90),
                category=categories[place % 5],
            )
            if place % 2:
                add(MilestoneFactory, item=item, title="Begin", due_on=item.due_on - timedelta(days=3), done=False)
    for number in range(DECKS):
        deck = add(DeckFactory, course=courses[number % COURSES], name=f"Deck {number}", card_count=CARDS)
        for place in range(CARDS):
            add(
                CardFactory,
                deck=deck,
                position=place + 1,
                state="new" if place % 5 == 0 else "review",
                step=None,
                stability=None if place % 5 == 0 else 8.0,
                difficulty=None if place % 5 == 0 else 5.0,
                due_at=now - timedelta(days=1) + timedelta(hours=place),
                last_reviewed_at=None if place % 5 == 0 else now - timedelta(days=9),
                reps=0 if place % 5 == 0 else 3,
            )
    for model, of_model in rows.items():
        model.objects.bulk_create(of_model, batch_size=500)
    return owner_member


def test_a_large_account_needs_four_statements(large: Member, entry_point: OpenEntryPoint) -> None:
    owner = entry_point(large)
    owner.made("get_agenda", minutes=480)
    with CaptureQueriesContext(connection) as queries:
        answer = owner.made("get_agenda", minutes=480)
    assert (len(queries), len(answer["now"]["steps"])) == (4, 7)
    for given in ({}, {"minutes": 480}):
        took = []
        for _ in range(10):
            began = process_time()
            owner.request("GET", "/v1/agenda", query={name: str(value) for name, value in given.items()})
            took.append(process_time() - began)
        print(f"{given}: {min(took) * 1000:.0f} ms of CPU, {len(answer['items'])} items")  # noqa: T201  # what a run is for
