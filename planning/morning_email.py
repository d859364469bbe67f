"""The content of the morning e-mail, from the same data as the page `/`."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from courses.item_rows import EXAMINED
from courses.models import ItemStatus
from courses.serializers import ItemRow
from planning.agenda import look_ahead
from planning.agenda_serializers import AgendaRow
from planning.serializers import MilestoneRow
from studyservice.rows.access import Access
from vocab.plans import has_plan
from vocab.studied import cards_left

DAYS = 2
"""Number of days after today whose items and steps are listed."""

EXAM_DAYS = 7
"""Number of days after today whose exams and quizzes are listed."""

MOST_LINES = 20
"""Maximum number of lines below a heading."""


class Section(NamedTuple):
    """A heading with lines. `more` is the number of further ones."""

    heading: str
    lines: Sequence[str]
    more: int


class MorningEmail(NamedTuple):
    """The subject, and the data of the text."""

    subject: str
    sections: Sequence[Section]
    cards: int

    def text(self, off_link: str) -> str:
        """Return the text with the link that turns the e-mail off."""
        context = {**self._asdict(), "base_url": settings.BASE_URL, "off_link": off_link}
        return render_to_string("planning/email/morning.txt", context)


class _Line(NamedTuple):
    """An item or a step.

    Attributes:
        time: empty without one.
        kind: an item's kind.
        study: the address of the page where the cards of an exam can be studied for it; empty without one.
    """

    day: date
    time: str
    text: str
    kind: str = ""
    study: str = ""


class _Lists(NamedTuple):
    """Lines, soonest first. Exams and quizzes of the next days are among those due, too."""

    due: list[_Line]
    overdue: list[_Line]
    exams: list[_Line]


def morning_email(access: Access) -> MorningEmail | None:
    """Return the e-mail of this moment, or None if there is nothing to tell. Three queries."""
    ahead = look_ahead(access, days=EXAM_DAYS, minutes=0)
    today = ahead.agenda["today"]
    lists = _lists(ahead.agenda)
    cards = cards_left(ahead.situation.decks, ahead.situation.new_cards)
    if not (any(lists) or cards):
        return None
    return MorningEmail(_subject(today, lists, cards), list(_sections(today, lists)), cards)


def _lists(agenda: AgendaRow) -> _Lists:
    today = agenda["today"]
    last = today + timedelta(days=DAYS)
    items = [item for item in agenda["items"] if item["status"] == ItemStatus.OPEN]
    lines = [_item(item) for item in [*agenda["missed"], *items]] + [_step(step) for step in agenda["milestones"]]
    dated = sorted((line for line in lines if line), key=lambda line: line.day)
    with_cards = {one["item_id"] for one in agenda["readiness"] if one["cards"]}
    exams = [
        line._replace(study=_study(item, today) if item["id"] in with_cards else "")
        for item in items
        if item["kind"] in EXAMINED and (line := _item(item))
    ]
    return _Lists(
        due=[line for line in dated if today <= line.day <= last],
        overdue=[line for line in dated if line.day < today],
        exams=exams,
    )


def _subject(today: date, lists: _Lists, cards: int) -> str:
    """Return the numbers, after the kinds of today's and tomorrow's exams and quizzes.

    Titles stay in the text, since lock screens show subjects.
    """
    near = {today: "today", today + timedelta(days=1): "tomorrow"}
    exams = dict.fromkeys(f"{line.kind} {near[line.day]}" for line in lists.exams if line.day in near)
    due_today = sum(line.day == today for line in lists.due)
    last = today + timedelta(days=DAYS)
    numbers = {
        "due today": due_today,
        f"due by {last:%A}": len(lists.due) - due_today,
        "overdue": len(lists.overdue),
        "exam or quiz within a week" if len(lists.exams) == 1 else "exams and quizzes within a week": len(lists.exams),
        "flashcard" if cards == 1 else "flashcards": cards,
    }
    told = [*exams, *(f"{number} {what}" for what, number in numbers.items() if number)]
    return f"{today:%A}: {', '.join(told)}"


def _sections(today: date, lists: _Lists) -> Iterator[Section]:
    near = {today: "Today, ", today + timedelta(days=1): "Tomorrow, "}
    for number in range(DAYS + 1):
        day = today + timedelta(days=number)
        if lines := [f"{line.time} {line.text}".strip() for line in lists.due if line.day == day]:
            yield _section(f"{near.get(day, '')}{day:%A} {day.day} {day:%B}", lines)
    if lists.overdue:
        yield _section("Overdue", [f"{line.text}, since {_short(line.day)}" for line in lists.overdue])
    if lists.exams:
        yield _section("Exams and quizzes in the next week", [_exam(line, today) for line in lists.exams])


def _section(heading: str, lines: Sequence[str]) -> Section:
    return Section(heading, lines[:MOST_LINES], max(0, len(lines) - MOST_LINES))


def _item(item: ItemRow) -> _Line | None:
    day, kind = item["due_on"], item["kind"]
    if day is None:
        return None
    named = f"{kind}, " if kind in EXAMINED else ""
    return _Line(day, item["due_time"] or "", f"{item['title']} ({named}{item['course_name']})", kind)


def _step(step: MilestoneRow) -> _Line | None:
    day = step["due_on"]
    return None if day is None else _Line(day, "", f"{step['title']}, for {step['item_title']} ({step['course_name']})")


def _study(item: ItemRow, today: date) -> str:
    """Return the address of the page with a plan for the exam; empty if it has none."""
    is_planned = has_plan(item["kind"], item["due_on"], today)
    return f"{settings.BASE_URL}{reverse('item', args=[item['id']])}" if is_planned else ""


def _exam(line: _Line, today: date) -> str:
    at = f" at {line.time}" if line.time else ""
    days = (line.day - today).days
    when = {0: "today", 1: "tomorrow"}.get(days, f"in {days} days")
    study = f". Study for it: {line.study}" if line.study else ""
    return f"{line.text}, {_short(line.day)}{at}, {when}{study}"


def _short(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"
