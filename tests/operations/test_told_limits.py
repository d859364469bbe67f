"""The limits in docs/errors.md and /openapi.json equal those of the code and the specification."""

import re

import pytest

from accounts.credentials.keys import MAX_ACTIVE_KEYS
from courses.uploads.rows import MAX_BYTES_OF_MEMBER
from studyservice.changes.replaying import MAX_KEYS, MAX_LONG_BYTES
from studyservice.registry.data import member_data
from tests import ROOT
from tests.support.cases import each
from tests.support.entry_points import document
from tests.support.samples import COURSE_LIMITS
from tests.support.world import body_schema, declared, resolved

pytestmark = pytest.mark.database("sqlite", "published metadata")


def test_the_table_has_the_limits_of_the_code() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8").partition("\n## Limits\n")[2].partition("\n## ")[0]
    parameters = document()["paths"]["/v1/items"]["get"]["parameters"]
    [limit] = [one["schema"] for one in parameters if one["name"] == "limit"]
    limits = [limit for data in member_data() for limit in data.maxima]
    long_mib = MAX_LONG_BYTES // 1024**2
    assert dict(re.findall(r"^\| (\w[^|]*?) \| ([^|]+?) \|$", text, re.MULTILINE)) == {
        **{(one.what if one.per else f"{one.what} of a member"): f"{one.most:,}" for one in limits},
        "files of a member": f"{MAX_BYTES_OF_MEMBER // 1024**2} MiB together",
        "active API keys of a member": f"{MAX_ACTIVE_KEYS}",
        "idempotency keys of a member that are kept": f"{MAX_KEYS:,}, with long answers up to {long_mib} MiB",
        "items on a page": f"{limit['maximum']} ({limit['default']} by default)",
    }, "Correct the table of limits in docs/errors.md."


LENGTHS = {
    **dict.fromkeys(("create_course", "update_course"), COURSE_LIMITS | {"syllabus_text": 500_000}),
    **dict.fromkeys(("create_item", "update_item", "create_milestone", "update_milestone"), {"title": 160}),
    **dict.fromkeys(("add_grade_score", "update_grade_score"), {"label": 120}),
    **dict.fromkeys(("create_vocab_deck", "update_vocab_deck"), {"name": 120}),
    "update_vocab_card": {"term": 200, "definition": 2000},
}
"""Spec, Limits. `test_hostile_input.py` tests that the service enforces them."""


@each(("operation_id", "lengths"), LENGTHS.items())
def test_texts_have_the_lengths_of_the_specification(operation_id: str, lengths: dict[str, int]) -> None:
    fields = body_schema(operation_id)["properties"]
    assert {name: resolved(fields[name])["maxLength"] for name in lengths} == lengths
    assert {name for name in lengths if "null" not in fields[name]["type"] and fields[name]["minLength"] != 1} == set()


def test_numbers_have_the_bounds_of_the_specification() -> None:
    """Spec, Limits. `test_hostile_queries.py` and `test_hostile_input.py` test that the service enforces them."""
    score = body_schema("add_grade_score")["properties"]["score"]
    bounds = {
        (operation_id, parameter["name"]): (schema["minimum"], schema["maximum"], schema.get("default"))
        for operation_id in ("get_agenda", "list_items", "list_changes", "get_practice_stats")
        for parameter in declared(operation_id)["parameters"]
        if "minimum" in (schema := parameter["schema"])
    }
    assert (score["minimum"], score["maximum"]) == (0, 150)
    assert bounds == {
        ("get_agenda", "days"): (1, 120, 14),
        ("get_agenda", "minutes"): (5, 480, None),
        ("list_items", "limit"): (1, 100, 25),
        ("list_changes", "limit"): (1, 100, 25),
        ("get_practice_stats", "days"): (1, 365, 30),
    }
