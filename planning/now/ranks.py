"""The order of steps, and filling the available minutes: a function for each rank yields its candidates, best first.

| Rank | Step | Reasons |
|---|---|---|
| 1 | due learning and relearning cards | `repeat_now` |
| 2 | work overdue, or due today or tomorrow: by worth, high first; then by date | `overdue` or `due_in`, `worth` |
| 3 | due cards of a course with an exam or quiz within 7 days: by days to it, then by expected recall, low first | `exam_in`, `expected_recall` |
| 4 | other work due within 14 days, by worth / days left, high first | `due_in`, `worth` |
| 5 | other due cards, most due first | `due` |
| 6 | new cards still allowed today, starting with the deck with the next exam | `new` |
| 7 | a weak topic | `weak` |

An unknown worth counts as the mean of its course, and is no reason. Ties are broken by the date of the step, then by its age, then by its id.
"""  # noqa: E501

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from fractions import Fraction
from uuid import UUID

from planning.agenda_serializers import NowRow
from planning.now import reasons
from planning.now.candidates import LEAST_CARDS, Candidate, of_cards, of_topic, of_work
from planning.now.situation import Exam, Situation, Work
from vocab.studied import StudiedDeck

PRESSING = 1
"""Work due within this many days precedes cards."""

EXAM_WITHIN = 7
WORK_WITHIN = 14
NEW_CARD = 3
"""The factor by which a first review takes longer."""


def repeat_now(now: Situation) -> Iterator[Candidate]:
    """Rank 1: due learning and relearning cards. Decks with the most are first."""
    decks = sorted((deck for deck in now.decks if deck.repeat), key=lambda deck: (-deck.repeat, *_age(deck)))
    for deck in decks:
        yield of_cards(deck, deck.repeat, now.seconds_a_card, [reasons.repeat_now(deck.repeat)])


def pressing_work(now: Situation) -> Iterator[Candidate]:
    """Rank 2: work overdue, or due today or tomorrow. By worth, high first; then by date."""
    pressing = [work for work in now.work if now.days_to(work.due_on) <= PRESSING]
    pressing.sort(key=lambda work: (-now.assumed_worth(work.item), *_date(work)))
    for work in pressing:
        yield _of_work(now, work)


def cards_before_exam(now: Situation) -> Iterator[Candidate]:
    """Rank 3: due cards of a course with an exam or quiz within 7 days. By days to it, then by expected recall."""
    soon = [(exam, deck) for deck in now.decks if deck.due and (exam := _soon(now, deck)) is not None]
    soon.sort(key=lambda one: (one[0].day, one[1].recall[one[0].id], *_age(one[1])))
    for exam, deck in soon:
        because = [reasons.exam_in(now.days_to(exam.day)), reasons.expected_recall(deck.recall[exam.id])]
        yield of_cards(deck, deck.due, now.seconds_a_card, because)


def coming_work(now: Situation) -> Iterator[Candidate]:
    """Rank 4: other work due within 14 days. By worth / days left, high first."""

    def worth_a_day(work: Work) -> Fraction:
        return now.assumed_worth(work.item) / now.days_to(work.due_on)

    coming = [work for work in now.work if PRESSING < now.days_to(work.due_on) <= WORK_WITHIN]
    coming.sort(key=lambda work: (-worth_a_day(work), *_date(work)))
    for work in coming:
        yield _of_work(now, work)


def due_cards(now: Situation) -> Iterator[Candidate]:
    """Rank 5: other due cards. Decks with the most are first."""
    decks = [deck for deck in now.decks if deck.due and _soon(now, deck) is None]
    decks.sort(key=lambda deck: (-deck.due, *_age(deck)))
    for deck in decks:
        yield of_cards(deck, deck.due, now.seconds_a_card, [reasons.due(deck.due)])


def new_cards(now: Situation) -> Iterator[Candidate]:
    """Rank 6: new cards still allowed today over all decks. Decks with the next exam are first."""

    def exam_on(deck: StudiedDeck) -> date:
        exam = now.exam_of(deck)
        return date.max if exam is None else exam.day

    decks = sorted((deck for deck in now.decks if deck.new), key=lambda deck: (exam_on(deck), *_age(deck)))
    allowed = now.new_cards
    for deck in decks:
        cards = min(deck.new, allowed)
        allowed -= cards
        if cards:
            yield of_cards(deck, cards, NEW_CARD * now.seconds_a_card, [reasons.new(cards)])


def weak_topic(now: Situation) -> Iterator[Candidate]:
    """Rank 7: the first weak topic."""
    weak = now.weak_topic
    if weak is not None:
        yield of_topic(weak, [reasons.weak(weak.accuracy)])


def _soon(now: Situation, deck: StudiedDeck) -> Exam | None:
    """The next exam or quiz of the deck's course, if within 7 days."""
    exam = now.exam_of(deck)
    return exam if exam is not None and now.days_to(exam.day) <= EXAM_WITHIN else None


def _of_work(now: Situation, work: Work) -> Candidate:
    days = now.days_to(work.due_on)
    because = [reasons.overdue(-days) if days < 0 else reasons.due_in(days)]
    if work.item.worth is not None:
        because.append(reasons.worth(work.item.worth))
    return of_work(work, because)


def _date(work: Work) -> tuple[date, datetime, UUID]:
    return work.due_on, work.of.created_at, work.of.id


def _age(deck: StudiedDeck) -> tuple[datetime, UUID]:
    return deck.created_at, deck.id


MOST_STEPS = 7

_UNTIL_ONE_DOES_NOT_FIT: Sequence[Callable[[Situation], Iterable[Candidate]]] = (
    pressing_work,
    cards_before_exam,
    coming_work,
    due_cards,
    new_cards,
)


def what_now(now: Situation, minutes: int) -> NowRow:
    """The steps for these minutes.

    Rank 1 has a third of them and skips steps that no longer fit. After that, filling stops at the first step that does
    not fit, so that more minutes never change the order.
    """
    row: NowRow = {"minutes": minutes, "left_over": minutes, "steps": []}
    third = max(LEAST_CARDS, minutes // 3)
    for candidate in repeat_now(now):
        third -= _add(row, candidate, third)
    if all(_add(row, candidate, row["left_over"]) for rank in _UNTIL_ONE_DOES_NOT_FIT for candidate in rank(now)):
        decks = {step["deck_id"] for step in row["steps"] if step["deck_id"]}
        for candidate in weak_topic(now):
            if candidate.deck_id not in decks:
                _add(row, candidate, row["left_over"])
    return row


def _add(row: NowRow, candidate: Candidate, left: int) -> int:
    """Add the step. Return its minutes, or 0 if it does not fit or the maximum number of steps is reached."""
    minutes = candidate.minutes(left) if len(row["steps"]) < MOST_STEPS else 0
    if minutes:
        row["left_over"] -= minutes
        row["steps"].append(
            {
                "position": len(row["steps"]) + 1,
                "kind": candidate.kind,
                "title": candidate.title,
                "course_name": candidate.course_name,
                "minutes": minutes,
                "item_id": candidate.item_id,
                "milestone_id": candidate.milestone_id,
                "deck_id": candidate.deck_id,
                "cards": candidate.cards_in(minutes),
                "because": list(candidate.because),
            }
        )
    return minutes
