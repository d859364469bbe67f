"""The database enforces the rules for every writer: value ranges, and rows that belong to one member."""

from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import DataError, IntegrityError, connection, models, transaction
from django.db.migrations import (
    AddField,
    AlterField,
    CreateModel,
    Migration,
    RemoveConstraint,
    RemoveField,
    RemoveIndex,
)
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from accounts.joining import Invitation
from accounts.models import (
    AccountEvent,
    ApiKey,
    AuthenticatorApp,
    CalendarFeed,
    LinkedIdentity,
    Member,
    MemberAddress,
    OutgoingMail,
    Passkey,
    ProviderSignIn,
    SignInCode,
    WaitingMembership,
)
from accounts.signing_in.models import BrowserSession
from courses.models import Course, Item, SyllabusFile
from grades.models import GradeCategory, GradeScore
from oauthserver.models import AccessToken, Application, Grant, RefreshToken
from planning.models import DueCalendar, ImportedEvent, Milestone, SchoolCalendar
from practice.models import Attempt, PracticeSum
from studyservice.database.member_keys import MemberForeignKey
from studyservice.database.online import AddConstraintNotValid, ValidateConstraint
from studyservice.models import Change, IdempotencyKey
from tests.support.cases import each
from tests.support.factories import (
    AccessTokenFactory,
    AccountEventFactory,
    ApiKeyFactory,
    ApplicationFactory,
    AttemptFactory,
    AuthenticatorAppFactory,
    CalendarFeedFactory,
    CardFactory,
    ChangeFactory,
    CourseFactory,
    DeckFactory,
    DueCalendarFactory,
    GradeCategoryFactory,
    GradeScoreFactory,
    GrantFactory,
    IdempotencyKeyFactory,
    ImportedEventFactory,
    InvitationFactory,
    ItemFactory,
    LinkedIdentityFactory,
    MemberFactory,
    MilestoneFactory,
    OutgoingMailFactory,
    PasskeyFactory,
    PracticeSumFactory,
    ProviderSignInFactory,
    RecoveryCodeFactory,
    RefreshTokenFactory,
    ReviewFactory,
    SchoolCalendarFactory,
    SecretOwnerFactory,
    SessionFactory,
    SignInCodeFactory,
    SyllabusFileFactory,
    WaitingMembershipFactory,
)
from vocab.models import Card, Deck, Review

APPS = ("accounts", "courses", "grades", "oauthserver", "planning", "practice", "vocab")
REFUSALS = (IntegrityError, DataError)

BAD: dict[type[models.Model], dict[str, list[Any]]] = {
    Member: {
        "email": ["", "x" * 255],
        "name": ["x" * 151],
        "time_zone": ["", "x" * 65],
        "desired_retention": [0.69, 0.991],
        "new_cards_a_day": [-1, 501],
        "seconds": [-0.1, 120.1],
        "seconds_reviews": [-1],
        "session_epoch": [-1],
    },
    ApiKey: {"name": ["", "x" * 61]},
    SignInCode: {"tries": [-1]},
    LinkedIdentity: {"issuer": ["", "x" * 256], "subject": ["", "x" * 256]},
    ProviderSignIn: {"target": ["", "x" * 16385]},
    AuthenticatorApp: {"sealed_secret": ["", "x" * 501], "last_step": [-1]},
    Passkey: {"name": ["", "x" * 61], "credential_id": ["", "x" * 1401], "sign_count": [-1]},
    AccountEvent: {
        "kind": ["", "signed_out"],
        "by_kind": ["", "nobody"],
        "network": ["203.0.113.7", "203.0.113.7/32", "2001:db8::/64"],
        "detail": ["x" * 256],
    },
    IdempotencyKey: {"key": ["", "x" * 256], "fingerprint": ["", "x" * 63, "x" * 65], "status": [-1, 199, 300]},
    Change: {
        "operation": ["", "x" * 65],
        "by_kind": ["", "ghost"],
        "by_name": ["x" * 256],
        "object_type": ["", "x" * 33],
        "object_name": ["x" * 256],
    },
    BrowserSession: {"browser": ["x" * 61]},
    Invitation: {"email": ["", "x" * 255], "name": ["x" * 151], "time_zone": ["", "x" * 65]},
    WaitingMembership: {"email": ["", "x" * 255]},
    OutgoingMail: {"email": ["", "x" * 255], "kind": ["", "code"], "attempts": [-1]},
    Course: {
        "name": ["", "x" * 121],
        "code": ["", "x" * 21],
        "term": ["", "x" * 61],
        "meets": ["", "x" * 121],
        "institution": ["", "x" * 121],
        "subject": ["", "x" * 81],
        "syllabus_text": ["", "x" * 500_001],
        "hue": [-1, 12],
    },
    SyllabusFile: {
        "filename": ["", "x" * 256],
        "media_type": ["", "x" * 101],
        "size": [-1],
        "sha256": ["", "x" * 63, "x" * 65],
        "text_status": ["", "lost"],
        "text": ["", "x" * 500_001],
        "characters": [-1, 500_001],
        "pages": [-1, 101],
        "expires_at": ["2026-11-22"],
    },
    Item: {
        "title": ["", "x" * 161],
        "kind": ["", "party"],
        "due_time": ["", "17:00"],
        "time_in_order": ["17:00"],
        "sequence": [-1],
    },
    Milestone: {"title": ["", "x" * 161], "position": [0, -1], "sequence": [-1]},
    ImportedEvent: {
        "uid": ["", "x" * 256],
        "instance": ["x" * 17],
        "prodid": ["x" * 256],
        "title": ["", "x" * 161],
        "due_time": ["x" * 6],
    },
    SchoolCalendar: {
        "name": ["", "x" * 121],
        "host": ["", "x" * 256],
        "address_end": ["", "x" * 5],
        "sealed_address": ["", "x" * 20_001],
        "answer": ["", "maybe"],
        "fingerprint": ["x" * 65],
        "etag": ["x" * 501],
        "last_modified": ["x" * 501],
        "error_type": ["x" * 41],
        "error_message": ["x" * 301],
        "failures": [-1],
    },
    DueCalendar: {"host": ["", "x" * 256]},
    GradeCategory: {
        "name": ["", "x" * 61],
        "weight": [-0.0001, 100.0001],
        "drop_lowest": [-1, 21],
        "position": [0, -1],
    },
    GradeScore: {
        "label": ["", "x" * 121],
        "score": [-0.0001, 150.0001],
        "points": [-0.0001, 16, 150_000.0001],
        "out_of": [0, 20, 100_000.0001],
    },
    Deck: {"name": ["", "x" * 121], "card_count": [-1]},
    Card: {
        "position": [0, -1],
        "term": ["", "x" * 201],
        "definition": ["", "x" * 2001],
        "state": ["", "known"],
        "step": [-1],
        "stability": [-0.1],
        "difficulty": [0.9, 10.1],
        "reps": [-1],
        "lapses": [-1],
    },
    Review: {
        "rating": ["", "fine"],
        "by_kind": ["", "ghost"],
        "by_name": ["x" * 256],
        "duration_ms": [-1, 3_600_001],
        "desired_retention": [0.69, 0.991],
        "state": ["", "known"],
        "step": [-1],
        "stability": [-0.1],
        "difficulty": [0.9, 10.1],
    },
    Attempt: {"source": ["", "guess"], "topic": ["", "x" * 121], "foretold": [-1, 1_000_000_001]},
    PracticeSum: {
        "id": [],
        "kind": ["", "week"],
        "topic": ["x" * 121],
        "attempts": [0, -1],
        "correct": [2, -1],
        "firsts": [-1],
        "foretold_attempts": [-1],
        "foretold": [-1],
        "foretold_correct": [-1],
        "run": [-1],
    },
    Application: {
        "name": ["", "x" * 121],
        "client_type": ["", "secret"],
        "authorization_grant_type": ["", "password"],
        "token_endpoint_auth_method": ["", "private_key_jwt"],
        "registration_source": ["", "found"],
    },
    Grant: {"code_challenge_method": ["", "plain"], "refusal": ["because"]},
}
"""Values that each column rejects."""


def owned_rows(member: Member) -> dict[type[models.Model], models.Model]:
    """One row of each of the member's models, and an app."""
    course = CourseFactory.create(member=member)
    item = ItemFactory.create(member=member, course=course)
    category = GradeCategoryFactory.create(member=member, course=course)
    deck = DeckFactory.create(member=member, course=course)
    card = CardFactory.create(member=member, deck=deck)
    app = ApplicationFactory.create()
    family: dict[str, Any] = {"user": member, "application": app, "token_family": uuid4()}
    token = AccessTokenFactory.create(**family)
    rows = [
        member,
        ApiKeyFactory.create(member=member),
        CalendarFeedFactory.create(member=member),
        SecretOwnerFactory.create(member=member),
        MemberAddress.objects.get(member=member),
        SignInCodeFactory.create(member=member),
        ProviderSignInFactory.create(member=member),
        LinkedIdentityFactory.create(member=member),
        AuthenticatorAppFactory.create(member=member),
        PasskeyFactory.create(member=member),
        RecoveryCodeFactory.create(member=member),
        IdempotencyKeyFactory.create(member=member),
        SessionFactory.create(member=member),
        InvitationFactory.create(),
        OutgoingMailFactory.create(),
        WaitingMembershipFactory.create(),
        course,
        SyllabusFileFactory.create(member=member, course=course),
        item,
        MilestoneFactory.create(member=member, item=item),
        ImportedEventFactory.create(member=member, course=course),
        SchoolCalendarFactory.create(member=member),
        DueCalendarFactory.create(member=member),
        category,
        GradeScoreFactory.create(member=member, category=category),
        deck,
        card,
        ReviewFactory.create(member=member, card=card),
        AttemptFactory.create(member=member),
        PracticeSumFactory.create(member=member),
        ChangeFactory.create(member=member),
        AccountEventFactory.create(member=member),
        app,
        GrantFactory.create(**family),
        token,
        RefreshTokenFactory.create(access_token=token, **family),
    ]
    return {type(row): row for row in rows}


def changed(row: models.Model, field: str, value: Any) -> None:
    """Set one column of a row, bypassing the code's rules, with all checks of a commit."""
    column = {known.attname: known.column for known in row._meta.concrete_fields}[field]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {row._meta.db_table} SET {column} = %s WHERE {row._meta.pk.column} = %s",  # noqa: S608
            [value, row._meta.pk.get_db_prep_value(row.pk, connection)],
        )
        connection.check_constraints()


@pytest.fixture
def rows(owner_member: Member) -> dict[type[models.Model], models.Model]:
    found = owned_rows(owner_member)
    tried = {*BAD, *(model for model, *_ in references())}
    assert not tried - found.keys(), f"Create a row of these models in owned_rows: {tried - found.keys()}"
    return found


def test_every_choice_and_every_number_has_bounds() -> None:
    """A new column with a range must add invalid values to `BAD`, which the next test tries."""
    for label in APPS:
        for model in apps.get_app_config(label).get_models():
            if model._meta.proxy:
                continue
            bounded = {
                field.attname
                for field in model._meta.concrete_fields
                if field.choices or isinstance(field, models.IntegerField | models.FloatField | models.DecimalField)
            }
            missing = bounded - BAD.get(model, {}).keys()
            assert not missing, f"Add invalid values of these columns of {model.__name__} to BAD: {missing}"


@each("model", BAD)
def test_a_value_out_of_range_is_rejected(model: type[models.Model], rows: Any) -> None:
    row = rows[model]
    for field, values in BAD[model].items():
        changed(row, field, row._meta.get_field(field).get_db_prep_save(getattr(row, field), connection))
        for value in values:
            with pytest.raises(REFUSALS):
                changed(row, field, value)


def references() -> list[tuple[type[models.Model], Any, str]]:
    """Each foreign key from one member's row to another, with its member field."""
    found = []
    for label in APPS:
        for model in apps.get_app_config(label).get_models():
            for field in () if model._meta.proxy else model._meta.concrete_fields:
                target = field.related_model
                if field.is_relation and target is not Member and (owner := owner_of(model)) and owner_of(target):
                    found.append((model, field, owner))
    return found


def owner_of(model: Any) -> str | None:
    """The member field of the row's model."""
    return next((field.name for field in model._meta.concrete_fields if field.related_model is Member), None)


def test_the_references_are_known() -> None:
    assert [f"{model.__name__}.{field.name}" for model, field, _ in references()] == [
        "SyllabusFile.course",
        "Item.course",
        "Item.category",
        "GradeCategory.course",
        "GradeScore.category",
        "GradeScore.item",
        "RefreshToken.access_token",
        "Milestone.item",
        "ImportedEvent.course",
        "Deck.course",
        "Card.deck",
        "Review.card",
    ], "List each foreign key between a member's rows: the next tests try them."


@each("reference", references())
def test_references_to_missing_or_another_members_rows_are_rejected(reference: Any, rows: Any) -> None:
    """Only PostgreSQL rejects another member's row."""
    model, field, _ = reference
    wrong = [uuid4()]
    if connection.vendor == "postgresql":
        wrong.append(owned_rows(MemberFactory.create())[field.related_model].pk)
    for key in wrong:
        with pytest.raises(IntegrityError):
            changed(rows[model], field.attname, field.get_db_prep_save(key, connection))


@pytest.mark.django_db
@each("reference", references())
def test_each_reference_has_one_foreign_key(reference: Any) -> None:
    """On PostgreSQL each includes the member and is validated. This covers new models."""
    model, field, owner = reference
    with connection.cursor() as cursor:
        table = connection.introspection.get_constraints(cursor, model._meta.db_table)
        keys = [key["columns"] for key in table.values() if key["foreign_key"] and field.column in key["columns"]]
        if connection.vendor != "postgresql":
            assert keys == [[field.column]]
            return
        assert keys == [[model._meta.get_field(owner).column, field.column]]
        cursor.execute(
            "SELECT confdeltype FROM pg_constraint WHERE NOT convalidated OR conname = %s",
            [f"{model._meta.db_table}_{field.name}_of_member"],
        )
        ends = "c" if field.remote_field.on_delete is models.CASCADE else "n"
        assert cursor.fetchall() == [(ends,)]


@each("time", ["00:00", "09:59", "23:00"])
def test_the_database_accepts_a_time_with_a_date(owner_member: Member, time: str) -> None:
    ItemFactory.create(member=owner_member, due_on="2026-12-03", due_time=time)


@each("time", ["24:00", "9:00", "12:60", "1a:00", "17-00", "17:00:00", " 9:00"])
def test_the_database_rejects_other_times(owner_member: Member, time: str) -> None:
    with pytest.raises(REFUSALS), transaction.atomic():
        ItemFactory.create(member=owner_member, due_on="2026-12-03", due_time=time)


@pytest.mark.database("postgresql")
def test_the_database_rejects_an_item_in_another_members_course(owner_member: Member) -> None:
    """Bypassing the code's rules."""

    def insert(course: Course) -> None:
        with transaction.atomic():
            Item.objects.bulk_create([ItemFactory.build(member=owner_member, course=course)])
            connection.check_constraints()

    insert(CourseFactory.create(member=owner_member))
    with pytest.raises(IntegrityError, match="courses_item_course_of_member"):
        insert(CourseFactory.create(member=MemberFactory.create()))


@pytest.mark.database("postgresql")
def test_the_database_deletes_rows_with_their_parent(rows: Any) -> None:
    """Everything below a course. Decks remain without a course, and so do attempts, which do not refer to it."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM courses_course WHERE member_id = %s", [rows[Member].id])
    connection.check_constraints()
    gone: set[type[models.Model]] = {Course}
    while below := {model for model, field, _ in references() if cascades_to(gone, field)} - gone:
        gone |= below
    assert {Item, Milestone, GradeScore} < gone
    assert {model for model, row in rows.items() if not model.objects.filter(pk=row.pk).exists()} == gone
    assert Deck.objects.filter(course=None, member=rows[Member]).exists()


def cascades_to(models_: set[type[models.Model]], field: Any) -> bool:
    return field.related_model in models_ and field.remote_field.on_delete is models.CASCADE


@pytest.mark.database("postgresql")
@pytest.mark.django_db
def test_later_migrations_update_the_foreign_keys() -> None:
    """The key follows an altered or removed field. A new table has it in place of Django's."""
    state = MigrationLoader(connection).project_state()
    below: Any = CreateModel(
        "Hint",
        fields=[
            ("id", models.UUIDField(primary_key=True)),
            ("member", models.ForeignKey("accounts.Member", models.CASCADE)),
            ("item", models.ForeignKey("courses.Item", models.CASCADE)),
        ],
        options={"constraints": [MemberForeignKey(field="item", name="hint_item_of_member")]},
    )
    course = models.ForeignKey("courses.Course", models.CASCADE, null=True, related_name="items")
    assert _keys("courses_item") == {("member_id",), ("member_id", "course_id"), ("member_id", "category_id")}
    state = _migrated(state, AlterField("item", "course", course), below)
    assert _keys("courses_item") == {("member_id",), ("member_id", "course_id"), ("member_id", "category_id")}
    assert _keys("courses_hint") == {("member_id",), ("member_id", "item_id")}
    added = models.ForeignKey("courses.Course", models.CASCADE, null=True)
    key = MemberForeignKey(field="course", name="hint_course_of_member")
    state = _migrated(state, AddField("hint", "course", added), AddConstraintNotValid("hint", key))
    assert ("course_id",) not in _keys("courses_hint")
    _migrated(
        state,
        ValidateConstraint("hint", "hint_course_of_member"),
        RemoveConstraint("item", "courses_item_course_of_member"),
        RemoveIndex("item", "item_course_due"),
        RemoveField("item", "course"),
    )
    assert _keys("courses_item") == {("member_id",), ("member_id", "category_id")}
    assert _keys("courses_hint") == {("member_id",), ("member_id", "item_id"), ("member_id", "course_id")}


def _migrated(state: ProjectState, *operations: Any) -> ProjectState:
    """The state after applying a migration of courses."""

    class Later(Migration):
        pass

    Later.operations = list(operations)
    with connection.schema_editor() as editor:
        return Later("later", "courses").apply(state, editor)


def _keys(table: str) -> set[tuple[str, ...]]:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
    return {tuple(key["columns"]) for key in found.values() if key["foreign_key"]}


@pytest.mark.django_db
def test_a_hash_has_one_index() -> None:
    """`unique=True` creates two on PostgreSQL, the second one for LIKE."""
    hashes: dict[type[models.Model], str] = {
        ApiKey: "secret_hash",
        Invitation: "secret_hash",
        CalendarFeed: "secret_hash",
        Grant: "code",
        AccessToken: "token_checksum",
        RefreshToken: "token_checksum",
    }
    for model, field in hashes.items():
        with connection.cursor() as cursor:
            constraints = connection.introspection.get_constraints(cursor, model._meta.db_table)
        on_it = [one for one in constraints.values() if one["columns"] == [field]]
        indexes = [one["unique"] for one in on_it if one["index"] or one["unique"]]
        assert indexes == [True], model.__name__
