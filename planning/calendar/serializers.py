"""Requests and answers of import_calendar."""

from datetime import date
from typing import Annotated, TypedDict
from uuid import UUID

from courses.models import ItemKind
from planning.calendar.assigning import LabelRow
from planning.calendar.properties import MAX_LABEL
from studyservice.operations.answers import answer, example_of, open_choice
from studyservice.operations.fields import StringField
from studyservice.operations.query_fields import QueryBooleanField
from studyservice.operations.serializers import Query


class CalendarImportQuery(Query):
    """Parameters of import_calendar."""

    dry_run = QueryBooleanField(default=False, help_text="Whether to tell what would happen and change nothing.")
    label = StringField(  # type: ignore[assignment]  # a field of that name
        required=False,
        max_length=MAX_LABEL,
        help_text="Only events of this label, without the brackets at the end of their titles.",
    )


@answer(title="Essay 1", due_on="2030-12-01", due_time="23:59")
class EventVersionRow(TypedDict):
    """Title, date and time as they are elsewhere."""

    title: Annotated[str, "The title there."]
    due_on: Annotated[date | None, "The date there; null means undated."]
    due_time: Annotated[str | None, "The time there, HH:MM; null means by the end of the day."]


@answer(
    uid="event-assignment-4711",
    item_id="8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
    title="Essay 1",
    kind="paper",
    due_on="2030-12-03",
    due_time="23:59",
)
class CalendarEventRow(TypedDict):
    """An event of a calendar file, with its item."""

    uid: Annotated[str, "The event's UID; instances of a recurring event share it."]
    item_id: Annotated[UUID | None, "The item's id; null while there is none."]
    title: Annotated[str, "The item's title."]
    kind: Annotated[str, open_choice("ItemKind", ItemKind.values), "What sort of item it is; new kinds may be added."]
    due_on: Annotated[date | None, "The item's date; null means undated."]
    due_time: Annotated[str | None, "The item's time, HH:MM; null means by the end of the day."]


@answer(**example_of(CalendarEventRow), before=example_of(EventVersionRow))
class ChangedEventRow(CalendarEventRow):
    """An item that takes the changes of the file."""

    before: Annotated[EventVersionRow, "The item before."]


@answer(**example_of(CalendarEventRow), file=example_of(EventVersionRow))
class KeptEventRow(CalendarEventRow):
    """An item that keeps the values that the member and the file both changed."""

    file: Annotated[EventVersionRow, "What the file says."]


@answer(uid="event-assignment-12", title="Reading", reason="deleted")
class SkippedEventRow(TypedDict):
    """An event that is not taken, or was read with a doubt."""

    uid: Annotated[str, "The event's UID, empty where it has none."]
    title: Annotated[str, "The event's title, empty where it has none."]
    reason: Annotated[
        str,
        "Why: deleted (the member has deleted the item), completed (a task that is done), opens (something "
        "only opens or becomes available then), no_uid, uid_too_long, no_title, no_date, recurs_too_often; more may be "
        "added. Events with unknown_zone (its time was read as UTC) and unreadable_text (with �) are taken.",
    ]


class ComparedRow(TypedDict):
    """The changes of one course in an answer."""

    new: list[CalendarEventRow]
    changed: list[ChangedEventRow]
    kept: list[KeptEventRow]
    gone: list[CalendarEventRow]
    unchanged: int
    skipped: list[SkippedEventRow]


@answer(
    dry_run=False,
    new=[example_of(CalendarEventRow)],
    changed=[example_of(ChangedEventRow)],
    kept=[example_of(KeptEventRow)],
    gone=[example_of(CalendarEventRow)],
    unchanged=12,
    skipped=[example_of(SkippedEventRow)],
    labels=[example_of(LabelRow)],
)
class CalendarImportRow(TypedDict):
    """What became of a calendar file."""

    dry_run: Annotated[bool, "Whether nothing was changed."]
    new: Annotated[list[CalendarEventRow], "Items that were made."]
    changed: Annotated[list[ChangedEventRow], "Items that got what only the file has changed."]
    kept: Annotated[list[KeptEventRow], "Items that stay in what both have changed; told once."]
    gone: Annotated[
        list[CalendarEventRow], "Items whose event was cancelled or is no longer in the file; they are not deleted."
    ]
    unchanged: Annotated[int, "How many items stay as they are."]
    skipped: Annotated[list[SkippedEventRow], "Events that were not taken, with the reason."]
    labels: Annotated[list[LabelRow], "The labels of all events, each with the course that it tells."]
