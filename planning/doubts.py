"""Milestones due after their item, which tools report after a write."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import F

from planning.models import Milestone
from studyservice.changes.calls import doubt
from studyservice.database.rows import At
from studyservice.rows.access import Access, MemberSelect, as_array
from studyservice.rows.rows import OneOf


class _Late(TypedDict):
    title: str
    due_on: date
    item_title: Annotated[str, At("item__title")]
    item_due_on: Annotated[date, At("item__due_on")]


_LATE = MemberSelect(
    Milestone.rows.declared.filter(
        OneOf("item_id", "item_ids"), item__member_id=F("member_id"), done=False, due_on__gt=F("item__due_on")
    ).order_by("item_id", "position", "id"),
    _Late,
)


def late_milestones(access: Access, item_ids: Sequence[UUID]) -> Iterator[str]:
    """A sentence for each open milestone of these items that is due after its item. One statement."""
    for row in _LATE.all(access, item_ids=as_array(item_ids)):
        yield from _late([(row["title"], row["due_on"])], row["item_title"], row["item_due_on"])


def doubt_milestones(milestones: Sequence[tuple[str, date | None]], item_title: str, item_due_on: date | None) -> None:
    """Report which of the milestones, given by title and date, are due after their item, to tools. No statement."""
    doubt(partial(_late, milestones, item_title, item_due_on))


def _late(milestones: Sequence[tuple[str, date | None]], item_title: str, item_due_on: date | None) -> Iterator[str]:
    for title, due_on in milestones:
        if due_on is not None and item_due_on is not None and due_on > item_due_on:
            yield f"“{title}” is due on {due_on}, after “{item_title}”, which is due on {item_due_on}."
