"""The member's decks for studying, with the readiness for exams and quizzes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

from django.db.models import (
    Case,
    DateTimeField,
    F,
    Field,
    FilteredRelation,
    FloatField,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.expressions import Combinable

from studyservice.database.rows import At
from studyservice.database.statements import Param, aggregated
from studyservice.rows.access import Access, MemberSelect
from vocab.decks import BEGUN_TODAY, DUE, DUE_COUNT, NEW_COUNT, OF_THIS, new_left
from vocab.exam_records import ReadinessRow
from vocab.models import Card, CardState, Deck
from vocab.plans import told_seconds
from vocab.readiness import below_target, no_cards, noon_of, recall, times_to_target, told

_NONE = UUID(int=0)
"""A placeholder id if no exam is requested."""

_AS_READ: "Field[Any, Any]" = Field()
"""A number that the driver returns unchanged."""


@dataclass(frozen=True, slots=True)
class StudiedDeck:
    """A deck with its unsuspended cards.

    Attributes:
        repeat: due cards in learning or relearning.
        due: due cards in review.
        new: cards without reviews.
        recall: exact expected recall of all its cards in percent, for each requested exam or quiz of its course on its
            day.
        has_ended: whether its course has ended, so that what looks ahead leaves it out.
    """

    id: UUID
    course_id: UUID | None
    course_name: str | None
    name: str
    created_at: datetime
    repeat: int
    due: int
    new: int
    recall: dict[UUID, Fraction]
    has_ended: bool = False


class Studied(NamedTuple):
    """The decks for studying.

    Attributes:
        decks: all decks, oldest first.
        readiness: for each exam or quiz with readiness.
        seconds_a_card: duration of one review, as returned.
        new_cards: number of new cards still allowed today, over all decks.
        begun_today: number of new cards begun today, in all decks.
    """

    decks: list[StudiedDeck]
    readiness: dict[UUID, ReadinessRow]
    seconds_a_card: Fraction
    new_cards: int
    begun_today: int

    @property
    def open_decks(self) -> list[StudiedDeck]:
        """The decks for what looks ahead: those of no course, or of one that has not ended."""
        return [deck for deck in self.decks if not deck.has_ended]


def cards_left(decks: Sequence[StudiedDeck], new_cards: int) -> int:
    """The number of cards to study now in these decks, with at most `new_cards` new ones."""
    return sum(deck.repeat + deck.due for deck in decks) + min(sum(deck.new for deck in decks), new_cards)


class _Row(TypedDict):
    """A deck and an exam of its course, or none.

    Without an exam it has no sums. The two sums used only for readiness exist only for exams with readiness.
    """

    id: UUID
    name: str
    course_id: UUID | None
    course_name: Annotated[str | None, At("its_course__name")]
    has_ended: Annotated[bool | None, At("its_course__archived")]
    created_at: datetime
    repeat: int
    due: int  # the others of the two, too
    new: int
    begun_today: Annotated[int | None, At("begun")]
    exam_id: Annotated[UUID | None, At("exam__id")]
    cards: Annotated[int, At("cards_in_all")]
    reviewed: int
    recalled: float | None
    below_target: Annotated[int, At("below")]


def studied(access: Access, at: datetime, days: Mapping[UUID, date], others: Mapping[UUID, date]) -> Studied:
    """The decks for studying now, and what their cards promise for exams. One query.

    Readiness is that of the exams of `days`, each on its day; the expected recall is of those days and of `others`.
    """
    exams = {**days, **others} or {_NONE: access.member.date_at(at)}
    given: dict[str, Any] = {"times": times_to_target(access)}
    for place, (item_id, day) in enumerate(exams.items()):
        given |= {f"item_{place}": item_id, f"noon_{place}": noon_of(access, day)}
    statement = _decks(max(1, len(days)), len(exams))
    rows = statement.all(access, now=at, today=access.member.date_at(at), **given)
    decks: dict[UUID, StudiedDeck] = {}
    examined: dict[UUID, list[_Row]] = defaultdict(list)
    for row in rows:
        deck = decks.get(row["id"]) or _deck(row)
        decks[deck.id] = deck
        if row["exam_id"] is not None and row["cards"]:
            deck.recall[row["exam_id"]] = 100 * Fraction(row["recalled"] or 0) / row["cards"]
            examined[row["exam_id"]].append(row)
    seconds, _ = told_seconds(access)
    begun_today = (rows[0]["begun_today"] if rows else None) or 0
    return Studied(
        decks=list(decks.values()),
        readiness={item_id: _readiness(access, day, examined[item_id]) for item_id, day in days.items()},
        seconds_a_card=Fraction(seconds),
        new_cards=new_left(access, begun_today),
        begun_today=begun_today,
    )


def _deck(row: _Row) -> StudiedDeck:
    return StudiedDeck(
        id=row["id"],
        course_id=row["course_id"],
        course_name=row["course_name"],
        name=row["name"],
        created_at=row["created_at"],
        repeat=row["repeat"],
        due=row["due"] - row["new"] - row["repeat"],
        new=row["new"],
        recall={},
        has_ended=bool(row["has_ended"]),
    )


def _readiness(access: Access, day: date, rows: list[_Row]) -> ReadinessRow:
    """The sums over the cards of all these decks."""
    if not rows:
        return no_cards(access, day)
    return told(
        access,
        day,
        {
            "cards": sum(row["cards"] for row in rows),
            "reviewed": sum(row["reviewed"] for row in rows),
            "recalled": sum(row["recalled"] or 0 for row in rows),
            "below_target": sum(row["below_target"] for row in rows),
        },
    )


@cache
def _decks(told: int, number: int) -> MemberSelect[_Row]:
    """Each deck with the given exams of its course, each at its own noon.

    Sums exist only with an exam, and those used only for readiness for the first `told` exams.
    """
    exams = [Q(course__items__id=Param(f"item_{place}")) for place in range(number)]
    noons = [
        When(exam__id=Param(f"item_{place}"), then=Param(f"noon_{place}", DateTimeField())) for place in range(number)
    ]
    with_exam = Q(exam__id__isnull=False)
    with_readiness = Q(*(Q(exam__id=Param(f"item_{place}")) for place in range(told)), _connector=Q.OR)
    mine = Q(course__member_id=Param("member_id"))
    seen = OF_THIS.filter(last_reviewed_at__isnull=False, stability__isnull=False)
    last, stability, noon = F("last_reviewed_at"), F("stability"), OuterRef("noon")
    decks = Deck.rows.declared.annotate(
        its_course=FilteredRelation("course", condition=mine),
        exam=FilteredRelation(
            "course__items",
            condition=Q(*exams, _connector=Q.OR) & Q(course__items__member_id=Param("member_id")) & mine,
        ),
        repeat=aggregated(DUE.filter(state__in=[CardState.LEARNING, CardState.RELEARNING]), "COUNT", "due_at"),
        due=DUE_COUNT,
        new=NEW_COUNT,
        begun=BEGUN_TODAY,
        noon=Case(*noons, output_field=DateTimeField()),
        cards_in_all=_where(with_exam, aggregated(OF_THIS, "COUNT", "due_at")),
        reviewed=_where(with_readiness, aggregated(seen, "COUNT", "due_at")),
        recalled=_where(with_exam, _sum(seen, recall(last, stability, noon))),
        below=_where(with_readiness, aggregated(seen.filter(below_target(last, stability, noon)), "COUNT", "due_at")),
    )
    return MemberSelect(decks.order_by("created_at", "id"), _Row)


def _where(condition: Q, sums: Subquery) -> Case:
    """Null unless the condition holds."""
    return Case(When(condition, then=sums), output_field=_AS_READ)


def _sum(cards: QuerySet[Card], value: Combinable) -> Subquery:
    summed = Func(value, function="SUM", output_field=FloatField())
    return Subquery(cards.order_by().annotate(summed=summed).values("summed"))
