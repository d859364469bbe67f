"""Examples in the description and in the guides for callers must keep working for years."""

import json
import re
from pathlib import Path
from uuid import UUID

import pytest

from studyservice.guides.catalog import GUIDES, SECTIONS
from studyservice.openapi.answers import IDEMPOTENCY_KEY
from tests import ROOT
from tests.support.cases import each
from tests.support.entry_points import document, routes
from tests.support.world import WITH_BODY, body_schema

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


NOT_SHOWN = {
    "create_course": {"syllabus_id": "its text is an alternative", "syllabus_text": "is long"},
    "create_item": {"category_id": "names an object that the reader does not have"},
    "create_syllabus": {"course_id": "names an object that the reader does not have"},
    "create_vocab_deck": {"if_exists": "the default suits a new deck", "include_cards": "the default suits most calls"},
}
"""Optional fields that the example of a body leaves out, with the reason."""


@each("operation_id", [name for name in WITH_BODY if routes()[name].method != "PATCH"])
def test_the_example_of_a_body_shows_every_field(operation_id: str) -> None:
    """A PATCH needs only the changed fields."""
    schema = body_schema(operation_id)
    left_out = schema["properties"].keys() - schema["examples"][0].keys()
    excused = NOT_SHOWN.get(operation_id, {}).keys()
    assert not left_out - excused, "Add these to the example of the body, or with a reason to NOT_SHOWN."
    assert not excused - left_out, "Remove these from NOT_SHOWN."
