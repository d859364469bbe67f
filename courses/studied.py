"""The member's decks for studying, which courses request from the app with the cards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import NamedTuple, TypedDict
from uuid import UUID

from accounts.rows.access import Access
from courses.readiness_records import ReadinessRow
from studyservice.hooks import Hook


@dataclass(frozen=True, slots=True)
class StudiedDeck:
    """A deck with its unsuspended cards.

    Attributes:
        repeat: due cards in learning or relearning.
        due: due cards in review.
        new: cards without reviews.
        recall: exact expected recall of all its cards in percent, for each requested exam or quiz of its course on its
            day.
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


class Studied(NamedTuple):
    """The decks for studying.

    Attributes:
        decks: all decks, oldest first.
        readiness: for each exam or quiz with readiness.
        seconds_a_card: duration of one review, as returned.
        new_cards: number of new cards still allowed today, over all decks.
    """

    decks: list[StudiedDeck]
    readiness: dict[UUID, ReadinessRow]
    seconds_a_card: Fraction
    new_cards: int


_Days = Mapping[UUID, date]

STUDIED = Hook[Callable[[Access, datetime, _Days, _Days], Studied]]("STUDIED")
"""Arguments: the call, the time, the exams or quizzes that need readiness, and others that only need recall, each
with its day. One query.
"""


class Coming(TypedDict):
    """Upcoming reviews once no card is left.

    Attributes:
        next_at: the next due time of a begun card; None without one.
        later_today: number of cards due later today.
        tomorrow: number of cards due tomorrow, without new ones.
    """

    next_at: datetime | None
    later_today: int
    tomorrow: int


COMING = Hook[Callable[[Access, datetime], Coming]]("COMING")
"""Arguments: the call and the time. One query."""
