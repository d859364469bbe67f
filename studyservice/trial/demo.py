"""The demo member of `make run`: one student in the middle of a term."""

import secrets
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from accounts.changes.calls import acting, command
from accounts.credentials.api_keys import create_api_key
from accounts.models import Member
from accounts.rows.access import Access
from courses.courses import create_course
from courses.item_batches import create_item
from courses.serializers import CourseFields
from grades.categories import set_grade_categories
from grades.scores import add_grade_score
from grades.serializers import CategoryFields
from planning.milestones import create_milestone, update_milestone
from studyservice.trial.demo_decks import create_demo_decks

DEMO_EMAIL = "demo@example.org"


class DemoItem(NamedTuple):
    """An item, due `days` from today, in a category, with its steps as (title, days from today, done)."""

    title: str
    kind: str
    days: int | None
    category: str | None = None
    steps: tuple[tuple[str, int | None, bool], ...] = ()


class DemoCourse(NamedTuple):
    """A course. `grades` maps a category to its weight and its (label, percent, title of the item) scores."""

    fields: CourseFields
    items: tuple[DemoItem, ...]
    grades: dict[str, tuple[int, tuple[tuple[str, str, str | None], ...]]]


_SYLLABUS = """BIO 210: Cell Biology

Lectures: Monday and Wednesday, 10:00 to 11:20, Hall B. Laboratory: Friday, 13:00 to 16:00, Room 114.

What the course is about
How cells are built, how they move matter and energy, how they talk to each other and how they divide.
By the end you can read a short research article in the field and explain its main figure.

How it is graded
Laboratory reports 30, quizzes 20, midterm 20, final exam 30. The lowest quiz is dropped.

Policies
A report handed in late loses ten points a day. If you are ill, write before the deadline, not after it.
Work together on problems, write up alone, and say whom you worked with.
"""

_COURSES = (
    DemoCourse(
        {
            "name": "Cell Biology",
            "code": "BIO 210",
            "meets": "Mon, Wed 10:00–11:20",
            "institution": "Riverside College",
            "subject": "Biology",
            "syllabus_text": _SYLLABUS,
        },
        (
            DemoItem("Lab report 1: microscopy", "lab", -24, "Laboratory reports"),
            DemoItem("Quiz 1: membranes", "quiz", -16, "Quizzes"),
            DemoItem(
                "Lab report 2: osmosis",
                "lab",
                3,
                "Laboratory reports",
                (
                    ("Enter the measurements", -2, False),
                    ("Draw the figures", 1, False),
                    ("Write the discussion", 2, False),
                ),
            ),
            DemoItem("Quiz 2: organelles", "quiz", 6, "Quizzes", (("Review the flashcards", 5, False),)),
            DemoItem(
                "Midterm exam",
                "exam",
                12,
                "Midterm",
                (
                    ("Collect questions from chapters 1 to 4", -1, True),
                    ("Answer last year's exam", 7, False),
                    ("Go through the mistakes", 10, False),
                ),
            ),
            DemoItem("Final exam", "exam", 58, "Final exam"),
        ),
        {
            "Laboratory reports": (30, (("Microscopy", "91", "Lab report 1: microscopy"),)),
            "Quizzes": (20, (("Membranes", "84.5", "Quiz 1: membranes"),)),
            "Midterm": (20, ()),
            "Final exam": (30, ()),
        },
    ),
    DemoCourse(
        {
            "name": "Linear Algebra",
            "code": "MATH 220",
            "meets": "Tue, Thu 9:00–10:20",
            "institution": "Riverside College",
            "subject": "Mathematics",
        },
        (
            DemoItem("Problem set 3", "assignment", -6, "Problem sets"),
            DemoItem("Problem set 4", "assignment", 1, "Problem sets", (("Exercises 1 to 6", 0, False),)),
            DemoItem("Problem set 5", "assignment", 8, "Problem sets"),
            DemoItem("Midterm exam", "exam", 15, "Midterm", (("Summarize eigenvalues", 9, False),)),
        ),
        {
            "Problem sets": (
                40,
                (
                    ("Problem set 1", "95", None),
                    ("Problem set 2", "88", None),
                    ("Problem set 3", "79.5", "Problem set 3"),
                ),
            ),
            "Midterm": (25, ()),
            "Final exam": (35, ()),
        },
    ),
    DemoCourse(
        {
            "name": "World History since 1500",
            "code": "HIST 115",
            "meets": "Mon 14:00–16:50",
            "institution": "Riverside College",
            "subject": "History",
        },
        (
            DemoItem("Response paper: the silver trade", "paper", -10, "Papers"),
            DemoItem(
                "Research paper",
                "paper",
                21,
                "Papers",
                (
                    ("Choose a question", -4, True),
                    ("Find six sources", 4, False),
                    ("Outline", 9, False),
                    ("First draft", 16, False),
                ),
            ),
            DemoItem("Extra reading: The Great Divergence", "other", None),
        ),
        {
            "Papers": (60, (("The silver trade", "93", "Response paper: the silver trade"),)),
            "Discussion": (40, (("October", "100", None), ("November", "96", None))),
        },
    ),
    DemoCourse(
        {
            "name": "Introduction to Programming",
            "code": "CS 101",
            "meets": "Wed, Fri 15:00–16:20",
            "institution": "Riverside College",
            "subject": "Computer science",
        },
        (
            DemoItem("Exercise 6: dictionaries", "assignment", 0, "Exercises"),
            DemoItem("Exercise 7: files", "assignment", 7, "Exercises"),
            DemoItem(
                "Project: a text adventure",
                "project",
                28,
                "Project",
                (("Sketch the rooms", 5, False), ("A first playable version", 18, False)),
            ),
        ),
        {
            "Exercises": (50, (("Exercise 4", "100", None), ("Exercise 5", "92", None))),
            "Project": (50, ()),
        },
    ),
)


@acting(command("trial"))
@transaction.atomic
def create_demo_member() -> tuple[str, str]:
    """Create the demo member with a term's data around today. Return (password, API key)."""
    password = secrets.token_urlsafe(9)
    member = Member.objects.create_user(DEMO_EMAIL, password, name="Demo Student")
    secret, _ = create_api_key(member, "First steps")
    today = member.today()
    create_demo_decks(member, {course.fields["name"]: _create_course(member, course, today) for course in _COURSES})
    return password, secret


def _create_course(member: Member, course: DemoCourse, today: date) -> UUID:
    course_id = create_course(Access(member), **course.fields)["id"]
    weights: list[CategoryFields] = [
        {"name": name, "weight": Decimal(weight)} for name, (weight, _) in course.grades.items()
    ]
    breakdown = set_grade_categories(Access(member), course_id, categories=weights)
    categories = {category["name"]: category["id"] for category in breakdown["categories"]}
    items = {item.title: _create_item(member, course_id, item, categories, today) for item in course.items}
    for category, (_, scores) in course.grades.items():
        for label, percent, item_title in scores:
            add_grade_score(
                Access(member),
                course_id,
                category_id=categories[category],
                label=label,
                score=Decimal(percent),
                item_id=None if item_title is None else items[item_title],
            )
    return course_id


def _create_item(member: Member, course_id: UUID, item: DemoItem, categories: dict[str, UUID], today: date) -> UUID:
    created, _ = create_item(
        Access(member),
        course_id,
        title=item.title,
        kind=item.kind,
        due_on=_day(today, item.days),
        category_id=None if item.category is None else categories[item.category],
    )
    for title, days, done in item.steps:
        step = create_milestone(Access(member), created["id"], title=title, due_on=_day(today, days))
        if done:
            update_milestone(Access(member), step["id"], done=True)
    return created["id"]


def _day(today: date, days: int | None) -> date | None:
    return None if days is None else today + timedelta(days=days)
