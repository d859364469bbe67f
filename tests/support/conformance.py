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
    known: dict[str, dict[str, bool]] = {}
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
        if named and all(known[file].get(name) for file, _, name in (one.partition("::") for one in named)):
            yield f"line {number}: no test of it runs in `make test`; all are thorough"


def _tests_in(file: Path) -> dict[str, bool]:
    """Map each test of a file, written like the end of a node id, to whether only a thorough run has it."""
    if not file.is_file():
        return {}
    body = ast.parse(file.read_text(encoding="utf-8")).body
    values = {
        target.id: one.value
        for one in body
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    marks = {name for name, value in values.items() if _is_thorough(value, set())}
    return dict(_named(body, "", "pytestmark" in marks, marks))


def _named(body: list[ast.stmt], before: str, thorough: bool, marks: set[str]) -> Iterator[tuple[str, bool]]:
    for statement in body:
        if not isinstance(statement, ast.ClassDef | ast.FunctionDef):
            continue
        marked = thorough or any(_is_thorough(one, marks) for one in statement.decorator_list)
        if isinstance(statement, ast.ClassDef):
            yield from _named(statement.body, f"{before}{statement.name}::", marked, marks)
        elif statement.name.startswith("test_"):
            yield before + statement.name, marked


def _is_thorough(mark: ast.expr, marks: set[str]) -> bool:
    """Whether a decorator, or an entry of `pytestmark`, is the mark `thorough`, or is a name of it."""
    if isinstance(mark, ast.List):
        return any(_is_thorough(one, marks) for one in mark.elts)
    if isinstance(mark, ast.Name):
        return mark.id in marks
    return isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == "thorough"


if __name__ == "__main__":
    found = complaints(TABLE.read_text(encoding="utf-8"))
    sys.exit("\n".join(f"docs/conformance.md, {complaint}" for complaint in found) or None)
