"""The undo of the largest deletions restores everything, in few round trips and little memory."""

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Member
from courses.item_rows import computed_of_item
from courses.models import Course, Item
from planning.models import Milestone
from practice.models import Attempt
from practice.rebuilding import rebuild_sums
from studyservice.registry.counts import recount
from tests.support.entry_points import RestEntryPoint
from tests.support.exchanges import counted
from tests.support.run import is_thorough
from tests.support.vocabulary import made_deck
from vocab.models import Card, Deck, Review

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.rest]

MOST_EXCHANGES = 12
MOST_MEMORY = 60 * 1024 * 1024


@pytest.fixture
def large_course(owner_member: Member, course: Any, owner: RestEntryPoint) -> Any:
    """A course with a deck, 1,000 items and 4,000 milestones."""
    its = {"member": owner_member, "course_id": course["id"]}
    made_deck(owner, course_id=course["id"])
    texts = [{"title": f"Item {n}", "note": "x" * 200} for n in range(1000)]
    items = Item.objects.bulk_create(Item(**its, **one, **computed_of_item(one)) for one in texts)
    Milestone.objects.bulk_create(
        Milestone(member=owner_member, item=item, title=f"Step {n}", folded=f"step {n}", position=n)
        for item in items
        for n in range(1, 5)
    )
    analyze()
    return course


def analyze() -> None:
    """Tell the planner what was inserted, as PostgreSQL does in the background."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@pytest.fixture
def large_deck(owner_member: Member, owner: RestEntryPoint) -> Any:
    """A deck of 500 cards, each with 10 reviews of the last days, or 40 in a thorough run."""
    reviews_each = 40 if is_thorough() else 10
    deck = made_deck(owner, *(f"Term {n}" for n in range(500)))
    now = timezone.now().replace(microsecond=0)
    state = {"state": "review", "stability": 12.25, "difficulty": 5.5, "due_at": now, "last_reviewed_at": now}
    reviews = Review.objects.bulk_create(
        Review(
            member=owner_member, card_id=card["id"], rating="good", reviewed_at=now - timedelta(days=n),
            by_kind="page", by_name="", desired_retention=0.9, **state,
        )
        for card in deck["cards"]
        for n in range(reviews_each)
    )  # fmt: skip
    Attempt.objects.bulk_create(
        Attempt(
            id=review.id, member=owner_member, source="vocab", topic=deck["name"], deck_id=deck["id"], correct=True,
            attempted_at=review.reviewed_at, day=review.reviewed_at.date(),
        )
        for review in reviews
    )  # fmt: skip
    Card.objects.update(reps=reviews_each, **state)
    rebuild_sums([owner_member.id])
    analyze()
    return deck


def rows(*models: Any) -> list[list[tuple[Any, ...]]]:
    return [sorted(model.objects.values_list(*_names(model))) for model in models]


def _names(model: Any) -> list[str]:
    stamps = {"created_at", "updated_at"} if model is Item else set()
    return [field.attname for field in model._meta.concrete_fields if field.attname not in stamps]


@contextmanager
def little_memory() -> Iterator[None]:
    """Check the memory of the block in a thorough run only, as tracing makes it several times slower."""
    if not is_thorough():
        yield
        return
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


def undone(owner: RestEntryPoint) -> None:
    """Undo the newest change, and check its cost."""
    [change] = owner.made("list_changes", limit=1)["data"]
    undo: Callable[[], Any] = lambda: owner.call("undo_change", change_id=change["id"])  # noqa: E731
    with little_memory():
        answer, exchanges = counted(undo) if connection.vendor == "postgresql" else (undo(), 0)
    assert answer.error is None, answer.body
    assert exchanges <= MOST_EXCHANGES


@pytest.mark.database("both")
def test_a_large_course_is_restored_whole(owner: RestEntryPoint, owner_member: Member, large_course: Any) -> None:
    before = rows(Course, Item, Milestone, Deck)
    owner.made("delete_course", course_id=large_course["id"])
    assert not Milestone.objects.exists()
    undone(owner)
    assert rows(Course, Item, Milestone, Deck) == before
    assert recount(owner_member.id) == 0


@pytest.mark.database("both")
def test_a_large_deck_is_restored_whole(owner: RestEntryPoint, owner_member: Member, large_deck: Any) -> None:
    before = rows(Deck, Card, Review, Attempt), owner.made("get_practice_stats")
    owner.made("delete_vocab_deck", deck_id=large_deck["id"])
    assert not Review.objects.exists()
    undone(owner)
    assert (rows(Deck, Card, Review, Attempt), owner.made("get_practice_stats")) == before
