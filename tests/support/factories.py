"""Rows that tests need beside those created by the API: one factory per model, with defaults for unset fields.

`CourseFactory.create(member=member)` stores one course; `stored(CourseFactory, 99, member=member)` stores many at once.
Related rows must have the same member: a test that passes a row also passes the member.
"""

from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

from django.db.models import Model
from django.utils import timezone
from factory.declarations import LazyAttribute, LazyFunction, SelfAttribute, Sequence, SubFactory
from factory.django import DjangoModelFactory, Password

from accounts.credentials.owners import add_owner
from accounts.joining import Invitation
from accounts.models import (
    AccountEvent,
    ApiKey,
    AuthenticatorApp,
    CalendarFeed,
    LinkedIdentity,
    Member,
    OutgoingMail,
    Passkey,
    ProviderSignIn,
    RecoveryCode,
    SecretOwner,
    SignInCode,
    WaitingMembership,
)
from accounts.signing_in.models import BrowserSession
from courses.models import Course, Item, SyllabusFile
from grades.models import GradeCategory, GradeScore
from oauthserver.models import AccessToken, Application, Grant, RefreshToken
from planning.models import DueCalendar, ImportedEvent, Milestone, SchoolCalendar
from practice.models import Attempt, PracticeSum, Source, SumKind
from studyservice.database.expressions import fold_all
from studyservice.database.times import END_OF_DAY
from studyservice.models import ActorKind, Change, IdempotencyKey
from vocab.models import Card, CardState, Deck, Rating, Review

Row = TypeVar("Row", bound=Model)


def stored(factory_class: type[DjangoModelFactory[Row]], number: int, **fields: object) -> list[Row]:
    """Store `number` rows in a few statements. `fields` must include every referenced row, as none is created."""
    rows: list[Row] = factory_class.build_batch(number, **fields)
    return type(rows[0])._default_manager.bulk_create(rows)


def stored_for_each(
    factory_class: type[DjangoModelFactory[Row]], columns: dict[str, list[Any]], **fields: object
) -> list[Row]:
    """Like `stored`, with one row for each of the values in `columns`."""
    rows = [
        factory_class.build(**dict(zip(columns, values, strict=True)), **fields)
        for values in zip(*columns.values(), strict=True)
    ]
    return type(rows[0])._default_manager.bulk_create(rows)


def _digest() -> str:
    """A random digest, stored in place of a secret's."""
    return uuid4().hex + uuid4().hex


class MemberFactory(DjangoModelFactory[Member]):
    """A member without a password. Only the database checks the row, because full validation would slow every test."""

    class Meta:
        model = Member

    email = LazyFunction(lambda: f"{uuid4().hex}@example.org")
    password = Password(None)


class _OfMember(DjangoModelFactory[Row]):
    """A model with one member, by default a new one."""

    class Meta:
        abstract = True

    member = SubFactory(MemberFactory)


def _same_members(factory_class: type[DjangoModelFactory[Row]]) -> SubFactory:
    """Another row of the same member."""
    return SubFactory(factory_class, member=SelfAttribute("..member"))


class ApiKeyFactory(_OfMember[ApiKey]):
    """A key whose secret nobody knows. `make_key` creates a working one."""

    class Meta:
        model = ApiKey

    name = "Key"
    secret_hash = LazyFunction(_digest)
    hint = "svc_sk_a…b"

    @classmethod
    def _create(cls, model_class: type[ApiKey], *args: Any, **kwargs: Any) -> ApiKey:
        key: ApiKey = super()._create(model_class, *args, **kwargs)  # type: ignore[no-untyped-call]  # the library's
        add_owner(key.secret_hash, key.member_id)
        return key


class SecretOwnerFactory(_OfMember[SecretOwner]):
    """Maps the hash of an unknown secret to its member."""

    class Meta:
        model = SecretOwner

    id = LazyFunction(uuid4)


class CalendarFeedFactory(_OfMember[CalendarFeed]):
    """A feed whose secret nobody knows. `new_feed` creates a working one."""

    class Meta:
        model = CalendarFeed

    secret_hash = LazyFunction(_digest)


class SignInCodeFactory(_OfMember[SignInCode]):
    """An unknown code that expires in ten minutes."""

    class Meta:
        model = SignInCode

    code_hash = LazyFunction(_digest)
    expires_at = LazyFunction(lambda: timezone.now() + timedelta(minutes=10))


class ProviderSignInFactory(_OfMember[ProviderSignIn]):
    """One that ends in ten minutes."""

    class Meta:
        model = ProviderSignIn

    id = LazyFunction(uuid4)
    target = "/account"
    expires_at = LazyFunction(lambda: timezone.now() + timedelta(minutes=10))


class LinkedIdentityFactory(_OfMember[LinkedIdentity]):
    """A person at a college."""

    class Meta:
        model = LinkedIdentity

    issuer = "https://login.example.org"
    subject = LazyFunction(_digest)


class AuthenticatorAppFactory(_OfMember[AuthenticatorApp]):
    """An app whose secret nobody can decrypt. `tests.support.second_factor` enrolls a working one."""

    class Meta:
        model = AuthenticatorApp

    sealed_secret = LazyFunction(_digest)


class PasskeyFactory(_OfMember[Passkey]):
    """A passkey without a device."""

    class Meta:
        model = Passkey

    name = "Laptop"
    credential_id = LazyFunction(_digest)
    public_key = b"key"


class RecoveryCodeFactory(_OfMember[RecoveryCode]):
    """An unknown recovery code."""

    class Meta:
        model = RecoveryCode

    secret_hash = LazyFunction(_digest)


class AccountEventFactory(_OfMember[AccountEvent]):
    """A sign-in without an address."""

    class Meta:
        model = AccountEvent

    kind = "signed_in"
    by_kind = "page"


class IdempotencyKeyFactory(_OfMember[IdempotencyKey]):
    """The stored answer of an invented call."""

    class Meta:
        model = IdempotencyKey

    holder = LazyFunction(uuid4)
    key = LazyFunction(lambda: uuid4().hex)
    fingerprint = LazyFunction(_digest)
    status = 201
    answer = "{}"
    whole = True


class OutgoingMailFactory(DjangoModelFactory[OutgoingMail]):
    """An e-mail with undecryptable content."""

    class Meta:
        model = OutgoingMail

    kind = "reminder"
    email = LazyFunction(lambda: f"{uuid4().hex}@example.org")
    content = "sealed"


class InvitationFactory(DjangoModelFactory[Invitation]):
    """An invitation for a new address, with an unknown link."""

    class Meta:
        model = Invitation

    email = LazyFunction(lambda: f"{uuid4().hex}@example.org")
    secret_hash = LazyFunction(_digest)
    expires_at = LazyFunction(lambda: timezone.now() + timedelta(days=7))


class WaitingMembershipFactory(DjangoModelFactory[WaitingMembership]):
    """An open-ended membership of an address that has not joined."""

    class Meta:
        model = WaitingMembership

    email = LazyFunction(lambda: f"{uuid4().hex}@example.org")
    active = True


class SessionFactory(DjangoModelFactory[BrowserSession]):
    """An empty browser session without a signed-in user, unless the test sets one."""

    class Meta:
        model = BrowserSession

    session_key = LazyFunction(lambda: uuid4().hex)
    session_data = ""
    expire_date = LazyFunction(lambda: timezone.now() + timedelta(days=1))


class CourseFactory(_OfMember[Course]):
    class Meta:
        model = Course

    name = Sequence("Course {}".format)
    folded = LazyAttribute(lambda course: fold_all([course.name]))


class SyllabusFileFactory(_OfMember[SyllabusFile]):
    """The row for a file of a course, without the file."""

    class Meta:
        model = SyllabusFile

    course = _same_members(CourseFactory)
    file = LazyFunction(lambda: f"syllabi/{uuid4().hex}")
    filename = "syllabus.pdf"
    media_type = "application/pdf"
    size = 8
    sha256 = LazyFunction(lambda: uuid4().hex + uuid4().hex)
    text_status = "no_text"


class ItemFactory(_OfMember[Item]):
    class Meta:
        model = Item

    course = _same_members(CourseFactory)
    title = Sequence("Item {}".format)
    due_time = None
    folded = LazyAttribute(lambda item: fold_all([item.title]))
    time_in_order = LazyAttribute(lambda item: item.due_time or END_OF_DAY)


class MilestoneFactory(_OfMember[Milestone]):
    class Meta:
        model = Milestone

    item = _same_members(ItemFactory)
    title = Sequence("Milestone {}".format)
    folded = LazyAttribute(lambda milestone: fold_all([milestone.title]))
    position = Sequence(lambda n: n + 1)


class ImportedEventFactory(_OfMember[ImportedEvent]):
    """An event whose item was deleted."""

    class Meta:
        model = ImportedEvent

    course = _same_members(CourseFactory)
    item_id = LazyFunction(uuid4)
    uid = Sequence("event-{}".format)
    prodid = "-//Tests//EN"
    title = Sequence("Event {}".format)
    due_on = LazyFunction(lambda: timezone.now().date())


class SchoolCalendarFactory(_OfMember[SchoolCalendar]):
    class Meta:
        model = SchoolCalendar

    name = Sequence("Calendar {}".format)
    host = "canvas.school.example"
    address_end = ".ics"
    sealed_address = "sealed"


class DueCalendarFactory(_OfMember[DueCalendar]):
    class Meta:
        model = DueCalendar

    id = LazyFunction(uuid4)
    host = "canvas.school.example"
    next_read_at = LazyFunction(timezone.now)


class GradeCategoryFactory(_OfMember[GradeCategory]):
    class Meta:
        model = GradeCategory

    course = _same_members(CourseFactory)
    name = Sequence("Category {}".format)
    weight = 5
    position = Sequence(lambda n: n + 1)


class GradeScoreFactory(_OfMember[GradeScore]):
    class Meta:
        model = GradeScore

    category = _same_members(GradeCategoryFactory)
    label = Sequence("Score {}".format)
    score = 80


class DeckFactory(_OfMember[Deck]):
    """A deck without cards and without a course."""

    class Meta:
        model = Deck

    name = Sequence("Deck {}".format)


class CardFactory(_OfMember[Card]):
    """A card without reviews."""

    class Meta:
        model = Card

    deck = _same_members(DeckFactory)
    position = Sequence(lambda n: n + 1)
    term = Sequence("Term {}".format)
    definition = Sequence("What term {} is.".format)


class ReviewFactory(_OfMember[Review]):
    """The first review of a card."""

    class Meta:
        model = Review

    card = _same_members(CardFactory)
    rating = Rating.GOOD
    reviewed_at = LazyFunction(timezone.now)
    desired_retention = 0.9
    state = CardState.NEW
    due_at = LazyFunction(timezone.now)


class ChangeFactory(_OfMember[Change]):
    """The creation of a course by a management command."""

    class Meta:
        model = Change

    created_at = LazyFunction(timezone.now)
    operation = "create_course"
    by_kind = ActorKind.COMMAND
    object_type = "course"
    object_id = LazyFunction(uuid4)
    object_name = "Course"
    contents = b'{"before":null,"after":{"name":"Course"}}'
    undoable = True


class AttemptFactory(_OfMember[Attempt]):
    """A correct answer right now, which counts for today in UTC."""

    class Meta:
        model = Attempt

    source = Source.VOCAB
    topic = "Organelles"
    correct = True
    attempted_at = LazyFunction(timezone.now)
    day = LazyAttribute(lambda attempt: attempt.attempted_at.date())


class PracticeSumFactory(_OfMember[PracticeSum]):
    """The sum of one day with one attempt."""

    class Meta:
        model = PracticeSum

    kind = SumKind.DAY
    starts_on = LazyFunction(lambda: timezone.now().date())
    topic_key = LazyFunction(uuid4)
    attempts = 1
    correct = 1
    newest_at = LazyFunction(timezone.now)
    run = 1


class ApplicationFactory(DjangoModelFactory[Application]):
    """An app whose secret nobody knows. `tests.support.oauth.App.registered` creates a working one."""

    class Meta:
        model = Application

    name = Sequence("App {}".format)
    client_id = LazyFunction(lambda: uuid4().hex)
    redirect_uris = "https://app.example/callback"
    client_type = Application.CLIENT_CONFIDENTIAL
    authorization_grant_type = Application.GRANT_AUTHORIZATION_CODE


class _OfConnection(DjangoModelFactory[Row]):
    """A row of a member's connection with an app."""

    class Meta:
        abstract = True

    user = SubFactory(MemberFactory)
    application = SubFactory(ApplicationFactory)
    token_family = LazyFunction(uuid4)
    scope = "read"
    expires = LazyFunction(lambda: timezone.now() + timedelta(days=1))


class GrantFactory(_OfConnection[Grant]):
    """An unknown authorization code."""

    class Meta:
        model = Grant

    code = LazyFunction(_digest)
    code_challenge_method = "S256"
    redirect_uri = "https://app.example/callback"


class AccessTokenFactory(_OfConnection[AccessToken]):
    """An unknown access token."""

    class Meta:
        model = AccessToken

    token_checksum = LazyFunction(_digest)


class RefreshTokenFactory(_OfConnection[RefreshToken]):
    """An unknown refresh token."""

    class Meta:
        model = RefreshToken

    token_checksum = LazyFunction(_digest)
