"""list_vocab_decks with `order`, `cards_after` and `limit`: the cards of one deck, page by page."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import fsrs
import pytest
from django.utils import timezone

from studyservice.rows.limits import Limits
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.tools import mcp_of
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed
from vocab.models import Card

pytestmark = pytest.mark.database("sqlite", "other tests send the same statements")

ORDERS = ["due", "position", "weakest"]


@pytest.fixture
def deck(owner: RestEntryPoint, db: None) -> Any:
    """Six cards: two new ones, and four with different stabilities and last reviews."""
    made = made_deck(owner, "new", "strong", "weak", "newer", "fading", "fresh")
    now = timezone.now()
    for term, stability, days, due in (
        ("strong", 90, 9, 70),
        ("weak", 2, 5, -3),
        ("fading", 20, 40, 1),
        ("fresh", 1, 0, 2),
    ):
        last, due_at = now - timedelta(days=days, minutes=1), now + timedelta(days=due)
        memory = {"state": "review", "step": None, "stability": stability, "difficulty": 5.0, "reps": 1}
        Card.objects.filter(term=term, deck_id=made["id"]).update(last_reviewed_at=last, due_at=due_at, **memory)
    return made


def terms(owner: RestEntryPoint, deck: Any, **options: Any) -> list[str]:
    return [card["term"] for card in deck_with_cards(owner, deck, **options)["cards"]]


@pytest.mark.database("both")
def test_each_order_lists_every_card(owner: RestEntryPoint, deck: Any) -> None:
    assert terms(owner, deck, order="position") == ["new", "strong", "weak", "newer", "fading", "fresh"]
    assert terms(owner, deck, order="due") == ["weak", "new", "newer", "fading", "fresh", "strong"]
    assert terms(owner, deck, order="weakest") == ["weak", "fading", "strong", "fresh", "new", "newer"]
    assert terms(owner, deck) == terms(owner, deck, order="due")


def test_the_weakest_have_the_lowest_recall_of_the_package(owner: RestEntryPoint, deck: Any) -> None:
    scheduler, now = fsrs.Scheduler(enable_fuzzing=False), timezone.now()
    found = [card for card in deck_with_cards(owner, deck, order="weakest")["cards"] if card["stability"]]
    recalls = [
        scheduler.get_card_retrievability(
            fsrs.Card(stability=card["stability"], last_review=datetime.fromisoformat(card["last_reviewed_at"])), now
        )
        for card in found
    ]
    assert recalls == sorted(recalls)
    assert len(set(recalls)) == 4


def test_of_equal_recall_the_one_forgotten_sooner_is_weaker(owner: RestEntryPoint) -> None:
    made = made_deck(owner, "easy", "again", "good")
    for card in made["cards"]:
        reviewed(owner, card, card["term"])
    assert terms(owner, made, order="weakest") == ["again", "good", "easy"]


@pytest.mark.database("both")
@each("order", ORDERS)
def test_pages_together_are_the_whole_deck(owner: RestEntryPoint, deck: Any, order: str) -> None:
    found: list[Any] = []
    after: dict[str, Any] = {}
    more = True
    while more:
        page = deck_with_cards(owner, deck, order=order, limit=4, **after)
        found += page["cards"]
        more, after = page["more_cards"], {"cards_after": page["cards"][-1]["id"]}
    assert found == deck_with_cards(owner, deck, order=order)["cards"]


@each(("options", "more"), [({"limit": 5}, True), ({"limit": 6}, False), ({"limit": 500}, False)])
def test_more_cards_tells_whether_others_follow(
    owner: RestEntryPoint, deck: Any, options: dict[str, Any], more: bool
) -> None:
    for order in ORDERS:
        assert deck_with_cards(owner, deck, order=order, **options)["more_cards"] is more


def test_without_a_limit_everything_follows(owner: RestEntryPoint, deck: Any) -> None:
    cards = deck_with_cards(owner, deck)["cards"]
    for place, card in enumerate(cards, start=1):
        page = deck_with_cards(owner, deck, cards_after=card["id"])
        assert (page["cards"], page["more_cards"]) == (cards[place:], False)


@each("limit", [1, 2, 5])
def test_more_due_cards_follow_as_far_as_today_allows(owner: RestEntryPoint, deck: Any, limit: int) -> None:
    found = deck_with_cards(owner, deck, due_only=True, limit=limit)
    assert found["more_cards"] is (limit < 3)
    assert found["today_count"] == 3
    mcp_or_rest = deck_with_cards(owner, deck, due_only=True)
    assert "more_cards" not in mcp_or_rest


def test_more_cards_is_nowhere_else(owner: RestEntryPoint, course: Any, time_machine: Any) -> None:
    made = made_deck(owner, "a", "b", course_id=course["id"])
    assert "more_cards" not in made
    assert "more_cards" not in deck_with_cards(owner, made)
    assert "more_cards" not in deck_with_cards(owner, made, order="weakest")
    assert "more_cards" not in owner.made("list_vocab_decks")["data"][0]
    soon = str((timezone.now() + timedelta(days=20)).date())
    exam = owner.made("create_item", course_id=course["id"], title="Final", kind="exam", due_on=soon)
    [planned] = owner.made("list_vocab_decks", for_item=exam["id"], minutes_a_day=20, limit=1)["data"]
    assert "more_cards" not in planned


def test_the_recall_on_a_day_is_told_in_every_order(owner: RestEntryPoint, deck: Any) -> None:
    on = str((timezone.now() + timedelta(days=10)).date())
    cards = deck_with_cards(owner, deck, order="weakest", on=on, limit=5)["cards"]
    assert [card["recall"] is None for card in cards] == [False] * 4 + [True]


@pytest.mark.database("both")
@each("order", ORDERS)
def test_a_card_of_another_deck_is_rejected(
    owner: RestEntryPoint, stranger: RestEntryPoint, deck: Any, order: str
) -> None:
    others = [made_deck(owner, name="B")["cards"][0]["id"], made_deck(stranger)["cards"][0]["id"], str(uuid4())]
    for card_id in others:
        sent = {"deck_id": deck["id"], "include_cards": True, "order": order, "cards_after": card_id}
        answer = owner.call("list_vocab_decks", **sent)
        assert (answer.error, answer.fields) == ("validation_failed", ["cards_after"])
        answer = owner.call("list_vocab_decks", **(sent | {"deck_id": str(uuid4())}))
        assert (answer.error, answer.fields) == ("validation_failed", ["cards_after"])


@each(
    ("query", "wrong"),
    [
        ({"order": "due"}, ["order"]),
        ({"cards_after": str(uuid4()), "include_cards": False}, ["cards_after"]),
        ({"include_cards": True, "order": "newest"}, ["order"]),
        ({"include_cards": True, "order": "Due"}, ["order"]),
        ({"include_cards": True, "cards_after": "first"}, ["cards_after"]),
        ({"include_cards": True, "due_only": True, "order": "due"}, ["order"]),
        (
            {"include_cards": True, "due_only": True, "order": "weakest", "cards_after": str(uuid4())},
            ["order", "cards_after"],
        ),
    ],
)
def test_parameters_that_do_not_fit_are_named(
    owner: RestEntryPoint, deck: Any, query: dict[str, Any], wrong: list[str]
) -> None:
    answer = owner.call("list_vocab_decks", deck_id=deck["id"], **query)
    assert (answer.error, answer.fields) == ("validation_failed", wrong)


@each("given", [{"order": "due"}, {"order": "weakest", "include_cards": True}, {"cards_after": str(uuid4())}])
def test_the_cards_of_a_plan_have_their_own_order(owner: RestEntryPoint, item: Any, given: dict[str, Any]) -> None:
    answer = owner.call("list_vocab_decks", for_item=item["id"], minutes_a_day=20, **given)
    assert answer.error == "validation_failed"
    assert {"order", "cards_after"} & given.keys() <= set(answer.fields)


@pytest.mark.rest
def test_a_tool_takes_null_for_what_is_not_sent(owner: RestEntryPoint, deck: Any) -> None:
    nulls = dict.fromkeys(("order", "cards_after", "limit", "due_only", "on", "for_item", "minutes_a_day"))
    assert deck_with_cards(mcp_of(owner), deck, **nulls) == deck_with_cards(owner, deck)


@pytest.mark.rest
@pytest.mark.database("both")
def test_a_hidden_deck_has_no_cards_in_any_order(
    owner: RestEntryPoint, owner_member: Any, make_key: Any, course: Any, deck: Any
) -> None:
    limited = RestEntryPoint(make_key(owner_member, limits=Limits((course["id"],)).stored())[0])
    for order in ORDERS:
        sent = {"deck_id": deck["id"], "include_cards": True, "order": order}
        assert limited.made("list_vocab_decks", **sent)["data"] == []
        answer = limited.call("list_vocab_decks", **sent, cards_after=deck["cards"][0]["id"])
        assert answer.fields == ["cards_after"]


@pytest.mark.rest
@each("order", ORDERS)
def test_a_page_costs_three_queries(
    owner: RestEntryPoint, deck: Any, order: str, django_assert_num_queries: Any
) -> None:
    after = deck["cards"][2]["id"]
    owner.made("get_me")
    with django_assert_num_queries(3):
        deck_with_cards(owner, deck, order=order, cards_after=after, limit=2)
