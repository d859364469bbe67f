"""Folded titles of milestones, which list_items searches."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from planning.models import Milestone
from studyservice.database.folding import contains, fold_all

_FOUND = Milestone.rows.declared.filter(contains("folded", param="q"))
IN_MILESTONES = Q(id__in=_FOUND.order_by().values("item_id"))
"""Items with the folded text `q` in the title of a milestone. The milestones are read once."""


def folded_milestone(columns: Mapping[str, Any]) -> dict[str, str]:
    """Compute the searched column of a milestone."""
    return {"folded": fold_all([columns["title"]])}
