"""Plans for exams. Courses define the hook, and the app with the cards implements it."""

from datetime import date
from typing import Protocol
from uuid import UUID

from accounts.rows.access import Access
from courses.plan_records import FURTHEST, NEAREST, StudyPlanRow
from courses.statuses import EXAMINED
from studyservice.hooks import Hook
from studyservice.operations.errors import ValidationFailed


class StudyPlans(Protocol):
    """Makes plans from the cards of a course."""

    def __call__(
        self,
        access: Access,
        *,
        item_id: UUID,
        course_id: UUID,
        exam_on: date,
        minutes_a_day: int,
        target: int,
        without: float | None,
    ) -> StudyPlanRow | None:
        """The plan; None without cards. One query.

        Args:
            target: percent of the cards to know.
            without: expected percent without studying.
        """


STUDY_PLANS = Hook[StudyPlans]("STUDY_PLANS")


def has_plan(kind: str, due_on: date | None, today: date) -> bool:
    """Return whether such an item can have a plan."""
    return kind in EXAMINED and due_on is not None and NEAREST <= (due_on - today).days <= FURTHEST


def exam_day(field: str, kind: str, due_on: date | None, today: date) -> date:
    """The day of an item that can have a plan.

    Raises:
        ValidationFailed: the item cannot; names `field`.
    """
    if kind not in EXAMINED:
        raise ValidationFailed.of(field, "Plans are made for exams and quizzes, and this item is another kind.")
    if due_on is None or not NEAREST <= (due_on - today).days <= FURTHEST:
        raise ValidationFailed.of(field, f"Plans are made for exams and quizzes due in {NEAREST} to {FURTHEST} days.")
    return due_on
