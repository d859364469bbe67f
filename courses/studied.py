"""The member's decks to study, which courses asks the app with the cards for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import NamedTuple
from uuid import UUID

from accounts.models import Member
from courses.readiness_records import ReadinessRow
from studyservice.hooks import Hook


@dataclass(frozen=True, slots=True)
class StudiedDeck:
    """A deck, with its cards that are not suspended.

    Attributes:
        repeat: cards in learning or relearning that are due.
        due: cards in review that are due.
        new: cards never reviewed.
        recall: expected recall of all its cards in percent, exact, by the exams and quizzes of its course that were
            asked about, on the day of each.
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
    """The decks to study.

    Attributes:
        decks: all of them, oldest first.
        readiness: for each exam or quiz whose readiness is told.
        seconds_a_card: of one review, as it is told.
        new_cards: how many of them today still allows, over all decks.
    """

    decks: list[StudiedDeck]
    readiness: dict[UUID, ReadinessRow]
    seconds_a_card: Fraction
    new_cards: int


_Days = Mapping[UUID, date]

STUDIED = Hook[Callable[[Member, datetime, _Days, _Days], Studied]]("STUDIED")
"""Given the member, the moment, the exams or quizzes whose readiness is told, and others whose recall is asked for,
each with its day; one query.
"""
