"""Folded titles of milestones, which list_items searches."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q

from planning.models import Milestone
from studyservice.database.filling import repair_columns
from studyservice.database.folding import contains, fold_all

_FOUND = Milestone.rows.declared.filter(contains("folded", param="q"))
IN_MILESTONES = Q(id__in=_FOUND.order_by().values("item_id"))
"""Items with the folded text `q` in the title of a milestone. The milestones are read once."""


def folded_milestone(columns: Mapping[str, Any]) -> dict[str, str]:
    """Compute the searched column of a milestone."""
    return {"folded": fold_all([columns["title"]])}


def repair_folded_milestones(member_id: UUID) -> int:
    """Recompute folded titles of rows that bypassed the service. Return how many were wrong."""
    return repair_columns(Milestone.objects.filter(member_id=member_id), ("title", "folded"), folded_milestone)
