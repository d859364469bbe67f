"""Answers of list_changes and undo_change."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from accounts.changes.contents import Fields
from accounts.changes.models import ActorKind
from studyservice.operations.answers import answer, example_of, open_choice


@answer(kind="app", id="9c1d7b2e-5a3f-4e8d-b6c4-0f2a7d9e1b35", name="Claude")
class ActorRow(TypedDict):
    """The actor of a change."""

    kind: Annotated[
        str,
        open_choice("ActorKind", ActorKind.values),
        "An API key, a connected app, a page of this service, an operator, an operator's command, or a "
        "school calendar.",
    ]
    id: Annotated[UUID | None, "Id of the key, app, operator or calendar; null otherwise."]
    name: Annotated[str | None, "Its name at the time, or the calendar's host; null for a page."]


@answer(type="item", id="8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02", name="Midterm exam")
class ChangedObjectRow(TypedDict):
    """The object of a change."""

    type: Annotated[str, "Such as course, item, milestone, grade_score, deck or card."]
    id: Annotated[UUID, "Its id."]
    name: Annotated[str, "Its name, before the change."]


@answer(
    id="019a9c1f-6c2e-7b3a-8d41-5e0f6a7b8c9d",
    created_at="2030-11-21T08:30:00.000000Z",
    operation="update_item",
    by=example_of(ActorRow),
    object=example_of(ChangedObjectRow),
    before={"due_on": "2030-12-03"},
    after={"due_on": "2030-12-05"},
    undoable=True,
    undone_at=None,
)
class ChangeRow(TypedDict):
    """The change made by one call."""

    id: Annotated[UUID, "The change's id, or the review's."]
    created_at: Annotated[datetime, "When it was made."]
    operation: Annotated[str, "The operation; operator_read when an operator read the object."]
    by: Annotated[ActorRow | None, "The actor; null for old reviews."]
    object: Annotated[ChangedObjectRow, "The changed object, the first of several."]
    before: Annotated[
        Fields | None,
        "The changed fields before, texts cut at 300 characters, dependents as counts; null for a creation.",
    ]
    after: Annotated[Fields | None, "The same fields after; null for a deletion."]
    undoable: Annotated[bool, "Whether it can be undone, perhaps after later changes: for 30 days."]
    undone_at: Annotated[datetime | None, "When it was undone; null if it was not."]
