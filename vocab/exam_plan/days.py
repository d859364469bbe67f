"""The days of a plan as instants: their starts and their noons, in the member's time zone."""

from bisect import bisect_right
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from vocab.exam_plan.memory import MICROSECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - _EPOCH) // MICROSECOND


class Days:
    """The days from `today` to the exam, counted from 0. The exam is on day `number`.

    Attributes:
        noons: 12:00 of each day, including that of the exam.
    """

    def __init__(self, today: date, exam_on: date, zone: ZoneInfo) -> None:
        self.number = (exam_on - today).days
        self._today, self._zone = today, zone
        days = [today + timedelta(days=day) for day in range(self.number + 1)]
        self.noons = [self._at(day, time(12)) for day in days]
        self._begins = [self._at(day, time(0)) for day in days]

    def begin(self, day: int) -> int:
        """The start of a day, which may be long past."""
        return self._at(self._today + timedelta(days=day), time(0))

    def of(self, at: int) -> int:
        """The day of an instant: 0 if it is past, and `number` from the exam on."""
        return max(0, bisect_right(self._begins, at) - 1)

    def _at(self, day: date, hour: time) -> int:
        return instant(datetime.combine(day, hour, self._zone))
