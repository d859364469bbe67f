"""The order of checks in REST and tools: the errors of a call are fixed one by one.

Route, credential, rate and method have no meaning inside a tool call; `test_sweep` tests their order for REST.
"""

from typing import Any

import pytest

from accounts.members.membership import lapse, renew
from accounts.models import Member
from courses.models import Course, Item
from studyservice.registry.counts import recount
from tests.support.entry_points import Answer, RestEntryPoint
from tests.support.samples import UNKNOWN_ID

pytestmark = pytest.mark.django_db

WRONG = {"title": "", "kind": "party"}


@pytest.fixture
def full_course(owner_member: Member, course: Any) -> Any:
    """A course with the maximum number of items."""
    row = Course.objects.get(id=course["id"])
    Item.objects.bulk_create(
        Item(member=owner_member, course=row, title=f"Item {number}", kind="exam") for number in range(1000)
    )
    recount(owner_member.id)
    return course


def test_errors_are_reported_in_the_documented_order(
    owner: RestEntryPoint, reader: RestEntryPoint, owner_member: Member, full_course: Any
) -> None:
    def rejection(entry_point: RestEntryPoint, course_id: str, **body: Any) -> tuple[str | None, list[str]]:
        answer: Answer = entry_point.call("create_item", course_id=course_id, **body)
        return answer.error, answer.fields

    lapse(owner_member)
    assert rejection(reader, "17", **WRONG) == ("membership_required", [])
    renew(owner_member)
    assert rejection(reader, "17", **WRONG) == ("insufficient_scope", [])
    assert rejection(owner, "17", **WRONG) == ("validation_failed", ["course_id"])
    assert rejection(owner, UNKNOWN_ID, **WRONG) == ("not_found", [])
    assert rejection(owner, full_course["id"], **WRONG) == ("validation_failed", ["title", "kind"])
    assert rejection(owner, full_course["id"], title="One more") == ("conflict", [])
    Item.objects.filter(course_id=full_course["id"], title="Item 0").delete()
    recount(owner_member.id)
    assert rejection(owner, full_course["id"], title="One more") == (None, [])
