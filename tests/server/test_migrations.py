"""Migrations run both ways over data that is there."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from accounts.changes.models import Change
from accounts.events.models import AccountEvent
from accounts.joining.models import Invitation
from accounts.models import (
    AuthenticatorApp,
    CalendarFeed,
    IdempotencyKey,
    Member,
    MemberAddress,
    OutgoingMail,
    Passkey,
    RecoveryCode,
    SecretOwner,
)
from accounts.signing_in.browser_sessions import BrowserSession
from courses.models import Course, Item
from oauthserver.models import Application
from planning.models import ImportedEvent
from practice.models import PracticeSum
from studyservice.database.migration_states import rendered_sparingly
from tests.server.test_database_rules import changed, owned_rows
from tests.support.doors import RestDoor
from tests.support.factories import ItemFactory, stored
from tests.support.practice import counted_sums, kept_sums
from tests.support.vocabulary import made_deck, reviewed
from vocab.models import Card, Deck

BEFORE_RULES = {
    "planning": "0001",
    "grades": "0001",
    "vocab": "0001",
    "courses": "0001",
    "practice": "0001",
    "oauthserver": "0003",
    "accounts": "0004",
}
"""The last migration of each app before the database refused what the code refuses."""

ADDED_SINCE = {
    "reused_at",
    "last_call_at",
    "refused_at",
    "refusal",
    "card_count",
    "item_count",
    "by_kind",
    "by_id",
    "by_name",
    "desired_retention",
    "reminded_until",
    "joins",
    "sequence",
    "compared_with_id",
    "media_type",
    "size",
    "sha256",
    "text_status",
    "text",
    "characters",
    "pages",
    "expires_at",
    "networks",
    "auth_method_named",
}
"""Columns that the database had not yet then."""

TABLES_SINCE = {
    AccountEvent,
    AuthenticatorApp,
    BrowserSession,
    CalendarFeed,
    Change,
    Invitation,
    IdempotencyKey,
    ImportedEvent,
    MemberAddress,
    OutgoingMail,
    Passkey,
    PracticeSum,
    RecoveryCode,
    SecretOwner,
}
"""Models that had no table yet."""

pytestmark = pytest.mark.django_db(transaction=True)


def contents(rows: dict[Any, Any]) -> list[list[dict[str, Any]]]:
    """Every column of every row of these models that was there before the rules too."""
    columns = {
        model: [field.attname for field in model._meta.concrete_fields] for model in rows if model not in TABLES_SINCE
    }
    return [
        list(model.objects.order_by("pk").values(*(name for name in names if name not in ADDED_SINCE)))
        for model, names in columns.items()
    ]


def migrate_back(targets: dict[str, str]) -> None:
    """Bring each of the apps back to its migration with that number, all in one go."""
    executor = MigrationExecutor(connection)
    found = {app: executor.loader.get_migration_by_prefix(app, number).name for app, number in targets.items()}
    with rendered_sparingly():
        executor.migrate(list(found.items()))


@pytest.fixture
def practised(owner: RestDoor, owner_member: Member, stranger: RestDoor) -> tuple[Any, Any]:
    """Items, cards and practice of two members, whose sums have gone; gives one of the cards, and the owner's sums."""
    course = owner.made("create_course", name="Cell Biology")
    stored(ItemFactory, 3, member=owner_member, course=Course(id=course["id"]))
    deck = made_deck(owner, "a", "b", course_id=course["id"])
    Card.objects.filter(term="a").delete()
    card = deck["cards"][1]
    for rating in ("good", "again"):
        reviewed(owner, card, rating)
    reviewed(stranger, made_deck(stranger, "c", name="Theirs")["cards"][0], "good")
    sums = kept_sums(owner_member)
    PracticeSum.objects.all().delete()
    return card, sums


@pytest.fixture
def signed_in(make_member: Any) -> tuple[Member, Client, BrowserSession]:
    """A member, a browser in which they are signed in, and its session."""
    member, browser = make_member(desired_retention=0.95), Client()
    browser.force_login(member)
    return member, browser, BrowserSession.objects.get()


@pytest.fixture
def old_rows(make_member: Any, practised: Any, signed_in: Any) -> Iterator[dict[Any, Any]]:
    """One row of each kind for two members, what is `practised`, and the session, in the database as it was before."""
    rows = {model: row for model, row in owned_rows(make_member()).items() if model not in TABLES_SINCE}
    owned_rows(make_member())
    PracticeSum.objects.all().delete()
    Application.objects.update(auth_method_named=False)
    before = contents(rows)
    try:
        migrate_back(BEFORE_RULES)
        assert contents(rows) == before
        keep_as_django_did(signed_in[2])
        yield rows
    finally:
        Item.objects.exclude(kind="other").update(kind="other")
        call_command("migrate", verbosity=0)


def keep_as_django_did(session: BrowserSession) -> None:
    """Put a session into the table of Django's own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE django_session (session_key varchar(40) PRIMARY KEY, session_data text NOT NULL, "
            f"expire_date {BrowserSession._meta.get_field('expire_date').db_type(connection)} NOT NULL)"
        )
        cursor.execute(
            "INSERT INTO django_session VALUES (%s, %s, %s)",
            [session.session_key, session.session_data, connection.ops.adapt_datetimefield_value(session.expire_date)],
        )


@pytest.mark.rest
@pytest.mark.database("postgresql", "rows that migrations move, by the same code on both")
def test_data_that_is_there_comes_under_the_rules_is_counted_and_moves(
    old_rows: dict[Any, Any],
    practised: tuple[Any, Any],
    signed_in: tuple[Member, Client, BrowserSession],
    owner: RestDoor,
    owner_member: Member,
) -> None:
    """In one walk, as that is what takes time: a row that breaks a rule stops it first."""
    before = contents(old_rows)
    changed(old_rows[Item], "kind", "party")
    with pytest.raises(IntegrityError, match="item_kind"):
        call_command("migrate", verbosity=0)
    assert Item.objects.filter(kind="party").exists()
    changed(old_rows[Item], "kind", "other")
    call_command("migrate", verbosity=0)
    assert contents(old_rows) == before
    with pytest.raises(IntegrityError):
        changed(old_rows[Item], "kind", "party")
    assert_counted(owner_member)
    assert_each_has_sums(owner, owner_member, practised)
    assert set(Application.objects.values_list("auth_method_named", flat=True)) == {True}
    assert_moved(*signed_in)


def assert_counted(member: Member) -> None:
    assert Course.objects.get(member=member).item_count == 3
    named = Deck.objects.filter(name__in=["Organelles", "Theirs"])
    assert dict(named.values_list("name", "card_count")) == {"Organelles": 1, "Theirs": 1}


def assert_each_has_sums(owner: RestDoor, member: Member, practised: tuple[Any, Any]) -> None:
    """Each member's are apart, under the key that the next attempt finds."""
    card, sums = practised
    assert kept_sums(member) == sums
    rows = PracticeSum.objects.count()
    reviewed(owner, card, "good")
    assert PracticeSum.objects.count() == rows
    assert kept_sums(member) == counted_sums(member)


def assert_moved(member: Member, browser: Client, session: BrowserSession) -> None:
    """The retention went from the member and came back, and so did a session, by way of Django's table, which goes.

    Its browser and its member are noted as soon as it is used.
    """
    assert set(Member.objects.values_list("desired_retention", flat=True)) == {0.9, 0.95}
    assert Member.objects.get(desired_retention=0.95) == member
    assert "django_session" not in connection.introspection.table_names()
    [moved] = BrowserSession.objects.all()
    kept = (moved.session_key, moved.session_data, moved.expire_date)
    assert kept == (session.session_key, session.session_data, session.expire_date)
    assert (moved.browser, moved.member) == ("", None)
    assert browser.get("/account").status_code == 200
    assert BrowserSession.objects.get().member == member
