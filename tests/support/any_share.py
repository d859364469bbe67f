"""Measures how vague the domain's signatures are: the share of `Any` and of dictionaries without known keys.

`make check` runs it. It reads the modules of the domain without importing them: every return and every parameter except
`self` and `cls`, and what only passes through to Django (`*args`, `**kwargs`, a command's `**options`). Migrations, the
admin and `studyservice/rows` are left out: they follow Django's interfaces, and the last takes rows of every model.
"""

import ast
import sys
from collections.abc import Iterator
from typing import NamedTuple

from tests import ROOT

_GROUND = ("archive", "changes", "registry", "rows", "undo")
PACKAGES = (
    *("accounts", "courses", "planning", "grades", "practice", "vocab"),
    *(f"studyservice/{name}" for name in _GROUND),
)
"""The apps, and the packages of `studyservice` that deal with members' rows."""

MOST = 0.05
"""The maximum allowed share."""

_LEFT_OUT = {"self", "cls", "args", "kwargs", "options"}
_DICTIONARIES = {"dict", "Mapping", "MutableMapping", "defaultdict"}
_UNKNOWN = {"Any", "object"}
_ROW_FROM = "studyservice.database.statements"
"""Generic classes whose `Row` is an untyped dictionary."""


class Place(NamedTuple):
    """A parameter or a return value.

    Attributes:
        name: function and parameter, like `create_item.title`.
        untyped: whether its annotation says nothing.
    """

    name: str
    annotation: str
    untyped: bool


def places(source: str) -> Iterator[Place]:
    """Every parameter and return value of the functions in a module."""
    module = ast.parse(source)
    unknown = {"Any"} if _defines_row(module) else {"Any", "Row"}
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            taken = function.args
            named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
            slots = {one.arg: one.annotation for one in named if one is not None and one.arg not in _LEFT_OUT}
            for name, annotation in {**slots, "return": function.returns}.items():
                text = ast.unparse(annotation) if annotation else "nothing"
                yield Place(f"{function.name}.{name}", text, annotation is None or _is_untyped(annotation, unknown))


def _defines_row(module: ast.Module) -> bool:
    """Return whether the module defines its own `Row` in place of the untyped dictionary."""
    return any(
        (isinstance(one, ast.ClassDef) and one.name == "Row")
        or (isinstance(one, ast.ImportFrom) and one.module != _ROW_FROM and "Row" in {name.name for name in one.names})
        for one in module.body
    )


def _is_untyped(annotation: ast.expr, unknown: set[str]) -> bool:
    """Return whether the annotation contains one of `unknown`, a bare dictionary, or a dictionary of any values."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    parametrized = {id(one.value): _names(one.slice) for one in ast.walk(annotation) if isinstance(one, ast.Subscript)}
    for one in ast.walk(annotation):
        name = _name(one)
        if name in unknown:
            return True
        if name in _DICTIONARIES and not (inside := parametrized.get(id(one), _UNKNOWN)).isdisjoint(_UNKNOWN):
            return bool(inside)
    return False


def _names(expression: ast.expr) -> set[str]:
    return {name for one in ast.walk(expression) if (name := _name(one))}


def _name(expression: ast.AST) -> str:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def domain() -> list[Place]:
    """Every parameter and return value in the domain."""
    found = []
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            if not {"migrations", "rows"} & {*file.relative_to(ROOT).parts} and not file.name.endswith("admin.py"):
                read = places(file.read_text(encoding="utf-8"))
                found += [place._replace(name=f"{file.relative_to(ROOT)}: {place.name}") for place in read]
    return found


def share(found: list[Place]) -> float:
    """The share of untyped parameters and return values, from 0 to 1."""
    return sum(place.untyped for place in found) / len(found)


def main() -> str | None:
    """Print the share. Return the complaint, or None."""
    found = domain()
    untyped = [place for place in found if place.untyped]
    sys.stdout.write(
        f"{len(untyped)} of {len(found)} types in signatures of the domain are unknown: {share(found):.1%}\n"
    )
    if share(found) <= MOST:
        return None
    listed = "\n".join(f"{place.name}: {place.annotation}" for place in untyped)
    return f"{listed}\nThat is more than {MOST:.0%}: name the parameters, or declare a TypedDict"


if __name__ == "__main__":
    sys.exit(main())
