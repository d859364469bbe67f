"""The member who signs in, and a browser without scripts."""

from typing import TYPE_CHECKING

import pytest

from tests.conftest import MakeMember

if TYPE_CHECKING:
    from django.test import Client

    from accounts.models import Member


@pytest.fixture
def member(make_member: MakeMember) -> "Member":
    """A member with a password."""
    from tests.support.signing_in import EMAIL, PASSWORD

    return make_member(EMAIL, password=PASSWORD)


@pytest.fixture
def browser(owner_member: "Member") -> "Client":
    """A client in which the owner is signed in."""
    from django.test import Client

    client = Client()
    client.force_login(owner_member)
    return client
