"""Addresses are unique by a separate table, which is not partitioned with the members."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction

from accounts.erasure.erasing import erase_member
from accounts.models import Member, MemberAddress
from tests.support.factories import MemberFactory

pytestmark = pytest.mark.django_db

NEW = "new@example.org"


@pytest.fixture
def spread() -> Iterator[None]:
    """Remove the unique address from the members' own table, as when it is distributed over servers."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "accounts_member")
        [name] = [name for name, one in found.items() if one["unique"] and one["columns"] == ["email"]]
        cursor.execute(f"ALTER TABLE accounts_member DROP CONSTRAINT {name}")
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE accounts_member ADD CONSTRAINT {name} UNIQUE (email)")


def made(_: Any = None) -> bool:
    """Return whether a member was created."""
    try:
        Member.objects.create_user(NEW)
    except (ValidationError, IntegrityError):
        return False
    return True


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_members_gets_the_address(in_threads: Any) -> None:
    assert sorted(in_threads(made, [0, 1, 2, 3])) == [False, False, False, True]
    assert MemberAddress.objects.get(email=NEW).member == Member.objects.get(email=NEW)


@pytest.mark.database("postgresql")
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spread")
def test_one_of_two_concurrent_distributed_members_gets_the_address(in_threads: Any) -> None:
    assert sorted(in_threads(made, [0, 1, 2, 3])) == [False, False, False, True]
    assert Member.objects.filter(email=NEW).count() == 1


def test_another_members_address_is_rejected() -> None:
    """The table decides, whatever the member's row contains."""
    other = MemberFactory.create()
    MemberAddress.objects.create(email=NEW, member_id=MemberFactory.build().id)
    other.email = NEW
    for store in (other.save, lambda: MemberFactory.create(email=NEW)):
        with pytest.raises(IntegrityError), transaction.atomic():
            store()


def test_it_follows_the_member() -> None:
    member = MemberFactory.create(email="old@example.org")
    member.email = NEW
    member.save()
    assert Member.objects.at(NEW).get() == member == Member.objects.get_by_natural_key("New@Example.org ")
    assert not Member.objects.at("old@example.org").exists()
    member.name = "Other"
    member.save()
    assert MemberAddress.objects.filter(member=member).values_list("email", flat=True).get() == NEW


@pytest.mark.django_db(transaction=True)
def test_it_is_free_after_the_member_is_deleted() -> None:
    member = MemberFactory.create(email=NEW)
    erase_member(member.id)
    assert not MemberAddress.objects.exists()
    assert made()


def test_an_abandoned_address_leads_to_no_member() -> None:
    """An earlier version leaves the row unchanged."""
    member = MemberFactory.create(email="old@example.org")
    Member.objects.filter(id=member.id).update(email=NEW)
    assert not Member.objects.at("old@example.org").exists()


def test_changing_the_address_creates_a_missing_row() -> None:
    member = MemberFactory.create(email="old@example.org")
    MemberAddress.objects.all().delete()
    member.email = NEW
    member.save()
    assert Member.objects.at(NEW).get() == member
