"""The pages for readers lead to files that are there."""

import re
from pathlib import Path

import pytest

from tests import ROOT

pytestmark = pytest.mark.once("reads pages of the docs")

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_YET = {"tests/operations/test_get_milestone.py", "tests/test_x.py"}
"""Names in examples."""

_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
_PATH = re.compile(r"`(\w[\w.-]*/(?:[\w.-]+/)*[\w-]+\.\w{2,4}|\.ci/run)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    linked = {link for link in _LINK.findall(text) if not (page.parent / link).exists()}
    named = {path for path in _PATH.findall(text) if not (ROOT / path).exists()}
    assert linked | named - NOT_YET == set()


def test_every_page_is_found_from_the_readme() -> None:
    linked = set(_LINK.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {str(page.relative_to(ROOT)) for page in PAGES if page.name != "README.md"} <= linked
