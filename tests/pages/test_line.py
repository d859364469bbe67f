"""What the line of *Add* is read as. `lines.txt` has a line for each rule."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from courses.serializers import CourseRow
from planning.line import Line, read_line
from tests.support.cases import each
from tests.support.properties import examples

pytestmark = pytest.mark.database("sqlite", "reads texts")

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
_NAMES = {
    "World History": "HIST 101",
    "Cell Biology": "BIO 210",
    "Biochemistry": "BIOC 300",
    "Algorithms": "6.006",
    "Calculus 3": None,
    "École d'été": None,
    "Women's Studies": None,
}
COURSES = [
    cast("CourseRow", {"id": UUID(int=number), "name": name, "code": code})
    for number, (name, code) in enumerate(_NAMES.items())
]
_TEXT = Path(__file__).with_name("lines.txt").read_text(encoding="utf-8")
LINES = [line.replace(r"\t", "\t").split(" -> ") for line in _TEXT.splitlines() if line and not line.startswith("# ")]


def told(read: Line) -> str:
    course = read.course["name"] if read.course else "?" if read.why else "-"
    return " | ".join([read.title, read.kind, str(read.due_on or "-"), read.due_time or "-", course])


def test_the_table_has_every_rule() -> None:
    assert len(LINES) > 140


@each(("line", "read_as"), LINES)
def test_a_line_is_read(line: str, read_as: str) -> None:
    assert told(read_line(line, COURSES, NOW)) == read_as


@each(("name", "code"), [("Math", None), ("Numbers", "MATH")])
def test_an_exact_name_or_code_goes_before_beginnings(name: str, code: str | None) -> None:
    courses = [COURSES[0] | {"name": "Mathematics", "code": "MATH 1"}, COURSES[1] | {"name": name, "code": code}]
    read = read_line("Quiz #math", courses, NOW)
    assert read.course == courses[1]


def test_the_only_course_is_taken_without_its_name() -> None:
    assert read_line("Quiz", COURSES[:1], NOW).course == COURSES[0]


def test_a_wrong_name_asks_even_for_the_only_course() -> None:
    read = read_line("Quiz #chemistry", COURSES[:1], NOW)
    assert (read.course, bool(read.why)) == (None, True)


def test_without_courses_there_is_none_to_choose() -> None:
    read = read_line("Quiz", [], NOW)
    assert (read.course, read.why) == (None, "")


@each(("now", "due_on"), [("12:00:00", "2026-11-28"), ("12:00:01", "2026-11-29")])
def test_a_time_has_gone_by_once_its_minute_has_begun(now: str, due_on: str) -> None:
    read = read_line("Quiz 12:00", COURSES, datetime.fromisoformat(f"2026-11-28T{now}Z"))
    assert str(read.due_on) == due_on


def test_the_last_evening_of_a_year_leads_into_the_next() -> None:
    read = read_line("Quiz 9:00", COURSES, datetime(2026, 12, 31, 22, tzinfo=UTC))
    assert str(read.due_on) == "2027-01-01"


@each(
    ("line", "stayed"),
    [
        ("Midterm exam 12/6 9:00", "12/6"),
        ("Midterm 12/16/2026", "12/16/2026"),
        ("Quiz Fri noon", "noon"),
        ("Lab Tue 10am to 12pm", "10am"),
        ("Lab Tue 10am-12pm", "10am-12pm"),
        ("Lab 9:00-10:50 Mon", "9:00-10:50"),
        ("Lab 17h30", "17h30"),
        ("Lab 11.30", "11.30"),
        ("Essay in two weeks", "in two weeks"),
        ("Standup next Tuesday", "next"),
        ("Standup next week", "next week"),
        ("Essay due the 5th", "the 5th"),
        ("Essay Thurs", "Thurs"),
        ("Lab Mon/Wed", "Mon/Wed"),
        ("Essay Fri 12 Dec", "Fri"),
        ("Essay 31 Feb 25:00", "31 Feb 25:00"),
        ("Read by Mon, essay by Fri", "Mon"),
        ("Essay Fri 17:00 #history", ""),
        ("Chapter 3.4, next chapter, 1st draft, C++17, 2026 Fri", ""),
        ("Problem set 4 Dec 12", ""),
        ("Fridays in May, 24h take-home, unit 2.10", ""),
        ('Read "12/6 at noon" Fri', ""),
    ],
)
def test_what_looks_like_a_date_or_time_but_stayed_in_the_title_is_told(line: str, stayed: str) -> None:
    assert read_line(line, COURSES, NOW).stayed == stayed


_WORDS = sorted({word for line, _ in LINES for word in line.split()})
_MARKS = [
    " ",
    " ",
    "\t",
    "\0",
    "\u2028",
    '"',
    "“",
    "”",
    ",",
    "(",
    ")",
    "\u017fun",
    "fr\u0130",
    "\uff11\uff17:\uff10\uff10",
]
_PIECES = st.lists(st.sampled_from([*_WORDS, *_MARKS]))
_ANY_TEXT = st.one_of(st.text(), _PIECES.map("".join), _PIECES.map(" ".join))


@given(line=_ANY_TEXT)
@examples(3000)
def test_any_text_is_read(line: str) -> None:
    """Nothing is invented: the title has the line's characters in their order, without white space."""
    read = read_line(line, COURSES, NOW)
    rest: Any = iter("".join(line.split()))
    assert all(character in rest for character in "".join(read.title.split()))
    assert read.due_time is None or read.due_on is not None


@given(text=_ANY_TEXT.filter(lambda text: '"' not in text))
@examples(1200)
def test_a_quoted_line_is_its_title(text: str) -> None:
    read = read_line(f'"{text}"', COURSES, NOW)
    assert (read.title, read.due_on, read.due_time, read.course) == (text.strip(), None, None, None)


@given(line=_ANY_TEXT)
@examples(600)
def test_a_title_that_was_read_is_quoted_to_stay(line: str) -> None:
    """What one line leaves as its title, quoted, is left again, so that an item can be entered anew."""
    title = read_line(line, COURSES, NOW).title
    if '"' not in title:
        assert read_line(f'"{title}" Fri #hist101', COURSES, NOW).title == title
