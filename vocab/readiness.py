"""Predict the recall of cards on a future day without studying, by FSRS's retrievability.

The database calculates it for every card and returns sums, so that fifty thousand cards become one row per deck. The
formula and its parameters are those of the `fsrs` package, and a test compares the two card by card.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Annotated, Any, TypedDict, cast
from uuid import UUID

from django.db.models import Case, Count, DateTimeField, Exists, F, FloatField, OuterRef, Q, QuerySet, Sum, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Greatest, Power
from django.db.models.lookups import GreaterThan

from courses.models import Item
from practice.stats import percent
from studyservice.database.expressions import WholeDays
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param
from studyservice.operations.errors import ValidationFailed
from studyservice.rows.access import Access, MemberSelect
from vocab import scheduling
from vocab.exam_plan.memory import FORGETTING_DECAY, FORGETTING_FACTOR, LEAST_STABILITY
from vocab.exam_records import ReadinessRow
from vocab.models import Card, Deck
from vocab.serializers import CardRow, ListedCardRow

MOST_AT_ONCE = 3
"""Maximum number of items with readiness in one call."""

FURTHEST = timedelta(days=365)
"""Maximum number of days ahead for readiness."""

_LAST_DAY = date.max - timedelta(days=1)
"""Noon of the following day may exceed the last instant in UTC."""


def recall(last: Combinable, stability: Combinable, noon: Combinable) -> Combinable:
    """The probability (0 to 1) of recalling a card at `noon`, from its last review and stability."""
    curve = 1.0 + FORGETTING_FACTOR * WholeDays(last, noon) / _divisor(stability)
    return Power(curve, FORGETTING_DECAY, output_field=FloatField())


def below_target(last: Combinable, stability: Combinable, noon: Combinable) -> Combinable:
    """Return whether the elapsed days exceed the given multiple of the stability, after which recall is below the
    target.
    """
    return GreaterThan(WholeDays(last, noon) / _divisor(stability), Param("times", FloatField()))


def _divisor(stability: Combinable) -> Combinable:
    """Prevent division by 0 or by tiny numbers, for any stored value."""
    return Greatest(stability, LEAST_STABILITY, output_field=FloatField())


class CardSums(TypedDict):
    """Sums over cards."""

    cards: Annotated[int, At("all_cards")]
    reviewed: int
    recalled: float
    below_target: Annotated[int, At("below")]


class _Sums(CardSums):
    """Sums of a deck, or of the decks of an item's course."""

    id: UUID


def _summed(rows: QuerySet[Card] | QuerySet[Item], by: str, noon: Combinable, cards: str = "") -> MemberSelect[_Sums]:
    """Sums over the cards of each `by`. `cards` is the path to them, like `cards__`."""
    last, stability = F(f"{cards}last_reviewed_at"), F(f"{cards}stability")
    seen = Q(**{f"{cards}last_reviewed_at__isnull": False, f"{cards}stability__isnull": False})
    summed = (
        rows.order_by()
        .values(by)
        .annotate(
            all_cards=Count(f"{cards}position"),
            reviewed=Count(f"{cards}position", filter=seen),
            recalled=Coalesce(Sum(recall(last, stability, noon), filter=seen), 0.0, output_field=FloatField()),
            below=Count(f"{cards}position", filter=seen & Q(below_target(last, stability, noon))),
        )
    )
    return MemberSelect[_Sums](summed, columns_of_row(_Sums) | {"id": by})


def _by_item(number: int) -> MemberSelect[_Sums]:
    """Sums over the cards of the courses of these items, each at its own noon."""
    wanted = [Q(id=Param(f"item_{place}")) for place in range(number)]
    noons = [Param(f"noon_{place}", DateTimeField()) for place in range(number)]
    noon_of_item = Case(
        *(When(one, then=noon) for one, noon in zip(wanted[1:], noons[1:], strict=True)),
        default=noons[0],
        output_field=DateTimeField(),
    )
    items = Item.rows.declared.filter(
        Q(*wanted, _connector=Q.OR),
        course__member_id=Param("member_id"),
        course__decks__member_id=Param("member_id"),
        course__decks__cards__member_id=Param("member_id"),
        course__decks__cards__suspended=False,
    )
    return _summed(items, "id", noons[0] if number == 1 else noon_of_item, "course__decks__cards__")


_CARDS = Card.rows.declared.filter(suspended=False)
_NOON = Param("noon", DateTimeField())
_BY_DECK = _summed(_CARDS, "deck_id", _NOON)
_OF_DECK = _summed(_CARDS.filter(deck_id=Param("deck_id")), "deck_id", _NOON)
_BY_ITEM = {number: _by_item(number) for number in range(1, MOST_AT_ONCE + 1)}
_ASKED = Card.rows.whole.filter(deck_id=OuterRef("id"), suspended=False)
HAS_CARDS = Exists(Deck.rows.whole.filter(Exists(_ASKED), course_id=OuterRef("course_id"), card_count__gt=0))
"""Condition for a statement over items: the decks of the item's course have unsuspended cards."""


def deck_readiness(access: Access, on: date, deck_id: UUID | None = None) -> dict[UUID, ReadinessRow]:
    """The readiness of every deck with cards, or only of `deck_id`, on a day. One query.

    Raises:
        ValidationFailed: `on` is past, or more than a year ahead.
    """
    today = access.today()
    if not today <= on <= today + FURTHEST:
        raise ValidationFailed.of("on", f"Must be a day from {today}, the member's today, to {today + FURTHEST}.")
    given = {"noon": noon_of(access, on), "times": times_to_target(access)}
    found = _BY_DECK.all(access, **given) if deck_id is None else _OF_DECK.all(access, **given, deck_id=deck_id)
    return {sums["id"]: told(access, on, sums) for sums in found}


def no_cards(access: Access, on: date) -> ReadinessRow:
    """The readiness without any cards."""
    return {
        "on": on,
        "cards": 0,
        "desired_retention": percent(access.member.desired_retention),
        "expected_recall": None,
        "seen_recall": None,
        "unseen": 0,
        "below_target": 0,
    }


def with_recall(access: Access, on: date, cards: list[CardRow]) -> list[ListedCardRow]:
    """`cards` themselves, each with its `recall` on a day, calculated in Python as the cards are already loaded."""
    at = noon_of(access, on)
    rows = cast("list[ListedCardRow]", cards)
    for row in rows:
        probability = recall_of(row, at)
        row["recall"] = None if probability is None else percent(probability)
    return rows


def recall_of(card: CardRow, at: datetime) -> float | None:
    """The probability (0 to 1) of recalling a card at an instant; None of a new card."""
    stability, last = card["stability"], card["last_reviewed_at"]
    return None if stability is None or last is None else scheduling.recall(max(stability, LEAST_STABILITY), last, at)


def item_readiness(access: Access, days: Mapping[UUID, date]) -> dict[UUID, ReadinessRow]:
    """The readiness for at most `MOST_AT_ONCE` items, each on its day. One query."""
    given: dict[str, Any] = {"times": times_to_target(access)}
    for place, (item_id, day) in enumerate(days.items()):
        given |= {f"item_{place}": item_id, f"noon_{place}": noon_of(access, day)}
    found = {sums["id"]: sums for sums in _BY_ITEM[len(days)].all(access, **given)}
    return {
        item_id: told(access, day, found[item_id]) if item_id in found else no_cards(access, day)
        for item_id, day in days.items()
    }


def noon_of(access: Access, day: date) -> datetime:
    """12:00 of the day in the member's time zone."""
    return scheduling.local_time(access, min(day, _LAST_DAY), 12)


def times_to_target(access: Access) -> float:
    """The days until a card's recall falls to the member's target, as a multiple of its stability."""
    return float((access.member.desired_retention ** (1 / FORGETTING_DECAY) - 1) / FORGETTING_FACTOR)


def told(access: Access, on: date, sums: CardSums) -> ReadinessRow:
    """The readiness for that day."""
    return {
        "on": on,
        "cards": sums["cards"],
        "desired_retention": percent(access.member.desired_retention),
        "expected_recall": percent(sums["recalled"], sums["cards"]),
        "seen_recall": percent(sums["recalled"], sums["reviewed"]) if sums["reviewed"] else None,
        "unseen": sums["cards"] - sums["reviewed"],
        "below_target": sums["below_target"],
    }
