"""How `@operation` reads an action, in a module with postponed annotations."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict
from uuid import UUID

import pytest
from rest_framework import serializers

from studyservice.operations.answers import answer
from studyservice.operations.declaration import MAX_DESCRIPTION, MAX_NAME, Operation, Scope, operation
from studyservice.operations.serializers import Query
from studyservice.viewsets import MemberViewSet
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "declarations of operations")


@answer(id="x")
class ThingRow(TypedDict):
    """A thing."""

    id: Annotated[str, "An id."]


def declare(action: Any) -> Operation:
    return operation("Thing", scope=Scope.READ, answer=ThingRow)(action)


def test_path_ids_are_uuids_even_with_postponed_annotations() -> None:
    def get_thing(self: Any, course_id: UUID, thing_id: UUID, depth: int = 1) -> dict[str, Any]:
        """A thing."""
        return {}

    assert declare(get_thing).path_ids == ("course_id", "thing_id")


def test_name_and_docstring_become_id_and_texts() -> None:
    def get_thing(self: Any) -> dict[str, Any]:
        """A thing,
        over two lines.

        For people,
        more of it.

        And more.
        """
        return {}

    declared = declare(get_thing)
    assert (declared.id, declared.description) == ("get_thing", "A thing, over two lines.")
    assert declared.about == ("For people, more of it.", "And more.")
    assert declared.action is get_thing


@each("docstring", ["", " ", "x" * (MAX_DESCRIPTION + 1)])
def test_a_description_is_required_and_short(docstring: str) -> None:
    def get_thing(self: Any) -> dict[str, Any]:
        return {}

    get_thing.__doc__ = docstring
    with pytest.raises(TypeError, match="docstring of 1 to 300 characters"):
        declare(get_thing)


def test_a_name_is_short() -> None:
    def get_thing(self: Any) -> dict[str, Any]:
        """A thing."""
        return {}

    get_thing.__name__ = "x" * (MAX_NAME + 1)
    with pytest.raises(TypeError, match="name over 64 characters"):
        declare(get_thing)


def test_a_viewset_rejects_an_undeclared_action() -> None:
    with pytest.raises(TypeError, match=r"ThingViewSet\.get_thing is not declared with @operation"):
        type("ThingViewSet", (MemberViewSet,), {"get_thing": lambda self: {}})


@each("query", Query.__subclasses__())
def test_query_defaults_are_prepared_and_never_shared(query: type[Query]) -> None:
    """A default in a schema must not be callable or mutable, since all requests share it."""
    defaults = [declared.default for declared in query.shared().fields.values()]
    assert not [default for default in defaults if callable(default) and default is not serializers.empty]
    found = query.parse({"unknown": 1})
    assert found == query.parse_text({}) == query.shared().run_validation({})
    found["changed"] = True
    assert "changed" not in query.parse({})
