"""`Idempotency-Key` for all kinds of actions: without writes, failing after a write, or overtaken by another call."""

from typing import Annotated, Any, ClassVar, TypedDict
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.urls import include, path

from accounts.models import Member
from courses.courses import create_course
from courses.models import Course
from studyservice import urls
from studyservice.changes.writing import writing
from studyservice.database.statements import Row
from studyservice.models import IdempotencyKey
from studyservice.operations.answers import answer
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.errors import Conflict
from studyservice.rows.access import Access
from studyservice.urls import handler400, handler403, handler404, handler500  # noqa: F401  # of the URLs below
from studyservice.viewsets import MemberViewSet
from tests.support.entry_points import RestEntryPoint
from tests.support.world import Call, bearer, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.urls(__name__)]


@answer(id="x")
class ThingRow(TypedDict):
    """The answer of the action."""

    id: Annotated[str, "Another one each time."]


class ThingViewSet(MemberViewSet):
    """Kinds of actions that no app has so far."""

    tag = "Things"
    overtaken: ClassVar[Call | None] = None
    secret: ClassVar[str] = ""

    @operation("Look", scope=Scope.WRITE, answer=ThingRow)
    def look(self) -> Row:
        """An action without writes."""
        return {"id": uuid4()}

    @operation("Try", scope=Scope.WRITE, answer=ThingRow)
    def try_twice(self) -> Row:
        """A first write fails, with another one nested in it. A second write and its nested one succeed."""
        try:
            with writing(self.member.id) as write:
                Course.objects.create(member_id=self.member.id, name="Lost", created_at=write.now, updated_at=write.now)
                create_course(Access(self.member), name="")  # rejected by the database
        except IntegrityError:
            with writing(self.member.id):
                course = create_course(Access(self.member), name="Kept")
        create_course(Access(self.member), name="Kept too")
        return {"id": course["id"]}

    @operation("Fail", scope=Scope.WRITE, answer=ThingRow)
    def fail_late(self) -> Row:
        """Write, then return an answer that cannot be serialized."""
        create_course(Access(self.member), name="Lost")
        return {"id": object()}

    @operation("Come late", scope=Scope.WRITE, answer=ThingRow)
    def come_late(self) -> Row:
        """Before it writes, the same call is carried out completely elsewhere."""
        call, ThingViewSet.overtaken = ThingViewSet.overtaken, None
        if call is not None:
            call.send(**bearer(self.secret), Idempotency_Key="first")
            raise Conflict
        return {"id": create_course(Access(self.member), name="Once")["id"]}

    @operation("Wrap", scope=Scope.WRITE, answer=ThingRow)
    def wrap(self) -> Row:
        """An action with its own transaction."""
        with transaction.atomic():
            return {"id": create_course(Access(self.member), name="Lost")["id"]}


urlpatterns = [
    path("v1/look", ThingViewSet.as_view({"post": "look"})),
    path("v1/try", ThingViewSet.as_view({"post": "try_twice"})),
    path("v1/fail", ThingViewSet.as_view({"post": "fail_late"})),
    path("v1/late", ThingViewSet.as_view({"post": "come_late"})),
    path("v1/wrap", ThingViewSet.as_view({"post": "wrap"})),
    path("", include(urls)),
]


def twice(owner: RestEntryPoint, path: str) -> list[Any]:
    call = Call("POST", path)
    return [call.send(**bearer(owner.secret), Idempotency_Key="first") for _ in range(2)]


def test_an_action_without_writes_is_answered_once(owner: RestEntryPoint) -> None:
    first, again = twice(owner, "/v1/look")
    assert (again.content, again.headers["Idempotency-Replayed"]) == (first.content, "true")


def test_a_failed_part_of_an_action_is_rolled_back_and_the_rest_is_stored(
    owner: RestEntryPoint, owner_member: Member
) -> None:
    first, again = twice(owner, "/v1/try")
    courses = Course.objects.filter(member=owner_member).order_by("created_at")
    assert [course.name for course in courses] == ["Kept", "Kept too"]
    assert [str(courses[0].id)] * 2 == [first.json()["id"], again.json()["id"]]


def test_no_write_is_stored_without_its_answer(owner: RestEntryPoint) -> None:
    for response in twice(owner, "/v1/fail"):
        assert error_of(response)["type"] == "internal_error"
    assert not Course.objects.exists()
    assert not IdempotencyKey.objects.exists()


def test_a_transaction_around_the_first_write_is_an_error(owner: RestEntryPoint) -> None:
    """It would end the transaction and the lock before the answer is stored."""
    for response in twice(owner, "/v1/wrap"):
        assert error_of(response)["type"] == "internal_error"
    assert not Course.objects.exists()


def test_an_error_caused_by_the_first_call_is_not_reported(
    owner: RestEntryPoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ThingViewSet, "overtaken", Call("POST", "/v1/late"))
    monkeypatch.setattr(ThingViewSet, "secret", owner.secret)
    first, again = twice(owner, "/v1/late")
    assert first.headers["Idempotency-Replayed"] == again.headers["Idempotency-Replayed"] == "true"
    assert [first.json()["id"], again.json()["id"]] == [str(Course.objects.get().id)] * 2
