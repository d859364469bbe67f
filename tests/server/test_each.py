"""`each` runs every case, keeps them apart, and names those that fail."""

from typing import Any

import pytest

from accounts.models import Member
from courses.models import Course
from tests.conftest import MakeMember
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory

pytestmark = pytest.mark.database("sqlite", "runs tests, whatever they store")


def test_failures_are_reported_together_with_their_cases() -> None:
    seen: list[tuple[int, str, str]] = []

    @each("number", range(5))
    @each(("word", "other"), [("a", "b"), ("c", "d")])
    def is_small(number: int, word: str, other: str) -> None:
        seen.append((number, word, other))
        assert number < 3 or word == "c"

    with pytest.raises(BaseExceptionGroup, match="2 of 10 cases") as raised:
        is_small()
    assert len(seen) == 10
    notes = [failure.__notes__ for failure in raised.value.exceptions]
    assert notes == [[f"The case: word='a', other='b', number={number}"] for number in (3, 4)]


def test_a_single_failure_is_raised_itself() -> None:
    @each("number", range(5))
    def is_small(number: int) -> None:
        if number > 3:
            pytest.fail("too large")

    with pytest.raises(pytest.fail.Exception, match="too large") as raised:
        is_small()
    assert raised.value.__notes__ == ["The case: number=4"]


@pytest.mark.django_db
@each("number", range(3))
def test_a_case_sees_no_row_of_another(owner_member: Member, number: int) -> None:
    assert not Course.objects.exists()
    CourseFactory.create(member=owner_member)


@pytest.mark.django_db
@pytest.mark.rest
@each("path", ["/v1/me", "/v1/courses"])
def test_a_case_has_its_own_rates(owner: RestEntryPoint, path: str) -> None:
    assert owner.request("GET", path).headers["RateLimit-Remaining"] == "119"


@pytest.mark.django_db
@each("number", range(2))
def test_a_case_has_its_own_cookies_and_values(
    client: Any, course: dict[str, Any], make_member: MakeMember, number: int
) -> None:
    assert not client.cookies
    assert course.pop("name") == "Cell Biology"
    client.force_login(make_member())
