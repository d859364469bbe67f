"""Examples in the description and in the guides for callers must keep working for years."""

import json
import re
from pathlib import Path
from uuid import UUID

import pytest

from studyservice.guides.catalog import GUIDES, SECTIONS
from studyservice.openapi.answers import IDEMPOTENCY_KEY
from tests import ROOT
from tests.support.entry_points import document

pytestmark = pytest.mark.database("sqlite", "reads a page of the docs")


def test_no_example_uses_a_past_date() -> None:
    """No past dates in the description and the code of the guides. Polling examples begin in 2020."""
    old = re.compile(r"\b20(?:1\d|2[1-9])-\d\d-\d\d|(?:Fall|Spring) 20[12]\d")
    texts = {"openapi.json": json.dumps(document())}
    for section in SECTIONS:
        if section.own_origin:
            texts |= {guide.slug: "\n".join(_code(ROOT / guide.source)) for guide in section.guides}
    assert {name: found for name, text in texts.items() if (found := sorted(set(old.findall(text))))} == {}


def _code(guide: Path) -> list[str]:
    """The lines of the code blocks."""
    return re.findall(r"(?ms)^```.*?^```|^ {4,}\S.*?$", guide.read_text(encoding="utf-8"))


def test_the_example_idempotency_key_is_a_uuid_everywhere() -> None:
    told = "".join((ROOT / guide.source).read_text(encoding="utf-8") for guide in GUIDES)
    keys = re.findall(r'-H "Idempotency-Key: ([^"]*)"', told)
    assert len(keys) > 0
    for key in keys + IDEMPOTENCY_KEY["type"]["examples"]:
        assert UUID(key).version == 4, key
