"""Notes of a tool's result, for the assistant to pass on to the member.

Deleted objects and earlier values come from the call's row in the log of changes, so they cost no statement.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.conf import settings

from accounts.members.models import Member
from studyservice.changes.calls import Call
from studyservice.changes.contents import INTERNAL, UNDOABLE_FOR, ChangeRow, model_of
from studyservice.changes.stream import CHANGED, DELETED, stream_tables
from studyservice.changes.words import change_in_words, counts_in_words, listed
from studyservice.database.statements import Row
from studyservice.operations.declaration import Operation
from studyservice.rows.access import Credential
from studyservice.undo.log import told_change

MOST_CHARACTERS: Final = 100
"""Maximum characters of a changed text."""

MOST_SCORES: Final = 20
"""Number of deleted scores that a text names."""

MOST_QUOTES: Final = 20
"""Number of unconfirmed quotes, and of warnings, that a text names."""

_CONFIRMED: Final = "confirmed"
_MEANINGS: Final = {
    "inferred": "the words are there, but no date beside them, or only a relative or recurring one",
    "contradicted": "another date stands beside the words",
    "not_found": "the course's syllabus text has no such words",
}


def second_texts(operation: Operation, credential: Credential, call: Call, row: Row) -> Iterator[str]:
    """Yield the notes for a successful call. Most have none."""
    if call.change is not None:
        change = told_change(credential.limits, call.change)
        if operation.consequential and (gone := _deletion(change, call.change["taken"])):
            yield f"{gone}. {_undo(credential.member, change)}".strip()
        elif operation.partial:
            yield f"was: {json.dumps(_before(change, call.change['taken'], row), ensure_ascii=False)}"
    if quotes := _quotes(row):
        yield quotes


def _deletion(change: ChangeRow, taken: bytes | None) -> str:
    """Return `Deleted the item “Midterm” with 3 milestones`, or an empty text if nothing was deleted.

    Args:
        taken: the stored stream of the change.
    """
    before, after = change["before"] or {}, change["after"]
    if after is None:
        words = change_in_words(change)
        return words[:1].upper() + words[1:]
    kept = {entry["id"] for entry in _entries(after)}
    names = [entry["name"] for entry in _entries(before) if entry["id"] not in kept]
    if not names:
        return ""
    scores = counts_in_words({"grade_scores": before["grade_scores"]}) if before.get("grade_scores") else ""
    kind = "category" if len(names) == 1 else "categories"
    return f"Deleted the grade {kind} {listed(names)}{f' with {scores}{_scores_of(taken)}' if scores else ''}"


def _scores_of(taken: bytes | None) -> str:
    """Return `: “Quiz 1” and “Quiz 2” of “Quizzes”`, the deleted scores by category."""
    deleted: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for table in stream_tables(taken) if taken else ():
        if table.kind == DELETED:
            deleted[table.label] += [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    labels: defaultdict[str, list[str]] = defaultdict(list)
    for score in deleted["grades.GradeScore"][:MOST_SCORES]:
        labels[score["category_id"]].append(score["label"])
    more = len(deleted["grades.GradeScore"]) - MOST_SCORES
    told = [
        f"{listed(labels[one['id']])} of “{one['name']}”"
        for one in deleted["grades.GradeCategory"]
        if labels[one["id"]]
    ]
    return f": {', '.join(told)}{f', and {more} more' if more > 0 else ''}" if told else ""


def _entries(side: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the grade categories of one side of a change."""
    entries: Sequence[Mapping[str, Any]] = side.get("categories", ())
    return entries


def _undo(member: Member, change: ChangeRow) -> str:
    """Return the sentence with the member's last day to undo the change, and the page."""
    if not change["undoable"]:
        return ""
    last = (change["created_at"] + UNDOABLE_FOR).astimezone(ZoneInfo(member.time_zone)).date()
    return f"The member can undo this until {last}, at {settings.BASE_URL}/activity."


def _before(change: ChangeRow, stream: bytes | None, row: Row) -> Any:
    """Return the changed fields before the change, or a list of each object's if the call named several.

    The entries of the list have the object's id and the names of the tool's arguments, so that they can be sent back.
    """
    if "items" not in row:
        return _cut(change["before"] or {})
    type_ = change["object"]["type"]
    return [{f"{type_}_id": id_, **_cut(fields)} for id_, fields in _changed(type_, stream)]


def _changed(type_: str, stream: bytes | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the id and the earlier values of each changed object of this type."""
    model = model_of(type_)
    for table in stream_tables(stream) if stream and model else ():
        if model and (table.kind, table.label) == (CHANGED, model._meta.label):
            for id_, *values in table.rows:
                before = dict(zip(table.columns, values, strict=False))  # the values after follow
                yield id_, {name: value for name, value in before.items() if name not in INTERNAL}


def _cut(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value[:MOST_CHARACTERS] if isinstance(value, str) else value for name, value in fields.items()}


def _quotes(row: Row) -> str:
    """Count the confirmed quotes, and name the others and the warnings. Empty if none was sent."""
    listed_items: Any = row.get("items")
    entries: Any = listed_items or [row]
    quoted = [(place, entry) for place, entry in enumerate(entries) if "evidence" in entry]
    if not quoted:
        return ""
    others = [(place, entry) for place, entry in quoted if entry["evidence"] != _CONFIRMED]
    number = len(quoted) - len(others)
    noun, verb = "quote" if len(quoted) == 1 else "quotes", "is" if number == 1 or len(quoted) == 1 else "are"
    unconfirmed = [
        f"{f'items[{place}] ' if listed_items else ''}“{entry['title']}”, {said}: {_MEANINGS[said]}"
        for place, entry in others
        for said in (entry["evidence"],)
    ]
    warnings: Any = row.get("warnings") or ()
    cautions = [
        one["message"] if one["index"] is None else f"items[{one['index']}]: {one['message']}" for one in warnings
    ]
    head = f"{number} of {len(quoted)} {noun} {verb} confirmed."
    others_told = _told(" Tell the member of the others:", unconfirmed)
    return head + others_told + _told("\nWarnings for the member:", cautions)


def _told(head: str, sentences: Sequence[str]) -> str:
    """Return a list with its head; nothing without sentences."""
    more = len(sentences) - MOST_QUOTES
    shown = [*sentences[:MOST_QUOTES], *([f"and {more} more"] if more > 0 else [])]
    return "\n- ".join([head, *shown]) if sentences else ""
