"""Script improves pages that work without it: it stays small, and needs no library."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.database("sqlite", "files")

FOLDER = Path(__file__).parents[2] / "studyservice/static/studyservice"
MOST = 500


def test_all_script_together_is_small() -> None:
    lines = {file.name: len(file.read_text().splitlines()) for file in FOLDER.rglob("*.js")}
    assert lines
    assert sum(lines.values()) <= MOST, lines


def test_no_script_comes_from_elsewhere() -> None:
    """The script imports no module, and calls no other site."""
    for file in FOLDER.rglob("*.js"):
        text = file.read_text()
        assert "import " not in text, file.name
        assert "//" not in text.replace("// ", ""), file.name
