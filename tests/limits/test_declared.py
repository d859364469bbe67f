"""Statements that bypass the limits of a credential are declared, each with a reason."""

from uuid import uuid4

import pytest
from django.db import connection

from accounts.members.data import member_data
from accounts.members.limited import LimitedViews, limiter_for
from courses.models import Item
from studyservice.database.limiting import Limiter, NotLimitedError, limited_by, whole_reasons
from tests.support.cases import each
from tests.support.world import OPERATIONS

pytestmark = [pytest.mark.rest, pytest.mark.database("both")]

REASONS = {
    "count limits count all rows of the member",
    "statements of `rows` have the limits in their own conditions",
    "undoing a change that the credential sees as a whole restores all that it did",
    "what is below a deleted object goes with it, and so do references to it",
    "writes at the end of a call are of rows that the call has found within its limits",
}
"""Allowed statements with reasons. Each new one must be added here."""

WHOLE_MODELS = {
    "accounts.MemberAddress",
    "admin.LogEntry",
    "accounts.AccountEvent",
    "accounts.ChangeObject",
    "accounts.IdempotencyKey",
    "accounts.SecretOwner",
    "accounts.ApiKey",
    "accounts.CalendarFeed",
    "accounts.SignInCode",
    "accounts.AuthenticatorApp",
    "accounts.Passkey",
    "accounts.RecoveryCode",
    "accounts.BrowserSession",
    "planning.DueCalendar",
    "oauthserver.Grant",
    "oauthserver.AccessToken",
    "oauthserver.RefreshToken",
}
"""Models of the account, which hold no study data."""

ANYBODYS = LimitedViews(by_course=True, grades=False)


def _limiter() -> Limiter:
    return Limiter(ANYBODYS, {"member": None, "courses": None, "tokens": None, "holder": None})


def test_each_statement_that_bypasses_limits_has_a_reason() -> None:
    assert OPERATIONS  # every module is imported by now
    assert set(whole_reasons()) == REASONS


def test_every_other_model_has_a_view() -> None:
    views = ANYBODYS.of(connection.vendor)
    without = {data.label for data in member_data() if data.model._meta.db_table not in views and data.seen is None}
    assert without == WHOLE_MODELS
    assert not any(data.is_study_data for data in member_data() if data.label in WHOLE_MODELS)


@pytest.mark.django_db
@each(
    "sql",
    [
        "SELECT title FROM public.courses_item",
        'SELECT title FROM "main" . "courses_item"',
        'SELECT "title" FROM "courses_item" FOR KEY SHARE',
        'WITH "x" AS (UPDATE "courses_item" SET "title" = %s RETURNING "id") SELECT "id" FROM "x"',
        'WITH RECURSIVE "x" AS (SELECT "id" FROM "courses_item") SELECT "id" FROM "x"',
        "TABLE courses_item",
        "COPY courses_item TO STDOUT",
        'UPDATE "courses_item" SET "title" = %s',
        'UPDATE "courses_item" SET "title" = %s WHERE "id" IS NULL OR ("id" IS NOT NULL)',
        'UPDATE "accounts_member" SET "name" = %s FROM "courses_item" WHERE "courses_item"."id" IS NOT NULL',
        'INSERT INTO "x" ("y") SELECT "z" FROM "a", "courses_item" ON CONFLICT DO NOTHING',
        "DELETE FROM courses_item",
    ],
)
def test_a_statement_that_cannot_be_limited_is_rejected(sql: str) -> None:
    with limited_by(_limiter()), pytest.raises(NotLimitedError), connection.cursor() as cursor:
        cursor.execute(sql, ["x"] if "%s" in sql else [])


@pytest.mark.django_db
def test_a_table_is_limited_wherever_it_is_named(item: dict[str, str]) -> None:
    stored = Item.objects.get(id=item["id"])
    statements = (
        "SELECT id FROM courses_item",
        'SELECT 1 FROM "accounts_member", "courses_item"',
        '(SELECT "id" FROM "courses_item") UNION (SELECT "id" FROM "courses_item")',
        'WITH "x" AS (SELECT "id" FROM "courses_item") SELECT "id" FROM "x"',
        'WITH "x" AS (SELECT "id" FROM "courses_item") SELECT (SELECT COUNT(*) FROM "x") FROM "x", "courses_item" "y"',
        'SELECT 1 FROM "accounts_member" WHERE "id" IN (SELECT "member_id" FROM\n"courses_item")',
        'UPDATE "accounts_member" SET "name" = "name" WHERE "id" IN (SELECT "member_id" FROM courses_item)',
        'UPDATE "courses_item" SET "title" = "title" WHERE EXISTS( SELECT 1 FROM (SELECT 1 FROM "courses_item") "x")',
        'DELETE FROM "courses_item" WHERE "id" IN (SELECT "id" FROM "courses_item" "x")',
    )
    for sql in statements:
        if connection.vendor == "sqlite" and sql.startswith("("):
            continue  # unknown to it
        numbers = []
        for courses in ((str(uuid4()),), (str(stored.course_id),)):
            limiter = limiter_for(stored.member_id, courses, grades=True, holder=uuid4())
            with limited_by(limiter), connection.cursor() as cursor:
                cursor.execute(sql)
                numbers.append(cursor.rowcount if cursor.description is None else len(cursor.fetchall()))
        assert numbers == [0, 1], sql


@pytest.mark.django_db
def test_several_executions_at_once_are_refused() -> None:
    with limited_by(_limiter()), pytest.raises(NotLimitedError), connection.cursor() as cursor:
        cursor.executemany('UPDATE "courses_item" SET "title" = %s WHERE "id" = %s', [("x", "y")])


@pytest.mark.django_db
def test_the_orm_is_limited_too(owner: object, item: dict[str, str], course: dict[str, str]) -> None:
    stored = Item.objects.get(id=item["id"])
    others = tuple(str(uuid4()) for _ in range(9))
    one, few, many = (course["id"],), (*others[:1], course["id"]), (*others, course["id"])
    of_others = [(others[:number], 0) for number in (0, 1, 2, 9)]
    for courses, number in ((None, 1), (one, 1), (few, 1), (many, 1), *of_others):
        with limited_by(limiter_for(stored.member_id, courses, grades=True, holder=uuid4())):
            mine = Item.objects.filter(member_id=stored.member_id)
            assert (mine.count(), len(list(mine.select_related("course")))) == (number, number), courses
            assert mine.exclude(milestones__title="x").count() == number
            assert mine.filter(id__in=Item.objects.filter(course__name="x").values("id")).count() == 0
            assert mine.update(title="Changed") == number
    with limited_by(limiter_for(uuid4(), None, grades=False, holder=uuid4())):
        assert not Item.objects.exists()
    with limited_by(limiter_for(stored.member_id, (str(uuid4()),), grades=True, holder=uuid4())):
        assert Item.objects.filter(id=stored.id).delete()[0] == 0
