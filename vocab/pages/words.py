"""Times until a card is due, in words."""

from datetime import date, datetime, timedelta

_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_HOUR = 60
_MOST_DAYS = 30
"""Later due dates are shown as a date."""

_WITHOUT_YEAR = 300
"""Days ahead up to which a date is shown without the year."""


def until(now: datetime, due_at: datetime) -> str:
    """`10 min`, `tomorrow`, `8 days` or a date; both times in the member's time zone."""
    left = due_at - now
    if left < _DAY:
        minutes = max(1, -(-left // _MINUTE))
        return f"{minutes} min" if minutes < _HOUR else f"{minutes // _HOUR} h"
    days = left // _DAY
    if days == 1:
        return "tomorrow"
    return f"{days} days" if days <= _MOST_DAYS else _day(due_at.date(), now.date())


def _day(day: date, today: date) -> str:
    """`8 Feb`, with the year if it would be ambiguous."""
    return f"{day.day} {day:%b}" if (day - today).days <= _WITHOUT_YEAR else f"{day.day} {day:%b %Y}"


def due_in_words(now: datetime, due_at: datetime) -> str:
    """`due now`, `due today at 15:05`, `due tomorrow`, `due in 8 days` or `due 8 Feb`, in the member's time zone."""
    if due_at <= now:
        return "due now"
    days = (due_at.date() - now.date()).days
    if days > _MOST_DAYS:
        return f"due {_day(due_at.date(), now.date())}"
    return {0: f"due today at {due_at:%H:%M}", 1: "due tomorrow"}.get(days, f"due in {days} days")
