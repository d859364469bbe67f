"""The demo member of `make run`: one student in the middle of a term."""

import secrets
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from accounts.credentials.keys import create_api_key
from accounts.models import Member
from courses.courses import create_course
from grades.scores import add_grade_score
from planning.milestones import create_milestone, update_milestone
from studyservice.changes.calls import acting, command
from studyservice.rows.access import Access
from studyservice.trial.demo_decks import create_demo_decks

DEMO_EMAIL = "demo@example.org"


class DemoItem(NamedTuple):
    """An item, due `days` from today at a time, in a category, with its steps as (title, days from today, done)."""

    title: str
    kind: str
    days: int | None
    category: str | None = None
    steps: tuple[tuple[str, int | None, bool], ...] = ()
    time: str | None = None


class DemoCourse(NamedTuple):
    """A course. `scores` are (category, label, percent, title of the item)."""

    name: str
    code: str
    meets: str
    subject: str
    weights: dict[str, int]
    items: tuple[DemoItem, ...]
    scores: tuple[tuple[str, str, str, str | None], ...]
    syllabus: str | None = None


_SYLLABUS = """BIO 210: Cell Biology

Lectures: Monday and Wednesday, 10:00 to 11:20, Hall B. Laboratory: Friday, 13:00 to 16:00, Room 114.

What the course is about
How cells are built, how they move matter and energy, how they talk to each other and how they divide.
By the end you can read a short research article in the field and explain its main figure.

How it is graded
Laboratory reports 30, quizzes 20, midterm 20, final exam 30.

Policies
A report handed in late loses ten points a day. If you are ill, write before the deadline, not after it.
Work together on problems, write up alone, and say whom you worked with.
"""

_COURSES = (
    DemoCourse(
        "Cell Biology",
        "BIO 210",
        "Mon, Wed 10:00–11:20",
        "Biology",
        {"Laboratory reports": 30, "Quizzes": 20, "Midterm": 20, "Final exam": 30},
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
                "23:59",
            ),
            DemoItem("Lab report 3: enzymes", "lab", 8, "Laboratory reports"),
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
                "10:00",
            ),
            DemoItem("Final exam", "exam", 58, "Final exam"),
        ),
        (
            ("Laboratory reports", "Microscopy", "91", "Lab report 1: microscopy"),
            ("Quizzes", "Membranes", "84.5", "Quiz 1: membranes"),
        ),
        _SYLLABUS,
    ),
    DemoCourse(
        "Linear Algebra",
        "MATH 220",
        "Tue, Thu 9:00–10:20",
        "Mathematics",
        {"Problem sets": 40, "Midterm": 25, "Final exam": 35},
        (
            DemoItem("Problem set 3", "assignment", -6, "Problem sets"),
            DemoItem("Problem set 4", "assignment", 1, "Problem sets", (("Exercises 1 to 6", 0, False),)),
            DemoItem("Problem set 5", "assignment", 8, "Problem sets"),
            DemoItem("Midterm exam", "exam", 15, "Midterm", (("Summarize eigenvalues", 9, False),)),
        ),
        (
            ("Problem sets", "Problem set 1", "95", None),
            ("Problem sets", "Problem set 2", "88", None),
            ("Problem sets", "Problem set 3", "79.5", "Problem set 3"),
        ),
    ),
    DemoCourse(
        "World History since 1500",
        "HIST 115",
        "Mon 14:00–16:50",
        "History",
        {"Papers": 60, "Discussion": 40},
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
        (
            ("Papers", "The silver trade", "93", "Response paper: the silver trade"),
            ("Discussion", "October", "100", None),
            ("Discussion", "November", "96", None),
        ),
    ),
    DemoCourse(
        "Introduction to Programming",
        "CS 101",
        "Wed, Fri 15:00–16:20",
        "Computer science",
        {"Exercises": 50, "Project": 50},
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
        (("Exercises", "Exercise 4", "100", None), ("Exercises", "Exercise 5", "92", None)),
    ),
)


@acting(command("trial"))
@transaction.atomic
def create_demo_member() -> tuple[str, str]:
    """Create the demo member with a term's data around today. Return (password, API key)."""
    password = secrets.token_urlsafe(9)
    member = Member.objects.create_user(DEMO_EMAIL, password, name="Demo Student")
    secret, _ = create_api_key(member, "First steps")
    create_demo_decks(member, {course.name: _create_course(Access(member), course) for course in _COURSES})
    return password, secret


def _create_course(access: Access, course: DemoCourse) -> UUID:
    today = access.today()

    def day(days: int | None) -> date | None:
        return None if days is None else today + timedelta(days=days)

    created = create_course(
        access,
        name=course.name,
        code=course.code,
        meets=course.meets,
        institution="Riverside College",
        subject=course.subject,
        syllabus_text=course.syllabus,
        items=[
            {
                "title": one.title,
                "kind": one.kind,
                "due_on": day(one.days),
                "due_time": one.time,
                "category": one.category,
            }
            for one in course.items
        ],
        grade_categories=[{"name": name, "weight": Decimal(weight)} for name, weight in course.weights.items()],
    )
    categories = {category["name"]: category["id"] for category in created["grade_categories"]}
    items = {item["title"]: item["id"] for item in created["items"]}
    for one in course.items:
        for title, days, done in one.steps:
            step = create_milestone(access, items[one.title], title=title, due_on=day(days))
            if done:
                update_milestone(access, step["id"], done=True)
    for category, label, percent, scored in course.scores:
        add_grade_score(
            access,
            created["id"],
            category_id=categories[category],
            label=label,
            score=Decimal(percent),
            item_id=items[scored] if scored else None,
        )
    return created["id"]
