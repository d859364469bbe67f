"""The limits that docs/errors.md tells are those of the code."""

import re

import pytest

from accounts.credentials.api_keys import MAX_ACTIVE_KEYS
from accounts.idempotency.replaying import MAX_KEYS, MAX_LONG_BYTES
from courses.courses import COURSES
from courses.item_counts import ITEMS_OF_COURSE, ITEMS_OF_MEMBER
from courses.uploads.attaching import FILES_OF_COURSE
from courses.uploads.rows import MAX_BYTES_OF_MEMBER
from grades.categories import CATEGORIES_OF_COURSE
from grades.scores import SCORES_OF_COURSE
from planning.milestones import MILESTONES_OF_ITEM, MILESTONES_OF_MEMBER
from tests import ROOT
from tests.support.doors import document
from vocab.card_changes import CARDS_OF_DECK
from vocab.deck_creation import DECKS

pytestmark = pytest.mark.once("what a page of the docs says")


def test_the_table_has_the_limits_of_the_code() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8").partition("\n## Limits\n")[2].partition("\n## ")[0]
    parameters = document()["paths"]["/v1/items"]["get"]["parameters"]
    [limit] = [one["schema"] for one in parameters if one["name"] == "limit"]
    long_mib = MAX_LONG_BYTES // 1024**2
    assert dict(re.findall(r"^\| (\w[^|]*?) \| ([^|]+?) \|$", text, re.MULTILINE)) == {
        "courses of a member": f"{COURSES.most}",
        "items of a course": f"{ITEMS_OF_COURSE.most:,}",
        "items of a member": f"{ITEMS_OF_MEMBER.most:,}",
        "milestones of an item": f"{MILESTONES_OF_ITEM.most}",
        "milestones of a member": f"{MILESTONES_OF_MEMBER.most:,}",
        "grade categories of a course": f"{CATEGORIES_OF_COURSE.most}",
        "scores of a course": f"{SCORES_OF_COURSE.most}",
        "files of a course": f"{FILES_OF_COURSE.most}",
        "files of a member": f"{MAX_BYTES_OF_MEMBER // 1024**2} MiB together",
        "decks of a member": f"{DECKS.most}",
        "cards of a deck": f"{CARDS_OF_DECK.most}",
        "active API keys of a member": f"{MAX_ACTIVE_KEYS}",
        "idempotency keys of a member that are kept": f"{MAX_KEYS:,}, with long answers up to {long_mib} MiB",
        "items on a page": f"{limit['maximum']} ({limit['default']} unless told)",
    }
