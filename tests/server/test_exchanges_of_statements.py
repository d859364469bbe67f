"""Statements sent in one round trip to PostgreSQL: in order, all or nothing, and no error is lost."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DataError, IntegrityError, OperationalError, ProgrammingError, connection, transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import Member
from courses.models import DEFAULT_TERM, Course
from studyservice.changes.calls import acting, command
from studyservice.changes.writing import writing
from studyservice.database.executing import Ahead, delete_later, update_later, wait_for_statements
from studyservice.database.postgresql.exchanges import MAX_PREPARED
from studyservice.database.statements import Insert, Param, RawStatement, Select
from studyservice.database.waits import ended_waiting
from studyservice.operations.errors import NotFound
from tests.support.exchanges import counted
from tests.support.factories import CourseFactory

pytestmark = [pytest.mark.database("postgresql"), pytest.mark.django_db(transaction=True)]


def made(member: Member, name: str, **fields: Any) -> Course:
    """Insert a course without reading anything back."""
    course = CourseFactory.build(member=member, name=name, **fields)
    row = {field.attname: getattr(course, field.attname) for field in Course._meta.concrete_fields}
    Insert(Course).later(**row)
    return course


def names(member: Member) -> list[str]:
    return sorted(Course.objects.filter(member_id=member.id).values_list("name", flat=True))


def test_writes_nobody_waits_for_share_a_round_trip_with_the_commit(owner_member: Member) -> None:
    def write() -> None:
        with transaction.atomic():
            made(owner_member, "A")
            made(owner_member, "B")
            update_later(Course.objects.filter(member_id=owner_member.id, name="A"), name="C")

    assert counted(write)[1] == 1
    assert names(owner_member) == ["B", "C"]


def test_queued_inserts_and_reads_share_one_round_trip(owner_member: Member) -> None:
    of_member = Select[Any](Course.objects.filter(member_id=Param("member_id")), {"name": "name"})

    @transaction.atomic
    def write() -> tuple[Any, ...]:
        made(owner_member, "A")
        asked = of_member.ahead(member_id=owner_member.id)
        return names(owner_member), asked(), asked()

    assert counted(write) == ((["A"], [{"name": "A"}], [{"name": "A"}]), 2)


def test_a_read_sees_queued_writes(owner_member: Member) -> None:
    with transaction.atomic():
        made(owner_member, "A")
        assert names(owner_member) == ["A"]
        delete_later(Course.objects.filter(member_id=owner_member.id))
        assert names(owner_member) == []


def test_an_error_is_raised_at_the_commit_and_nothing_is_stored(owner_member: Member) -> None:
    there = made(owner_member, "There")

    @transaction.atomic
    def write() -> None:
        made(owner_member, "Before")
        made(owner_member, "Twice", id=there.id)
        made(owner_member, "After")

    with pytest.raises(IntegrityError):
        write()
    assert names(owner_member) == ["There"]


def test_an_error_is_raised_at_the_end_of_its_savepoint(owner_member: Member) -> None:
    """Writes before the savepoint remain, although they were queued together with the failing one."""
    there = made(owner_member, "There")
    with transaction.atomic():
        made(owner_member, "Before")
        with pytest.raises(IntegrityError), transaction.atomic():
            made(owner_member, "Twice", id=there.id)
        made(owner_member, "After")
    assert names(owner_member) == ["After", "Before", "There"]


def test_an_exception_discards_writes_queued_since_the_savepoint(owner_member: Member) -> None:

    @transaction.atomic
    def fail(*, executed: bool) -> None:
        made(owner_member, "Inside")
        if executed:
            wait_for_statements()
        raise LookupError

    with transaction.atomic():
        made(owner_member, "Before")
        for executed in (False, True):
            with pytest.raises(LookupError):
                fail(executed=executed)
    assert names(owner_member) == ["Before"]


def test_a_write_of_a_deleted_member_stores_nothing(owner_member: Member) -> None:
    """Nothing in it waits for a result before the rows are queued."""
    Member.objects.filter(id=owner_member.id).update(is_active=False, erasure_began_at="2026-11-22T12:00:00Z")
    with pytest.raises(NotFound), writing(owner_member.id):
        made(owner_member, "Late")
    assert names(owner_member) == []


def test_the_lock_is_held_before_the_next_statement_reads(
    owner_member: Member, in_threads: Callable[..., list[Any]]
) -> None:
    """Each adds one to the number it read. Without the lock, some would read the same number."""
    course = made(owner_member, "A", term="0")

    def add(_number: int) -> None:
        with acting(command("test")), writing(owner_member.id):
            row = Course.objects.filter(member_id=owner_member.id, id=course.id)
            [term] = row.values_list("term", flat=True)
            update_later(row, term=str(int(term) + 1))

    in_threads(add, list(range(8)))
    assert Course.objects.get(member_id=owner_member.id, id=course.id).term == "8"


@pytest.mark.parametrize("execute", [lambda rows: rows.update(term="1"), list, lambda rows: rows.delete()])
def test_a_failed_lock_is_a_django_error_whatever_is_queued(
    owner_member: Member, in_threads: Callable[..., list[Any]], execute: Callable[[Any], object]
) -> None:
    made(owner_member, "A")

    def impatient(_number: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        with writing(owner_member.id):
            execute(Course.objects.filter(member_id=owner_member.id))

    with writing(owner_member.id) as write:
        assert write.now <= timezone.now()  # so the lock is held
        with pytest.raises(OperationalError) as error:
            in_threads(impatient, [0])
    assert ended_waiting(error.value)


def test_queries_are_sent_together_and_read_in_pieces_if_large(
    owner_member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ABCDE":
        made(owner_member, name)
    rows = Course.objects.filter(member_id=owner_member.id).order_by("name").values_list("name", "term")

    def read(pieces: int) -> list[list[tuple[str, str]]]:
        monkeypatch.setattr("studyservice.database.executing._AT_ONCE", pieces)
        with transaction.atomic():
            found = [Ahead(rows), Ahead(rows.none()), Ahead(rows)]
            return [list(one) for one in found]

    expected = [(name, DEFAULT_TERM) for name in "ABCDE"]
    assert counted(lambda: read(5)) == ([expected, [], expected], 2)
    assert read(4) == [expected, [], expected]


def test_many_different_statements_are_prepared_and_dropped_in_turn() -> None:
    statements = [RawStatement(f"SELECT %(value)s::int + {number}") for number in range(MAX_PREPARED + 5)]
    for _ in range(5):
        assert [one.all(value=1) for one in statements] == [[(1 + number,)] for number in range(len(statements))]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        assert cursor.fetchone() == (MAX_PREPARED,)


def test_a_prepared_statement_survives_its_failure_and_a_changed_table() -> None:
    half = RawStatement("SELECT 1 / %(value)s::int")
    for _ in range(5):
        assert half.all(value=1) == [(1,)]
    with pytest.raises(Exception, match="division by zero"):
        half.all(value=0)
    assert half.all(value=1) == [(1,)]
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE changing (a int)")
        cursor.execute("INSERT INTO changing VALUES (%s)", [7])
        for _ in range(5):
            cursor.execute("SELECT * FROM changing WHERE a = %s", [7])
            assert cursor.fetchall() == [(7,)]
        cursor.execute("ALTER TABLE changing ADD b int")
        cursor.execute("SELECT * FROM changing WHERE a = %s", [7])
        assert cursor.fetchall() == [(7, None)]


def test_a_statement_after_a_failed_one_has_no_result(owner_member: Member) -> None:
    with connection.cursor() as failing, connection.cursor() as after:

        @transaction.atomic
        def read() -> None:
            failing.execute("SELECT * FROM nowhere WHERE a = %s", [1])
            after.execute("SELECT %s", [1])
            after.fetchone()

        with pytest.raises(ProgrammingError):
            read()
        with pytest.raises(Exception, match="was not executed"):
            after.fetchone()
    assert names(owner_member) == []


def test_unsupported_values_are_rejected_at_once(owner_member: Member) -> None:
    with pytest.raises(DataError, match="NUL"), transaction.atomic():
        Course.objects.filter(member_id=owner_member.id).update(name="\0", term=F("term"))
