"""Predicted recall: of decks, of exams and quizzes, and in the agenda (capabilities 3 and 8)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import fsrs
import pytest
import time_machine
from django.db.models import DateTimeField, F, Value

from accounts.models import Member
from courses.models import Course
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CardFactory, DeckFactory, ItemFactory
from tests.support.vocabulary import made_deck, reviewed
from vocab.models import Card, Rating
from vocab.readiness import recall
from vocab.scheduling import next_state

pytestmark = pytest.mark.same_statements

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
TODAY = NOW.date()
NEW = {"state": "new", "step": 0, "stability": None, "difficulty": None, "last_reviewed_at": None}
PACKAGE = fsrs.Scheduler()
CHANGES = {
    "America/New_York": date(2027, 3, 14),
    "Europe/Berlin": date(2027, 3, 28),
    "Pacific/Auckland": date(2027, 4, 4),
    "Asia/Kolkata": None,
}
"""Time zones with the day of their next clock change. The one with a half-hour offset never changes."""


@pytest.fixture(autouse=True)
def _now() -> Iterator[Any]:
    with time_machine.travel(NOW, tick=False) as clock:
        yield clock


def day(ahead: int) -> str:
    return str(TODAY + timedelta(days=ahead))


def noon(on: date, zone: str) -> datetime:
    return datetime.combine(on, time(12), ZoneInfo(zone))


def as_the_package_has_it(card: Card, at: datetime) -> float:
    """The retrievability of the card according to the `fsrs` package."""
    known = fsrs.Card(
        card_id=0, stability=card.stability, difficulty=card.difficulty, last_review=card.last_reviewed_at
    )
    return PACKAGE.get_card_retrievability(known, at)


def percent(likelihood: float) -> float:
    return float((100 * Decimal(likelihood)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def nothing(on: str) -> dict[str, Any]:
    """The readiness without any cards."""
    empty = {"expected_recall": None, "seen_recall": None, "unseen": 0, "below_target": 0}
    return {"on": on, "cards": 0, "desired_retention": 90} | empty


def answer_of(cards: list[Card], on: date, zone: str, target: float) -> dict[str, Any]:
    """The readiness for these cards, calculated card by card."""
    recalled = [as_the_package_has_it(card, noon(on, zone)) for card in cards]
    seen = sum(card.last_reviewed_at is not None for card in cards)
    return {
        "on": str(on),
        "cards": len(cards),
        "desired_retention": 100 * target,
        "expected_recall": percent(sum(recalled) / len(cards)),
        "seen_recall": percent(sum(recalled) / seen) if seen else None,
        "unseen": sum(card.last_reviewed_at is None for card in cards),
        "below_target": sum(
            card.last_reviewed_at is not None and one < target for card, one in zip(cards, recalled, strict=True)
        ),
    }


def readiness(entry_point: RestEntryPoint, on: date | str, **query: Any) -> list[Any]:
    """Returns the recall of every deck."""
    return [deck["readiness"] for deck in entry_point.made("list_vocab_decks", on=str(on), **query)["data"]]


@pytest.fixture
def known(owner_member: Member) -> Any:
    """Creates a card reviewed some days ago, at the current hour: `known(deck, 10, 4.0)`."""

    def make(deck: Any, days: float, stability: float | None) -> Card:
        at = NOW - timedelta(days=days)
        return CardFactory.create(
            member=owner_member, deck=deck, state="review", stability=stability, difficulty=5, last_reviewed_at=at
        )

    return make


@pytest.mark.rest
class TestAgainstThePackage:
    @pytest.fixture
    def history(self, owner_member: Member) -> list[Card]:
        """Cards with a generated history: reviewed at any time on several days, or never."""
        chance = Random(20261122)  # noqa: S311  # a history, no secret
        deck = DeckFactory.create(member=owner_member)
        for number in range(16):
            at = NOW - timedelta(days=chance.uniform(60, 200))
            card: Any = NEW | {"due_at": at}
            for _ in range(0 if number < 2 else chance.randint(1, 9)):
                at += timedelta(
                    days=chance.choice([0.003, chance.uniform(0.1, 6)]), microseconds=chance.randrange(10**6)
                )
                card = next_state(card, chance.choice(Rating.values), at, 0.9)
            CardFactory.create(member=owner_member, deck=deck, **card)
        # exactly so many days before a noon, one microsecond after that, and without fractions of a second
        for zone, change in CHANGES.items():
            for later in (timedelta(0), timedelta(microseconds=1), timedelta(seconds=-1), timedelta(hours=1)):
                at = noon(change or TODAY, zone).astimezone(UTC) - timedelta(days=150) + later
                CardFactory.create(member=owner_member, deck=deck, stability=20, difficulty=5, last_reviewed_at=at)
        return list(Card.objects.order_by("position"))

    @pytest.mark.database("both")
    def test_every_card_and_deck_matches_the_package_in_four_zones_and_across_clock_changes(
        self, owner: RestEntryPoint, owner_member: Member, history: list[Card]
    ) -> None:
        assert sum(card.last_reviewed_at is None for card in history) == 2
        assert len({card.state for card in history}) == 4
        owner_member.desired_retention = 0.8
        for zone, change in CHANGES.items():
            owner_member.time_zone = zone
            owner_member.save()
            days = [TODAY, TODAY + timedelta(days=1), TODAY + timedelta(days=365)]
            if change is not None:
                days += [change - timedelta(days=1), change, change + timedelta(days=1)]
            for on in days:
                at = noon(on, zone)
                told = Card.objects.annotate(
                    recall=recall(F("last_reviewed_at"), F("stability"), Value(at, DateTimeField()))
                ).filter(last_reviewed_at__isnull=False)
                found = dict(told.values_list("id", "recall"))
                expected = {card.id: as_the_package_has_it(card, at) for card in history if card.last_reviewed_at}
                assert found == pytest.approx(expected, rel=1e-14)
                assert readiness(owner, on) == [answer_of(history, on, zone, 0.8)]

    def test_clock_changes_matter(self, owner: RestEntryPoint, owner_member: Member, known: Any) -> None:
        """From 12:30 in summer time to noon in winter time is a whole number of days in elapsed time. It is not by
        local
        clocks, nor to noon in UTC.
        """
        owner_member.time_zone = "America/New_York"
        owner_member.save()
        at = datetime(2026, 10, 30, 12, 30, tzinfo=ZoneInfo("America/New_York")).astimezone(UTC)
        deck = DeckFactory.create(member=owner_member)
        card = CardFactory.create(member=owner_member, deck=deck, stability=3, difficulty=5, last_reviewed_at=at)
        assert (noon(TODAY, "America/New_York") - at).days == 23
        assert (datetime.combine(TODAY, time(12), UTC) - at).days == 22
        assert readiness(owner, TODAY) == [answer_of([card], TODAY, "America/New_York", 0.9)]


class TestDecks:
    def test_new_cards_count_as_0_and_as_unseen(self, owner: RestEntryPoint) -> None:
        deck = made_deck(owner, "a", "b", "c", "d")
        reviewed(owner, deck["cards"][0], "good")
        few = {"cards": 4, "desired_retention": 90, "expected_recall": 25, "seen_recall": 100}
        assert readiness(owner, TODAY) == [{"on": str(TODAY), "unseen": 3, "below_target": 0} | few]

    def test_new_cards_lower_the_recall_and_are_reported(self, owner: RestEntryPoint) -> None:
        """The recall of seen cards is separate, and the count includes new cards."""
        deck = made_deck(owner, "a", "b")
        for card in deck["cards"]:
            reviewed(owner, card, "easy")
        [before] = readiness(owner, day(30))
        more = [{"term": term, "definition": "x"} for term in "cde"]
        owner.made("create_vocab_deck", name=deck["name"], cards=more, if_exists="merge")
        [after] = readiness(owner, day(30))
        assert after["expected_recall"] < before["expected_recall"] == before["seen_recall"] == after["seen_recall"]
        assert (before["cards"], before["unseen"], after["cards"], after["unseen"]) == (2, 0, 5, 3)

    def test_the_target_is_in_percent(self, owner: RestEntryPoint, owner_member: Member) -> None:
        deck = made_deck(owner)
        for target, told in (("0.7", 70), ("0.8512", 85.12), ("0.99", 99)):
            Member.objects.filter(id=owner_member.id).update(desired_retention=Decimal(target))
            assert [one["desired_retention"] for one in readiness(owner, TODAY, deck_id=deck["id"])] == [told]

    @pytest.mark.database("both")
    def test_each_card_has_its_recall_on_the_given_day(
        self, owner: RestEntryPoint, owner_member: Member, known: Any
    ) -> None:
        """Null for new cards. Without a day the field is absent."""
        owner_member.time_zone = "Pacific/Auckland"
        owner_member.save()
        deck = DeckFactory.create(member=owner_member)
        cards = [known(deck, 10, 4.0), known(deck, 3, 40.0), known(deck, 0.1, 0), known(deck, 5, 5e-324)]
        new = CardFactory.create(member=owner_member, deck=deck, **NEW)
        [told] = owner.made("list_vocab_decks", deck_id=str(deck.id), include_cards=True, on=day(20))["data"]
        found = {card["id"]: card["recall"] for card in told["cards"]}
        at = noon(TODAY + timedelta(days=20), "Pacific/Auckland")
        expected = {str(card.id): percent(as_the_package_has_it(card, at)) for card in cards[:2]}
        assert {id_: found[id_] for id_ in expected} == expected
        assert found[str(new.id)] is None
        assert [found[str(card.id)] for card in cards[2:]] == [pytest.approx(23.8, abs=5)] * 2
        assert told["readiness"]["seen_recall"] == pytest.approx(sum(filter(None, found.values())) / 4, abs=0.02)
        [without] = owner.made("list_vocab_decks", deck_id=str(deck.id), include_cards=True)["data"]
        assert not [card for card in without["cards"] if "recall" in card]
        assert "recall" not in owner.made("review_vocab_card", card_id=str(new.id), rating="good")

    def test_each_deck_has_its_own(self, owner: RestEntryPoint, owner_member: Member, known: Any) -> None:
        made = [DeckFactory.create(member=owner_member, created_at=NOW + timedelta(days=number)) for number in range(3)]
        first, second, _ = made
        cards = [known(first, 10, 10.0), known(first, 10, 5.0)], [known(second, 3, 40.0)]
        told = readiness(owner, day(20))
        assert told[:2] == [answer_of(of, date.fromisoformat(day(20)), "UTC", 0.9) for of in cards]
        assert (told[0]["below_target"], told[1]["below_target"]) == (2, 0)
        assert told[2] == nothing(day(20))
        assert readiness(owner, day(20), deck_id=str(second.id)) == told[1:2]

    def test_a_card_is_at_the_target_on_its_due_day(
        self, owner: RestEntryPoint, owner_member: Member, known: Any
    ) -> None:
        """Stability is the number of days until recall is 0.9. A card exactly at the target is not below it."""
        deck = DeckFactory.create(member=owner_member)
        known(deck, 10, 10.0)
        found = [(one["expected_recall"], one["below_target"]) for on in (0, 1) for one in readiness(owner, day(on))]
        assert found == [(90, 0), (pytest.approx(89.3, abs=0.1), 1)]

    def test_the_target_is_the_members(self, owner: RestEntryPoint, owner_member: Member, known: Any) -> None:
        deck = DeckFactory.create(member=owner_member)
        known(deck, 20, 10.0)
        found = []
        for target in (0.7, 0.8, 0.9, 0.99):
            Member.objects.filter(id=owner_member.id).update(desired_retention=target)
            found += [one["below_target"] for one in readiness(owner, TODAY)]
        assert found == [0, 0, 1, 1]

    def test_it_is_returned_only_with_a_day_even_with_cards(self, owner: RestEntryPoint) -> None:
        deck = made_deck(owner)
        [without] = owner.made("list_vocab_decks")["data"]
        [with_day] = owner.made("list_vocab_decks", on=day(1), deck_id=deck["id"], include_cards=True, limit=1)["data"]
        assert "readiness" not in without
        assert (len(with_day["cards"]), with_day["readiness"]["unseen"]) == (1, 1)

    @each(("ahead", "right"), [(-1, False), (0, True), (365, True), (366, False)])
    def test_days_from_today_to_a_year_ahead_are_accepted(self, owner: RestEntryPoint, ahead: int, right: bool) -> None:
        answer = owner.call("list_vocab_decks", on=day(ahead))
        assert (answer.error is None, answer.fields) == (right, [] if right else ["on"])

    def test_today_is_in_the_members_time_zone(self, owner: RestEntryPoint, owner_member: Member) -> None:
        owner_member.time_zone = "Pacific/Kiritimati"  # 14 hours ahead, where the day before has ended
        owner_member.save()
        assert owner.call("list_vocab_decks", on=day(0)).error is None
        with time_machine.travel(NOW + timedelta(hours=1), tick=False):
            assert owner.call("list_vocab_decks", on=day(0)).fields == ["on"]

    @each("on", ["soon", "2026-11-31", ""])
    def test_an_invalid_day_is_named(self, owner: RestEntryPoint, on: str) -> None:
        assert owner.call("list_vocab_decks", on=on).fields == ["on"]

    @each("stability", [0, 5e-324, 1.7e308])
    def test_every_storable_stability_works(
        self, owner: RestEntryPoint, owner_member: Member, known: Any, stability: float
    ) -> None:
        known(DeckFactory.create(member=owner_member), 10, stability)
        [told] = readiness(owner, day(1))
        assert told["expected_recall"] == (100 if stability > 1 else pytest.approx(23.8, abs=1))


class TestItems:
    @pytest.fixture
    def deck(self, owner_member: Member, course: Any, known: Any) -> Any:
        """Two decks of the course with a card each, one of another course, and one without a course."""
        of_course = [DeckFactory.create(member=owner_member, course_id=course["id"]) for _ in range(2)]
        other = DeckFactory.create(member=owner_member), DeckFactory.create(member=owner_member, course=None)
        cards = [known(of_course[0], 10, 5.0), known(of_course[1], 10, 30.0)]
        for one in other:
            known(one, 10, 0.5)
        return cards

    @each("kind", ["exam", "quiz"])
    @each("ahead", [0, 10])
    def test_a_future_exam_covers_all_cards_of_its_course(
        self, owner: RestEntryPoint, course: Any, deck: list[Card], kind: str, ahead: int
    ) -> None:
        item = owner.made("create_item", course_id=course["id"], title="Midterm", kind=kind, due_on=day(ahead))
        expected = answer_of(deck, TODAY + timedelta(days=ahead), "UTC", 0.9)
        assert owner.made("get_item", item_id=item["id"]) == item | {"readiness": expected}

    @each(("kind", "due_on"), [("exam", day(-1)), ("exam", None), ("paper", day(3))])
    def test_other_items_have_no_readiness(
        self, owner: RestEntryPoint, course: Any, deck: Any, kind: str, due_on: str | None
    ) -> None:
        item = owner.made("create_item", course_id=course["id"], title="x", kind=kind, due_on=due_on)
        assert owner.made("get_item", item_id=item["id"]) == item | {"readiness": None}

    def test_an_exam_without_cards_has_no_readiness(self, owner: RestEntryPoint, course: Any) -> None:
        item = owner.made("create_item", course_id=course["id"], title="x", kind="exam", due_on=day(3))
        assert owner.made("get_item", item_id=item["id"])["readiness"] == nothing(day(3))

    def test_updates_and_lists_return_items_without_it(self, owner: RestEntryPoint, course: Any, deck: Any) -> None:
        item = owner.made("create_item", course_id=course["id"], title="x", kind="exam", due_on=day(3))
        changed = owner.made("update_item", item_id=item["id"], title="y")
        [listed] = owner.made("list_items")["data"]
        [next_item] = owner.made("get_course", course_id=course["id"])["next_items"]
        assert not [one for one in (item, changed, listed, next_item) if "readiness" in one]

    @each("zone", ["Etc/GMT+12", "Pacific/Kiritimati"])
    def test_an_exam_on_the_last_possible_day_works(
        self, owner: RestEntryPoint, owner_member: Member, course: Any, deck: Any, zone: str
    ) -> None:
        owner_member.time_zone = zone
        owner_member.save()
        item = owner.made("create_item", course_id=course["id"], title="x", kind="exam", due_on="9999-12-31")
        told = owner.made("get_item", item_id=item["id"])["readiness"]
        assert (told["on"], told["below_target"]) == ("9999-12-31", 2)


class TestAgenda:
    @pytest.mark.database("both")
    def test_the_agenda_has_it_for_the_first_three_exams_and_quizzes_with_cards(
        self, owner: RestEntryPoint, owner_member: Member, course: Any, known: Any
    ) -> None:
        """Courses without cards are skipped, as are items that are not exams, are past, or are too far ahead."""
        botany = Course.objects.create(member=owner_member, name="Botany")
        empty = Course.objects.create(member=owner_member, name="Empty")
        DeckFactory.create(member=owner_member, course=empty)
        cards: dict[str, list[Card]] = {}
        for one in (course["id"], str(botany.id)):
            deck = DeckFactory.create(member=owner_member, course_id=one, card_count=1)
            cards[one] = [known(deck, 10, len(cards) * 9 + 1.0)]
        due = [(course["id"], "exam", -1), (empty.id, "exam", 0), (course["id"], "paper", 1), (course["id"], "quiz", 2)]
        due += [(str(botany.id), "exam", 3), (str(botany.id), "other", 2), (course["id"], "exam", 5)]
        due += [(course["id"], "quiz", 6), (course["id"], "exam", 60)]
        items = [
            ItemFactory.create(member=owner_member, course_id=one, kind=kind, due_on=TODAY + timedelta(days=ahead))
            for one, kind, ahead in due
        ]
        answer = owner.made("get_agenda")
        assert len(answer["items"]) == 7
        assert not any("has_cards" in item for item in answer["items"])
        assert answer["readiness"] == [
            {"item_id": str(items[place].id), "title": items[place].title, "course_name": items[place].course.name}
            | answer_of(cards[due[place][0]], TODAY + timedelta(days=due[place][2]), "UTC", 0.9)
            for place in (3, 4, 6)
        ]

    def test_the_agenda_has_it_for_one_or_two_items(self, owner: RestEntryPoint, course: Any) -> None:
        made_deck(owner, course_id=course["id"])
        for number in (1, 2):
            owner.made("create_item", course_id=course["id"], title="x", kind="exam", due_on=day(number))
            told = owner.made("get_agenda")["readiness"]
            assert [one["on"] for one in told] == [day(ahead) for ahead in range(1, number + 1)]

    def test_another_members_cards_do_not_count(
        self, owner: RestEntryPoint, stranger: RestEntryPoint, course: Any
    ) -> None:
        theirs = stranger.made("create_course", name="Theirs")
        made_deck(stranger, course_id=theirs["id"])
        item = owner.made("create_item", course_id=course["id"], title="x", kind="exam", due_on=day(1))
        assert owner.made("get_agenda")["readiness"] == []
        assert owner.made("get_item", item_id=item["id"])["readiness"]["expected_recall"] is None


@pytest.mark.rest
def test_at_most_four_queries_are_needed(owner: RestEntryPoint, course: Any, django_assert_num_queries: Any) -> None:
    """Including the credential's. An agenda without cards needs no additional query."""
    item = owner.made("create_item", course_id=course["id"], title="x", kind="exam", due_on=day(1))
    with django_assert_num_queries(3):
        owner.made("get_agenda")
    deck = made_deck(owner, course_id=course["id"])
    with django_assert_num_queries(4):
        assert owner.made("get_agenda")["readiness"]
    with django_assert_num_queries(3):
        owner.made("get_item", item_id=item["id"])
    with django_assert_num_queries(3):
        readiness(owner, TODAY)
    with django_assert_num_queries(4):
        readiness(owner, TODAY, deck_id=deck["id"], include_cards="true")
