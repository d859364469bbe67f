"""The tests named in docs/security.md exist."""

import re

import pytest

from tests import ROOT

pytestmark = pytest.mark.same_statements

PAGE = (ROOT / "docs" / "security.md").read_text()


def test_every_named_test_exists() -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"def (test_\w+)", sources))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 40
    assert named - there == set()


def test_every_threat_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| **", "| Threat"))]
    assert [row for row in rows if "`test_" not in row.split("|")[3]] == []
