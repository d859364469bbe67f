"""Checks docs/conformance.md: each statement of the specification names tests, and each named test exists.

`make check` runs it. It reads test files without running them.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests import ROOT

TABLE = ROOT / "docs" / "conformance.md"
HEAD = "| Section | Statement | Tests |"
RULE = "|---|---|---|"

_NODE_ID = re.compile(r"`(tests/[\w/]+\.py(?:::\w+)+)`")


def complaints(table: str) -> list[str]:
    """Return the errors in the table, one line each."""
    rows = _rows(table)
    return [*_wrong(rows)] if rows else [f"There is no table under {HEAD}"]


def _rows(table: str) -> list[tuple[int, str]]:
    """The rows of the table with their line numbers, without headings and rules."""
    lines = enumerate(table.splitlines(), start=1)
    return [(number, line) for number, line in lines if line.startswith("|") and line not in {HEAD, RULE}]


def _wrong(rows: list[tuple[int, str]]) -> Iterator[str]:
    known: dict[str, set[str]] = {}
    for number, row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        named = _NODE_ID.findall(cells[-1])
        if len(cells) != 3 or not all(cells):
            yield f"line {number}: a row has a section, a statement and tests"
        elif not named or _NODE_ID.sub("", cells[-1]).strip():
            yield f"line {number}: tests are written `tests/test_x.py::test_it_works`, and there is at least one"
        for node_id in named:
            file, _, name = node_id.partition("::")
            if name not in known.setdefault(file, _tests_in(ROOT / file)):
                yield f"line {number}: there is no test {node_id}"


def _tests_in(file: Path) -> set[str]:
    """The tests of a file, written like the end of a node id (`TestClass::test_name`)."""
    if not file.is_file():
        return set()
    return set(_named(ast.parse(file.read_text(encoding="utf-8")).body, ""))


def _named(body: list[ast.stmt], before: str) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _named(statement.body, f"{before}{statement.name}::")
        elif isinstance(statement, ast.FunctionDef) and statement.name.startswith("test_"):
            yield before + statement.name


if __name__ == "__main__":
    found = complaints(TABLE.read_text(encoding="utf-8"))
    sys.exit("\n".join(f"docs/conformance.md, {complaint}" for complaint in found) or None)
