"""Statements that bypass the limits of a credential are declared, each with a reason."""

import pytest
from django.db import connection

from accounts.members.data import member_data
from accounts.members.limited import LimitedViews
from courses.models import Item
from studyservice.database.limiting import Limiter, NotLimitedError, limited_by, whole_reasons
from tests.support.world import OPERATIONS

pytestmark = [pytest.mark.rest, pytest.mark.database("both")]

REASONS = {
    "count limits count all rows of the member",
    "items of all courses count toward the limit",
    "milestones of all courses count toward the limit",
    "the size of all files of the member is limited",
    "the sums of practice are kept for the whole member",
    "undoing a change that the credential sees as a whole restores all that it did",
    "undoing a review that the credential sees takes back its attempt and its sums",
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
    return Limiter(ANYBODYS, lambda vendor: {"member": None, "courses": None, "tokens": None, "holder": None})


def test_each_statement_that_bypasses_limits_has_a_reason() -> None:
    assert OPERATIONS  # every module is imported by now
    assert set(whole_reasons()) == REASONS


def test_every_other_model_has_a_view() -> None:
    without = {
        data.label for data in member_data() if ANYBODYS.of(data.model._meta.db_table, connection.vendor) is None
    }
    assert without == WHOLE_MODELS
    assert not any(data.is_study_data for data in member_data() if data.label in WHOLE_MODELS)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT title FROM courses_item",
        'SELECT 1 FROM "accounts_member", "courses_item"',
        'UPDATE "courses_item" SET "title" = %s',
        'INSERT INTO "x" ("y") SELECT "z" FROM "a", "courses_item" ON CONFLICT DO NOTHING',
        "DELETE FROM courses_item",
    ],
)
def test_a_statement_that_cannot_be_limited_is_rejected(sql: str) -> None:
    with limited_by(_limiter()), pytest.raises(NotLimitedError), connection.cursor() as cursor:
        cursor.execute(sql, ["x"] if "%s" in sql else [])


@pytest.mark.django_db
def test_several_executions_at_once_are_rejected() -> None:
    with limited_by(_limiter()), pytest.raises(NotLimitedError), connection.cursor() as cursor:
        cursor.executemany('UPDATE "courses_item" SET "title" = %s WHERE "id" = %s', [("x", "y")])


@pytest.mark.django_db
def test_the_orm_is_limited_too(owner: object, item: dict[str, str], course: dict[str, str]) -> None:
    from uuid import UUID, uuid4

    from accounts.members.limited import limiter_for

    stored = Item.objects.get(id=item["id"])
    for courses, number in (((UUID(course["id"]),), 1), ((uuid4(),), 0), ((), 0), (None, 1)):
        with limited_by(limiter_for(stored.member_id, courses, grades=True, holder=uuid4())):
            mine = Item.objects.filter(member_id=stored.member_id)
            assert (mine.count(), len(list(mine.select_related("course")))) == (number, number), courses
            assert mine.exclude(milestones__title="x").count() == number
            assert mine.filter(id__in=Item.objects.filter(course__name="x").values("id")).count() == 0
            assert mine.update(title="Changed") == number
    with limited_by(limiter_for(uuid4(), None, grades=False, holder=uuid4())):
        assert not Item.objects.exists()
    with limited_by(limiter_for(stored.member_id, (uuid4(),), grades=True, holder=uuid4())):
        assert Item.objects.filter(id=stored.id).delete()[0] == 0
