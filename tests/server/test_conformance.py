"""The check of docs/conformance.md finds errors."""

import pytest

from tests.support.cases import each
from tests.support.conformance import HEAD, RULE, complaints

pytestmark = pytest.mark.database("sqlite", "reads a page of the docs")


def _table(*rows: str) -> str:
    return "\n".join([HEAD, RULE, *rows])


@each(
    ("row", "complaint"),
    [
        ("| 1 | It works | |", "line 3: a row has"),
        ("| 1 | It works |", "line 3: a row has"),
        ("| 1 | It works | some day |", "line 3: tests are written"),
        ("| 1 | It works | `tests/operations/test_get_me.py` |", "line 3: tests are written"),
        ("| 1 | It works | `tests/operations/test_get_me.py::test_none` |", "line 3: there is no test"),
        ("| 1 | It works | `tests/test_none.py::test_none` |", "line 3: there is no test"),
        ("| 1 | It works | `tests/operations/test_get_me.py::TestNone::test_none` |", "line 3: there is no test"),
        (
            "| 1 | It works | `tests/exam_plan/test_documentation.py::test_the_tables_equal_those_of_the_simulation` |",
            "line 3: no test of it runs in `make test`",
        ),
    ],
)
def test_a_row_without_an_existing_test_is_found(row: str, complaint: str) -> None:
    [found] = complaints(_table(row))
    assert found.startswith(complaint)


def test_several_tests_and_tests_in_classes_are_recognized() -> None:
    names = (
        "test_announce.py::TestAnnounce::test_a_dry_run_sends_nothing",
        "test_cors.py::test_errors_can_be_read_too",
    )
    cell = " ".join(f"`tests/server/{name}`" for name in names)
    assert complaints(_table(f"| 1 | It works | {cell} |")) == []


def test_a_page_without_a_table_is_found() -> None:
    assert complaints("# Conformance") != []
