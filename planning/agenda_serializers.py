"""Requests and answers of get_item and get_agenda."""

from datetime import date
from typing import Annotated, Any, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.models import Item
from courses.serializers import ItemRow
from planning.serializers import MilestoneRow
from studyservice.operations.answers import answer, example_of, open_choice
from studyservice.operations.query_fields import QueryIntegerField
from studyservice.operations.serializers import Query
from vocab.exam_records import ReadinessRow, StudyPlanRow, minutes_field

LEAST_MINUTES, MOST_MINUTES = 5, 480

REASONS = ("repeat_now", "overdue", "due_in", "worth", "exam_in", "expected_recall", "due", "new", "weak")


class ItemQuery(Query):
    """Parameters of get_item."""

    minutes_a_day = minutes_field(
        "Of an exam or quiz due in 1 to 120 days: minutes a day for flashcards. The answer then has study_plan."
    )
    target = QueryIntegerField(
        min_value=50,
        max_value=99,
        required=False,
        help_text="Percent of the cards to know on the day of the exam, 95 unless sent; needs minutes_a_day.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject a target without a plan."""
        if "target" in attrs and "minutes_a_day" not in attrs:
            raise serializers.ValidationError({"target": ["Needs minutes_a_day, for which a plan is made."]})
        return attrs


@answer(
    item_id=example_of(ItemRow)["id"],
    title=example_of(ItemRow)["title"],
    course_name=example_of(ItemRow)["course_name"],
    **example_of(ReadinessRow),
)
class ItemReadinessRow(ReadinessRow):
    """Predicted recall of a course's cards on the day of an exam or a quiz."""

    item_id: Annotated[UUID, "The exam or quiz."]
    title: Annotated[str, "Its title."]
    course_name: Annotated[str, "The name of its course."]


@answer(Item, **example_of(ItemRow), readiness=example_of(ReadinessRow))
class ItemDetailRow(ItemRow):
    """A dated course item, with the readiness for it."""

    study_plan: NotRequired[
        Annotated[
            StudyPlanRow | None,
            "Only with minutes_a_day: what to study each day, and what will be known, if you answer as the model "
            "expects; null where the course has no cards to study.",
        ]
    ]
    readiness: Annotated[
        ReadinessRow | None,
        "Of an exam or a quiz due today or later: what the member will know on that day of all cards in the "
        "course's decks, if nothing is studied until then; else null.",
    ]


@answer(code="due_in", value=2, text="Due in 2 days")
class ReasonRow(TypedDict):
    """Why a step is proposed."""

    code: Annotated[
        str,
        open_choice("ReasonCode", REASONS),
        "Which reason it is: repeat_now, due and new are about cards, overdue and due_in about a date, "
        "exam_in about the next exam or quiz of the course, weak about a topic.",
    ]
    value: Annotated[
        float,
        "Of repeat_now, due and new how many cards of the deck there are in all; of overdue, due_in and "
        "exam_in days; of worth percent of the grade, of expected_recall of the cards, of weak of the attempts.",
    ]
    text: Annotated[str, "The same in words."]


@answer(
    position=1,
    kind="item",
    title="Problem set 5",
    course_name="Cell Biology",
    minutes=25,
    item_id=example_of(ItemRow)["id"],
    milestone_id=None,
    deck_id=None,
    cards=None,
    because=[example_of(ReasonRow), {"code": "worth", "value": 15, "text": "15 % of the grade"}],
)
class StepRow(TypedDict):
    """A step, and its duration."""

    position: Annotated[int, "Its place, from 1."]
    kind: Annotated[
        str,
        open_choice("StepKind", ("cards", "milestone", "item")),
        "cards of a deck or a topic, the first open milestone of an item, or the item itself.",
    ]
    title: Annotated[str, "The title of the milestone or item, the deck's name, or the topic."]
    course_name: Annotated[str | None, "The course's name."]
    minutes: Annotated[int, "Whole minutes: of work a slice of 25, of cards 5 to 20."]
    item_id: Annotated[UUID | None, "The item, also of a milestone."]
    milestone_id: Annotated[UUID | None, "The milestone."]
    deck_id: Annotated[UUID | None, "The deck; null of a topic whose deck is gone."]
    cards: Annotated[int | None, "How many cards of the deck fit; null of a topic."]
    because: Annotated[list[ReasonRow], "Why it is here, each code at most once."]


@answer(minutes=30, left_over=5, steps=[example_of(StepRow)])
class NowRow(TypedDict):
    """What to do in the available minutes."""

    minutes: Annotated[int, "The minutes asked about."]
    left_over: Annotated[int, "Minutes that no step takes."]
    steps: Annotated[list[StepRow], "What to do, in this order, at most 7 steps."]


class AgendaQuery(Query):
    """Parameters of get_agenda."""

    days = QueryIntegerField(min_value=1, max_value=120, default=14, help_text="How many days ahead to look.")
    minutes = QueryIntegerField(
        min_value=LEAST_MINUTES,
        max_value=MOST_MINUTES,
        required=False,
        help_text="Minutes that the member has now. The answer then has now: steps in order, each with its reasons, "
        "which do not depend on days.",
    )


@answer(
    today="2030-11-21",
    weekday="Thursday",
    until="2030-12-05",
    items=[example_of(ItemRow)],
    milestones=[example_of(MilestoneRow)],
    readiness=[example_of(ItemReadinessRow)],
    missed=[
        example_of(ItemRow)
        | {"title": "Problem set 4", "kind": "assignment", "due_on": "2030-11-18", "days_until": -3}
        | {"status": "missed"}
    ],
)
class AgendaRow(TypedDict):
    """What is due."""

    today: Annotated[date, "Today in the member's time zone."]
    weekday: Annotated[str, "The weekday of today, such as Monday."]
    until: Annotated[date, "The last day looked at."]
    items: Annotated[list[ItemRow], "Items due from today to until, soonest first."]
    milestones: Annotated[
        list[MilestoneRow],
        "Unfinished milestones due by until, overdue ones included, and undated ones of items in range.",
    ]
    readiness: Annotated[
        list[ItemReadinessRow],
        "For the first three exams and quizzes whose course has cards: what the member will recall of them "
        "on that day, if nothing is studied until then.",
    ]
    missed: Annotated[
        list[ItemRow],
        "Items of status missed that were due in the last 30 days, the newest 50, oldest first. One that was "
        "entered after its date is past, and never missed.",
    ]
    now: NotRequired[
        Annotated[
            NowRow,
            "Only with minutes: what to do in them, by a fixed order of rules about dates, worth and flashcards.",
        ]
    ]
