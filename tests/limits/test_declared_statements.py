"""Each declared statement limits itself, in every subquery and join."""

from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from courses.models import Course, Item
from grades.models import GradeCategory, GradeScore
from studyservice.database.statements import Param, aggregated
from studyservice.rows.access import MemberSelect
from studyservice.rows.limits import Form, Limits
from studyservice.rows.seen import SEEN_AS
from tests.support.limited_forms import complaints, models_without_rows
from tests.support.world import OPERATIONS

pytestmark = [pytest.mark.rest, pytest.mark.database("both")]


def test_every_declared_statement_limits_itself() -> None:
    assert OPERATIONS  # every module is imported by now
    assert MemberSelect.made
    assert [one for statement in MemberSelect.made for one in complaints(statement.queryset)] == []


def test_every_model_with_study_data_has_rows() -> None:
    assert models_without_rows(iter(apps.get_models())) == []


HOLES: dict[str, Any] = {
    "a query without rows": lambda: Item.objects.filter(member_id=Param("member_id")),
    "a subquery without rows": lambda: Course.rows.declared.filter(
        Exists(QuerySet(Item).filter(course_id=OuterRef("id"), member_id=OuterRef("member_id")))
    ),
    "a list without rows": lambda: Item.rows.declared.filter(course__in=QuerySet(Course).values("id")),
    "a count over all courses": lambda: Course.rows.declared.annotate(
        n=aggregated(QuerySet(Item).filter(member_id=Param("member_id")), "COUNT", "id")
    ),
    "rows or others": lambda: QuerySet(Item).filter(Q(pk__in=Item.rows.declared.values("pk")) | Q(title="x")),
    "rows in an order": lambda: Course.rows.declared.order_by(
        aggregated(QuerySet(Item).filter(course_id=OuterRef("id")), "COUNT", "id")
    ),
    "a join away from the course": lambda: GradeCategory.rows.declared.filter(items__title="x"),
    "grades joined": lambda: Course.rows.declared.annotate(n=Count("grade_categories")),
    "a category joined": lambda: Item.rows.declared.filter(category__name="x"),
}


@pytest.mark.parametrize("hole", HOLES)
def test_a_statement_that_does_not_is_found(hole: str) -> None:
    assert complaints(HOLES[hole]())


SOUND: dict[str, Any] = {
    "up to the course": lambda: GradeScore.rows.declared.filter(category__course__name="x"),
    "down from the course": lambda: Course.rows.declared.filter(items__done=True),
    "all rows on purpose": lambda: Course.rows.declared.annotate(n=aggregated(Item.rows.whole, "COUNT", "id")),
}


@pytest.mark.parametrize("sound", SOUND)
def test_a_statement_that_does_is_not(sound: str) -> None:
    assert complaints(SOUND[sound]()) == []


@pytest.mark.parametrize("rows", [Q(done=True), Q(graded=True), Q(category=None)])
def test_filters_see_what_replaces_hidden_grades(rows: Q) -> None:
    statement = MemberSelect[Any](Item.rows.declared.filter(rows).order_by("done"), {"id": "id"})
    sql = {}
    for grades in (True, False):
        token = SEEN_AS.set(Form(grades=grades))
        sql[grades] = statement.queryset.query.get_compiler(connection=connection).as_sql()[0]
        SEEN_AS.reset(token)
    MemberSelect.made.remove(statement)
    assert sql[True] != sql[False]
    assert "OR" in sql[False].partition("ORDER BY")[2]


def test_the_number_of_courses_is_in_the_form() -> None:
    assert [Limits(courses).form.courses for courses in (None, (), ("a",), ("a", "b"))] == [
        "all",
        "some",
        "one",
        "some",
    ]
