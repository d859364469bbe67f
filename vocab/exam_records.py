"""Records of readiness on a day, and of the plan for an exam."""

from datetime import date
from typing import Annotated, TypedDict
from uuid import UUID

from courses.serializers import ItemRow
from studyservice.operations.answers import answer, example_of, one_of
from studyservice.operations.query_fields import QueryIntegerField

LEAST_MINUTES, MOST_MINUTES = 5, 600
USUAL_MINUTES = 20
"""Default minutes a day on pages."""

TARGET = 95
"""Default goal of a plan: percent of cards to recall."""


def minutes_field(help_text: str) -> QueryIntegerField:
    """The parameter `minutes_a_day`."""
    return QueryIntegerField(min_value=LEAST_MINUTES, max_value=MOST_MINUTES, required=False, help_text=help_text)


@answer(
    on="2030-12-03", cards=24, desired_retention=90, expected_recall=71.25, seen_recall=81.43, unseen=3, below_target=5
)
class ReadinessRow(TypedDict):
    """Predicted recall of some cards on a day, if nothing is studied until then."""

    on: Annotated[date, "The day; noon of it in the member's time zone counts."]
    cards: Annotated[int, "How many cards it is about."]
    desired_retention: Annotated[float, "The member's desired retention, in percent."]
    expected_recall: Annotated[
        float | None,
        "Percent of the cards that will be recalled if nothing is studied until then. Unseen cards count as "
        "0, so adding cards lowers it. Null without cards.",
    ]
    seen_recall: Annotated[float | None, "The same of the seen cards only; null if none was ever reviewed."]
    unseen: Annotated[int, "How many cards were never reviewed."]
    below_target: Annotated[
        int, "How many reviewed cards will be less likely recalled than the member's desired retention."
    ]


@answer(on="2030-11-21", new=2, due=9, last_look=0, minutes=3, over=0)
class PlanDayRow(TypedDict):
    """A day of a plan; of today what is left."""

    on: Annotated[date, "The day."]
    new: Annotated[int, "New cards to begin."]
    due: Annotated[int, "Cards that are due, if every answer before is good."]
    last_look: Annotated[int, "Cards to see once more before the exam."]
    minutes: Annotated[
        int,
        "Whole minutes that these take, rounded up; a new card counts three times. Minutes that were spent "
        "today are not deducted.",
    ]
    over: Annotated[int, "How many of them go beyond minutes_a_day."]


@answer(
    item_id=example_of(ItemRow)["id"],
    exam_on="2030-12-03",
    today="2030-11-21",
    planned_from="all",
    cards=24,
    seconds_a_card=12.0,
    seconds_from="assumed",
    last_look_from="2030-12-02",
    target=95,
    without=71.25,
    predicted=98.4,
    at_most=98.4,
    reaches_target=True,
    days=[example_of(PlanDayRow)],
)
class StudyPlanRow(TypedDict):
    """What to study each day until an exam, and what the member will then recall, if they answer as predicted."""

    item_id: Annotated[UUID, "The exam or quiz."]
    exam_on: Annotated[date, "Its day."]
    today: Annotated[date, "The member's today, the first of days."]
    planned_from: Annotated[
        str,
        one_of(["all", "sample"]),
        "Whether all cards were calculated, or of more than 500 a sample. Today is exact in both.",
    ]
    cards: Annotated[int, "Cards of the course's decks, without suspended ones."]
    seconds_a_card: Annotated[float, "Seconds that a review of a card takes."]
    seconds_from: Annotated[str, one_of(["measured", "assumed"]), "measured from 50 reviews with duration_ms on."]
    last_look_from: Annotated[
        date, "From this day on every card is seen once more, and nothing else is reviewed; it may be past."
    ]
    target: Annotated[int, "The target that was asked for, in percent."]
    without: Annotated[
        float | None, "Percent known at noon of the exam if nothing is studied: expected_recall of readiness."
    ]
    predicted: Annotated[float, "Percent known at noon of the exam with this plan, if you answer as the model expects."]
    at_most: Annotated[float, "The same with every last look on the day before the exam."]
    reaches_target: Annotated[bool, "Whether predicted is at least target."]
    days: Annotated[list[PlanDayRow], "Every day from today to the day before the exam."]
