"""Scripts improve pages that work without them: they stay small and need no library."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.database("sqlite", "files")

FOLDER = Path(__file__).parents[2] / "studyservice/static/studyservice"
MOST = 500


def test_all_scripts_together_are_small() -> None:
    lines = {file.name: len(file.read_text().splitlines()) for file in FOLDER.rglob("*.js")}
    assert lines
    assert sum(lines.values()) <= MOST, lines


def test_no_script_is_loaded_from_another_site() -> None:
    """Scripts import no module, and call no other site."""
    for file in FOLDER.rglob("*.js"):
        text = file.read_text()
        assert "import " not in text, file.name
        assert "//" not in text.replace("// ", ""), file.name
