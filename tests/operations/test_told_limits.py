"""The limits that docs/errors.md tells are those of the code."""

import re

import pytest

from accounts.credentials.api_keys import MAX_ACTIVE_KEYS
from accounts.idempotency.replaying import MAX_KEYS
from courses.courses import MAX_COURSES
from courses.entry_serializers import MAX_CATEGORIES
from courses.item_counts import MAX_ITEMS, MAX_ITEMS_OF_MEMBER
from courses.uploads.attaching import MAX_FILES
from courses.uploads.rows import MAX_BYTES_OF_MEMBER
from grades.scores import MAX_SCORES
from planning.milestones import MAX_MILESTONES, MAX_MILESTONES_OF_MEMBER
from tests import ROOT
from tests.support.doors import document
from vocab.deck_creation import MAX_DECKS
from vocab.serializers import MAX_CARDS

pytestmark = pytest.mark.database("sqlite", "what a page of the docs says")


def test_the_table_has_the_limits_of_the_code() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8").partition("\n## Limits\n")[2].partition("\n## ")[0]
    parameters = document()["paths"]["/v1/items"]["get"]["parameters"]
    [limit] = [one["schema"] for one in parameters if one["name"] == "limit"]
    assert dict(re.findall(r"^\| (\w[^|]*?) \| ([^|]+?) \|$", text, re.MULTILINE)) == {
        "courses of a member": f"{MAX_COURSES}",
        "items of a course": f"{MAX_ITEMS:,}",
        "items of a member": f"{MAX_ITEMS_OF_MEMBER:,}",
        "milestones of an item": f"{MAX_MILESTONES}",
        "milestones of a member": f"{MAX_MILESTONES_OF_MEMBER:,}",
        "grade categories of a course": f"{MAX_CATEGORIES}",
        "scores of a course": f"{MAX_SCORES}",
        "files of a course": f"{MAX_FILES}",
        "files of a member": f"{MAX_BYTES_OF_MEMBER // 1024**2} MiB together",
        "decks of a member": f"{MAX_DECKS}",
        "cards of a deck": f"{MAX_CARDS}",
        "active API keys of a member": f"{MAX_ACTIVE_KEYS}",
        "idempotency keys of a member that are kept": f"{MAX_KEYS:,}",
        "items on a page": f"{limit['maximum']} ({limit['default']} unless told)",
    }
