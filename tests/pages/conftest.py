"""The member who signs in."""

from typing import TYPE_CHECKING

import pytest

from tests.conftest import MakeMember

if TYPE_CHECKING:
    from accounts.models import Member


@pytest.fixture
def member(make_member: MakeMember) -> "Member":
    """A member with a password."""
    from tests.support.signing_in import EMAIL, PASSWORD

    return make_member(EMAIL, password=PASSWORD)
