"""The count of untyped places in signatures is correct."""

import pytest

from tests.support.any_share import places, share
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "counts types")


def untyped(signature: str) -> list[str]:
    return [place.name for place in places(f"def f{signature}: ...") if place.untyped]


def test_every_parameter_and_return_is_counted() -> None:
    source = (
        "class A:\n    def f(self, a: int, /, b: int, *c: int, d: int, **e: int) -> int: ...\n    async def g(cls): ..."
    )
    named = [place.name for place in places(source)]
    assert sorted(named) == ["f.a", "f.b", "f.c", "f.d", "f.e", "f.return", "g.return"]


@each(
    "annotation",
    [
        "Any",
        "typing.Any",
        "dict",
        "dict[str, Any]",
        "dict[str, object]",
        "Mapping",
        "Mapping[str, Any] | None",
        "Mapping[str, list[Any]]",
        "list[dict[str, Any]]",
        "QuerySet[Any]",
        "list[dict]",
        "Row",
        "list[Row]",
        "'dict[str, Any]'",
    ],
)
def test_annotations_without_information_are_untyped(annotation: str) -> None:
    assert untyped(f"(a: {annotation}) -> {annotation}") == ["f.a", "f.return"]


@each(
    "annotation",
    ["int", "object", "dict[str, int]", "Mapping[UUID, ItemRow]", "list[ItemRow]", "Unpack[ItemFields]", "'Member'"],
)
def test_annotations_with_information_are_typed(annotation: str) -> None:
    assert untyped(f"(a: {annotation}, **b: {annotation}) -> {annotation}") == []


@each(
    ("head", "found"),
    [
        ("from studyservice.database.statements import Row", ["f.a", "f.return"]),
        ("from courses.syllabi.rows import Row", []),
        ("class Row: ...", []),
    ],
)
def test_another_class_named_row_is_typed(head: str, found: list[str]) -> None:
    assert [place.name for place in places(f"{head}\ndef f(a: list[Row]) -> Row: ...") if place.untyped] == found


def test_missing_annotations_are_untyped() -> None:
    assert untyped("(a, *b, **c)") == ["f.a", "f.b", "f.c", "f.return"]


def test_what_passes_through_to_django_does_not_count() -> None:
    assert untyped("(self, *args: Any, **kwargs: Any) -> None") == untyped("(self, **options: Any) -> None") == []


def test_the_share_covers_all_places() -> None:
    assert share(list(places("def f(a: int, b: str, c: Any) -> None: ..."))) == 1 / 4
