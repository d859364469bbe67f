"""Folded text that list_items searches, stored beside courses and items."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from studyservice.database.expressions import contains, fold_all
from studyservice.hooks import HookList

ALSO_SEARCHED: HookList[Q] = HookList("what else q of list_items searches")
"""Further conditions of higher apps, for the folded `q` in their texts."""


def found() -> Q:
    """Condition for items with the folded text `q` in their title, note or course name, or in higher apps."""
    condition = contains("folded", "course__folded", param="q")
    for also in ALSO_SEARCHED:
        condition |= also
    return condition


def folded_course(columns: Mapping[str, Any]) -> dict[str, str]:
    """Compute the searched column of a course."""
    return {"folded": fold_all([columns["name"]])}


def folded_item(columns: Mapping[str, Any]) -> dict[str, str]:
    """Compute the searched column of an item."""
    return {"folded": fold_all([columns["title"], columns.get("note")])}
