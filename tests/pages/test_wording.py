"""Pages and e-mails are in plain English, without habits of translated text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "wording of pages")

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted(file for file in (ROOT / "templates").rglob("*.*") if "admin" not in file.parts)
CODE = sorted(
    file
    for pattern in ("*/pages/**/*.py", "studyservice/changes/words.py", "accounts/events.py", "studyservice/undo/*.py")
    for file in ROOT.glob(pattern)
    if "tests" not in file.parts
)

HABITS = re.compile(
    r"""\b(
        mend(ed|s)? | take[sn]?\ (it\ |them\ )?back | took\ .*back | brings?\ it\ back | brought\ back
        | the\ most\ there\ can\ be | there\ by\ now | go\ on\ working | any\ more | but\ for\ (the|its|their|uploaded)
        | somebody\ else | nobody\ can\ bring | by\ itself | for\ ever | such\ as | noted\ every | taken\ in | took\ in
        | is\ no\ (key|code|date|file|category|course) | on\ its\ way | goes\ with\ (it|its) | over\ to | at\ hand
        | set\ right | what\ is\ ticked | what\ may | whoever | speaks\ MCP
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)


def sentences(file: Path) -> Iterator[str]:
    """Yield the texts that people read: templates without tags, or strings in code without docstrings."""
    text = file.read_text()
    if file.suffix != ".py":
        text = re.sub(
            r"\{% comment %\}.*?\{% endcomment %\}|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]+>", " ", text, flags=re.DOTALL
        )
        yield " ".join(text.split())
        return
    for node in ast.walk(ast.parse(text)):
        for field in ("value", "values", "args", "keywords", "elts"):
            for part in _listed(getattr(node, field, None)):
                if not isinstance(node, ast.Expr) and isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def _listed(found: object) -> list[object]:
    return found if isinstance(found, list) else [found]


@each("file", [*TEMPLATES, *CODE])
def test_a_text_has_none_of_the_habits(file: Path) -> None:
    found = [
        (habit.group(), text[max(0, habit.start() - 60) : habit.end() + 40])
        for text in sentences(file)
        for habit in HABITS.finditer(text)
    ]
    assert found == []
