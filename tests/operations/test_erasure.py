"""Deleting a member: credentials are revoked first, then data in batches. An interrupted deletion is resumed."""

from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client

from accounts.joining import add_member
from accounts.models import Member
from accounts.signing_in.models import BrowserSession
from courses.models import Course
from studyservice.registry.data import member_data
from tests.conftest import MakeMember
from tests.support.browsers import act
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import (
    AttemptFactory,
    AuthenticatorAppFactory,
    CalendarFeedFactory,
    CardFactory,
    DueCalendarFactory,
    ImportedEventFactory,
    ItemFactory,
    LinkedIdentityFactory,
    PasskeyFactory,
    ProviderSignInFactory,
    RecoveryCodeFactory,
    ReviewFactory,
    SchoolCalendarFactory,
)
from tests.support.oauth import App, error_of, status_of
from tests.support.uploads import stored_file
from tests.support.vocabulary import made_deck

MEMBERS = "/admin/accounts/member/"


def _broken(member_id: Any) -> None:
    raise RuntimeError("the server was killed")


def owned() -> list[tuple[Any, str]]:
    """Every model with members' rows, and its foreign key. Unused models of the OAuth toolkit are left out."""
    return [
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.remote_field and field.remote_field.model is Member and model._meta.app_label != "oauth2_provider"
    ]


def left(member: Member) -> dict[str, int]:
    """A member's remaining rows, by model."""
    counted = {model._meta.label: model._default_manager.filter(**{name: member.id}).count() for model, name in owned()}
    return {label: number for label, number in counted.items() if number}


def delete(admin: Client, member: Member) -> Any:
    return admin.post(f"{MEMBERS}{member.id}/delete/", {"post": "yes"})


def fill(entry_point: RestEntryPoint, member: Member) -> App:
    """A row of everything that a member can have."""

    course = entry_point.request(
        "POST", "/v1/courses", json={"name": "Biology"}, headers={"Idempotency-Key": "1"}
    ).json()
    item = entry_point.made("create_item", course_id=course["id"], title="Midterm")
    entry_point.made("create_milestone", item_id=item["id"], title="Outline")
    graded = entry_point.made(
        "set_grade_categories", course_id=course["id"], categories=[{"name": "Exam", "weight": 100}]
    )
    category = graded["categories"][0]["id"]
    entry_point.made("add_grade_score", course_id=course["id"], category_id=category, label="x", score=80)
    deck = made_deck(entry_point)
    entry_point.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="good")
    CalendarFeedFactory.create(member=member)
    for of_signing_in in (
        AuthenticatorAppFactory,
        LinkedIdentityFactory,
        PasskeyFactory,
        ProviderSignInFactory,
        RecoveryCodeFactory,
    ):
        of_signing_in.create(member=member)
    ImportedEventFactory.create(member=member, course_id=course["id"])
    DueCalendarFactory.create(id=SchoolCalendarFactory.create(member=member).id, member=member)
    app = App.registered()
    app.connect(member)
    Client().post("/sign-in", {"email": member.email})
    return app


@pytest.fixture
def uploaded(settings: Any, tmp_path: Path, owner_member: Member, course: Any) -> Path:
    """A syllabus file of the owner."""
    settings.MEDIA_ROOT = tmp_path
    return Path(stored_file(owner_member, course["id"]).file.path)


@pytest.mark.same_statements
@pytest.mark.rest
@pytest.mark.usefixtures("uploaded")
@pytest.mark.parametrize("together", [False, True])
def test_everything_of_the_member_is_deleted_and_nothing_else(
    admin: Client, owner: RestEntryPoint, owner_member: Member, stranger: RestEntryPoint, together: bool
) -> None:
    other = Member.objects.get(email="stranger@example.org")
    for entry_point, member in ((owner, owner_member), (stranger, other)):
        fill(entry_point, member)
    assert left(owner_member).keys() == {model._meta.label for model, _ in owned()} - {"admin.LogEntry"}
    kept = left(other)
    if together:
        act(admin, MEMBERS, "delete_selected", owner_member, post="yes")
    else:
        assert delete(admin, owner_member).status_code == 302
    assert left(owner_member) == {}
    assert not Member.objects.filter(id=owner_member.id).exists()
    assert left(other) == kept


@pytest.mark.django_db(transaction=True)
def test_stored_files_are_deleted(admin: Client, owner_member: Member, uploaded: Path) -> None:
    delete(admin, owner_member)
    assert not uploaded.exists()


@pytest.mark.same_statements
def test_sessions_are_deleted_and_the_admin_log_keeps_no_address(
    admin: Client, owner_member: Member, make_member: MakeMember
) -> None:
    browsers = {name: Client() for name in ("member", "pending", "other")}
    browsers["member"].force_login(owner_member)
    browsers["pending"].post("/sign-in", {"email": owner_member.email})
    browsers["other"].force_login(make_member())
    act(admin, MEMBERS, "lapse", owner_member)
    delete(admin, owner_member)
    keys = {name: browser.cookies["sessionid"].value for name, browser in browsers.items()}
    there = {name for name, key in keys.items() if BrowserSession.objects.filter(session_key=key).exists()}
    assert there == {"other"}
    written = [f"{entry.object_repr} {entry.change_message}" for entry in LogEntry.objects.all()]
    assert len(written) == 2
    assert not any(owner_member.email in line for line in written)


def test_the_admin_log_does_not_keep_the_invited_address(admin: Client, settings: Any) -> None:
    settings.SIGN_UP = "invited"
    for email in ("new@example.org", "other@example.org"):
        admin.post("/admin/accounts/invitation/add/", {"email": email})
    add_member("new@example.org")
    delete(admin, Member.objects.get(email="new@example.org"))
    told = sorted(entry.object_repr for entry in LogEntry.objects.all())
    assert told == ["a deleted member", "a deleted member", "other@example.org"]


def test_an_operators_own_log_is_deleted_with_the_operator(admin: Client, make_member: MakeMember) -> None:
    other = make_member(is_staff=True, is_superuser=True)
    browser = Client()
    browser.force_login(other)
    act(browser, MEMBERS, "lapse", make_member())
    delete(admin, other)
    assert not LogEntry.objects.filter(user_id=other.id).exists()


@pytest.fixture
def interrupted(admin: Client, owner: RestEntryPoint, owner_member: Member, monkeypatch: pytest.MonkeyPatch) -> App:
    """A member's app, after an interruption with credentials revoked and half the data deleted."""
    app = fill(owner, owner_member)
    app.connect(owner_member)
    ordered = member_data()
    with monkeypatch.context() as broken:
        broken.setattr("accounts.erasure.erasing.member_data", lambda: ordered[len(ordered) // 2 :])
        broken.setattr("accounts.erasure.erasing.ERASURES", [_broken])
        with pytest.raises(RuntimeError, match="killed"):
            delete(admin, owner_member)
    assert left(owner_member)
    return app


@pytest.mark.same_statements
@pytest.mark.rest
@pytest.mark.usefixtures("interrupted")
def test_nobody_can_sign_in_or_call_meanwhile(owner: RestEntryPoint, owner_member: Member) -> None:
    assert owner.call("get_me").error == "unauthorized"
    browser = Client()
    browser.post("/sign-in", {"email": owner_member.email})
    assert browser.get("/keys").status_code == 302
    from accounts.credentials.keys import create_api_key
    from studyservice.operations.errors import NotFound

    with pytest.raises(NotFound):
        create_api_key(owner_member, "test")


@pytest.mark.rest
def test_tokens_neither_work_nor_are_issued_meanwhile(
    owner_member: Member, admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = App.registered()
    tokens, code = app.connect(owner_member), app.code(owner_member)
    monkeypatch.setattr("accounts.erasure.erasing.member_data", lambda: ())
    monkeypatch.setattr("accounts.erasure.erasing.ERASURES", [_broken])
    with pytest.raises(RuntimeError, match="killed"):
        delete(admin, owner_member)
    assert status_of(tokens["access_token"]) == 401
    assert error_of(app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert error_of(app.exchange(code)) == (400, "invalid_grant")


@pytest.mark.same_statements
@pytest.mark.rest
@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize("again", ["admin", "purgeexpired"])
def test_an_interrupted_deletion_is_completed(admin: Client, owner_member: Member, again: str) -> None:
    if again == "admin":
        assert delete(admin, owner_member).status_code == 302
    else:
        call_command("purgeexpired")
    assert left(owner_member) == {}
    assert not Member.objects.filter(id=owner_member.id).exists()


@pytest.mark.rest
@pytest.mark.usefixtures("interrupted")
def test_a_member_being_deleted_cannot_be_reactivated(owner_member: Member) -> None:
    found = Member.objects.get(id=owner_member.id)
    found.is_active = True
    with pytest.raises(ValidationError, match="is being deleted"):
        found.full_clean()


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_a_running_write_and_rejects_the_next(
    admin: Client, owner: RestEntryPoint, owner_member: Member, course: Any, in_threads: Any
) -> None:
    from studyservice.changes.writing import writing

    stamped, deleting = Event(), Event()

    def slow() -> None:
        with writing(owner_member.id) as write:
            stamp = write.now
            stamped.set()
            deleting.wait(timeout=10)
            ItemFactory.create(member=owner_member, course=Course(id=course["id"]), title="slow", created_at=stamp)

    def erase() -> int:
        assert stamped.wait(timeout=10)
        deleting.set()
        return int(delete(admin, owner_member).status_code)

    def late() -> str | None:
        assert deleting.wait(timeout=10)
        return next(error for _ in count() if (error := owner.call("create_course", name="late").error))

    *_, status, error = in_threads(lambda act: act(), [slow, erase, late])
    assert (status, error in {"unauthorized", "not_found", "conflict"}) == (302, True)
    assert left(owner_member) == {}


@pytest.mark.django_db(transaction=True)
def test_concurrent_writers_and_refreshes_leave_nothing_behind(
    admin: Client, owner_member: Member, entry_point: Any, course: Any, in_threads: Any
) -> None:
    """Each request gets an answer other than 500, and none of their rows remain."""
    app = App.registered()
    tokens = [app.connect(owner_member) for _ in range(3)]

    def write(writer: RestEntryPoint) -> set[str | None]:
        answers: set[str | None] = set()
        while not answers - {None}:
            answers.add(writer.call("create_item", course_id=course["id"], title="x").error)
        return answers

    def refresh(held: Any) -> set[str | None]:
        answers: set[str | None] = set()
        while not answers - {None}:
            response = app.refresh(held["refresh_token"])
            held = response.json()
            answers.add(held.get("error"))
        return answers

    entry_points = [entry_point(owner_member) for _ in range(3)]
    work = [lambda writer=writer: write(writer) for writer in entry_points]
    work += [lambda held=held: refresh(held) for held in tokens]
    *answers, status = in_threads(lambda act: act(), [*work, lambda: delete(admin, owner_member).status_code])
    assert status == 302
    assert set().union(*answers[:3]) <= {None, "unauthorized", "not_found", "rate_limited"}
    assert set().union(*answers[3:]) <= {None, "invalid_grant", "temporarily_unavailable"}  # the last one is 429
    assert left(owner_member) == {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("queryset", [False, True])
def test_deleting_the_model_erases_the_member_too(owner: RestEntryPoint, owner_member: Member, queryset: bool) -> None:
    """It cannot run inside a transaction, as its batches would hold their locks to the end."""
    from django.db import transaction

    fill(owner, owner_member)
    found = Member.objects.filter(id=owner_member.id)
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        found.delete()
    assert found.exists()
    found.delete() if queryset else found.get().delete()
    assert left(owner_member) == {}
    assert not found.exists()


@pytest.mark.django_db(transaction=True)
def test_it_is_deleted_in_batches(admin: Client, owner: RestEntryPoint, owner_member: Member, monkeypatch: Any) -> None:
    """No transaction deletes more than a batch. On PostgreSQL, each starts after the last row of the one before."""
    from django.db import connection, transaction
    from django.db.models.signals import post_delete
    from django.test.utils import CaptureQueriesContext

    from accounts.erasure import erasing as erasure
    from courses.models import Course

    monkeypatch.setattr(erasure, "BATCH", 2)
    for number in range(5):
        owner.made("create_course", name=f"{number}")
    removed: list[Course] = []
    batches: list[int] = []

    def committed() -> None:
        if removed:
            batches.append(len(removed))
            removed.clear()

    def note(instance: Course, **_: Any) -> None:
        removed.append(instance)
        transaction.on_commit(committed)

    post_delete.connect(note, Course)
    try:
        with CaptureQueriesContext(connection) as captured:
            delete(admin, owner_member)
    finally:
        post_delete.disconnect(note, Course)
    assert batches == [2, 2, 1]
    onward = [
        query["sql"]
        for query in captured
        if '"courses_course"."id" > ' in query["sql"] and "ORDER BY" in query["sql"] and "LIMIT 2" in query["sql"]
    ]
    assert len(onward) == (3 if connection.vendor == "postgresql" else 0)


@pytest.mark.database("sqlite")
@pytest.mark.django_db(transaction=True)
def test_a_batch_reads_no_other_row_of_the_member(owner_member: Member) -> None:
    """On SQLite, the index by member would be read from its start for each batch."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from accounts.erasure.erasing import erase_member

    card = CardFactory.create(member=owner_member, deck__member=owner_member)
    ReviewFactory.create_batch(20, member=owner_member, card=card)
    AttemptFactory.create_batch(20, member=owner_member)
    with CaptureQueriesContext(connection) as captured:
        erase_member(owner_member.id)
    deleting = [query["sql"] for query in captured if query["sql"].startswith("DELETE") and '"id" IN (' in query["sql"]]
    with connection.cursor() as cursor:
        plans = [cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()[0][-1] for sql in deleting]
    assert any(" vocab_review " in plan for plan in plans)
    assert any(" practice_attempt " in plan for plan in plans)
    assert [plan for plan in plans if "member_id=?" in plan or "user_id=?" in plan] == []
