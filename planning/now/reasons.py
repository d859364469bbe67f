"""The reason for a step: a code, its value, and a text derived only from that value."""

from fractions import Fraction
from math import floor

from planning.agenda_serializers import ReasonRow


def repeat_now(cards: int) -> ReasonRow:
    """Number of due cards in learning or relearning."""
    return {"code": "repeat_now", "value": cards, "text": f"{_counted(cards, 'card')} to repeat now"}


def overdue(days: int) -> ReasonRow:
    """Days since the due date."""
    return {"code": "overdue", "value": days, "text": f"Overdue by {_counted(days, 'day')}"}


def due_in(days: int) -> ReasonRow:
    """Days until the due date."""
    return {"code": "due_in", "value": days, "text": f"Due {_in_days(days)}"}


def worth(percent: Fraction) -> ReasonRow:
    """Percent of the course's grade."""
    value = _rounded(percent)
    return {"code": "worth", "value": value, "text": f"{value:g} % of the grade"}


def exam_in(days: int) -> ReasonRow:
    """Days until the next exam or quiz of the deck's course."""
    return {"code": "exam_in", "value": days, "text": f"Exam or quiz {_in_days(days)}"}


def expected_recall(percent: Fraction) -> ReasonRow:
    """Expected recall of the deck on the day of the exam without studying, in percent."""
    value = _rounded(percent)
    return {"code": "expected_recall", "value": value, "text": f"{value:g} % of the cards remembered by then"}


def due(cards: int) -> ReasonRow:
    """Number of due cards in review."""
    return {"code": "due", "value": cards, "text": f"{_counted(cards, 'card')} due"}


def new(cards: int) -> ReasonRow:
    """Number of new cards still allowed today."""
    return {"code": "new", "value": cards, "text": f"{_counted(cards, 'new card')} for today"}


def weak(accuracy: float) -> ReasonRow:
    """Percent of correct attempts in the last 30 days."""
    return {"code": "weak", "value": accuracy, "text": f"{accuracy:g} % correct in the last 30 days"}


def _rounded(percent: Fraction) -> float:
    """Rounded half up to two places."""
    return floor(100 * percent + Fraction(1, 2)) / 100


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _in_days(days: int) -> str:
    return {0: "today", 1: "tomorrow"}.get(days, f"in {days} days")
