"""Code of the subjects that would see more than a credential may is found before it runs."""

import pytest

from tests.support.rows_only import complaints

pytestmark = [pytest.mark.rest, pytest.mark.database("sqlite", "reads source code")]

MODELS, RELATED = frozenset({"Item", "Course"}), frozenset({"items", "scores"})


@pytest.mark.parametrize(
    "source",
    [
        "Item.objects.filter(member_id=1)",
        "Item._base_manager.all()",
        "type(item)._default_manager.count()",
        "QuerySet(Item).filter(pk=1)",
        "course.items.filter(done=True)",
        "item.course.items.count()",
        "RawStatement('SELECT 1')",
        "connection.cursor()",
    ],
)
def test_it_finds_what_sees_all_rows(source: str) -> None:
    assert [line for line, _ in complaints(source, MODELS, RELATED)] == [1]


@pytest.mark.parametrize(
    "source",
    [
        "Item.rows.of(access).find('title', id=item_id)",
        "Item.rows.declared.filter(course_id=Param('course_id'))",
        "fields.items()",
        "proposal.items",
        "syllabus.raw[line]",
        "Member.objects.get(pk=1)",
    ],
)
def test_it_lets_rows_and_dictionaries_be(source: str) -> None:
    assert list(complaints(source, MODELS, RELATED)) == []
