"""The proposal of a syllabus as rows for the member's approval, and applying the approved ones to a course."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, cast
from uuid import UUID

from courses.approval import Applied, Approve, Approved, ReviewRow, State, due_in_words
from courses.courses import change_course
from courses.entry_serializers import WarningRow
from courses.item_batches import add_items
from courses.item_rows import GRADE_CATEGORY
from courses.items import change_items, delete_items, items_of
from courses.serializers import CourseFields, ItemFields, ItemRow
from courses.syllabi.reasons import TICKED
from courses.uploads.proposals import proposal_of, remembered_course
from courses.uploads.serializers import ProposalRow, ProposedItemRow
from studyservice.database.expressions import fold
from studyservice.operations.errors import Conflict
from studyservice.rows.access import Access, change

FOUND_WORDS: Final = {"confirmed": "Found in the text.", "inferred": "Date worked out."}
"""The word beside a selected row of the model, by its evidence."""


Choices = tuple[tuple[str, str], ...]
"""Keys and names of categories."""


def new_rows(proposal: ProposalRow, choices: Choices) -> list[ReviewRow]:
    """The rows of a new course with these categories."""
    cautions = _by_place(proposal)
    return [
        _row(place, item, State.NEW, cautions[place], choices=choices) for place, item in enumerate(proposal["items"])
    ]


def general_cautions(warnings: Sequence[WarningRow]) -> list[str]:
    """Warnings that are not about one item."""
    return [one["message"] for one in warnings if one["index"] is None]


def _version_rows(proposal: ProposalRow, items: Sequence[ItemRow], choices: Choices) -> Iterator[ReviewRow]:
    """The rows of a new version of a course's syllabus: only new, moved or gone items."""
    cautions, there = _by_place(proposal), {item["id"]: item for item in items}
    for place, item in enumerate(proposal["items"]):
        mine = None if item["item_id"] is None else there.get(item["item_id"])
        if item["match"] == "new":
            yield _row(place, item, State.NEW, cautions[place], choices=choices)
        elif item["match"] == "moved" and mine is not None:
            notes = [f"was {due_in_words(mine['due_on'], mine['due_time'])}", *cautions[place]]
            yield _row(place, item, State.MOVED, notes, mine)
        elif item["match"] == "gone" and mine is not None:
            yield ReviewRow(
                f"g{mine['id'].hex}",
                State.GONE,
                {"title": mine["title"], "kind": mine["kind"], "due_on": mine["due_on"], "due_time": mine["due_time"]},
                ticked=False,
                notes=("Not in this version. Tick it to delete it.",),
                item_id=mine["id"],
            )


def _row(  # noqa: PLR0917  # the columns of a row
    place: int,
    item: ProposedItemRow,
    state: State,
    notes: Sequence[str],
    mine: ItemRow | None = None,
    choices: Choices = (),
) -> ReviewRow:
    """The row of a proposed item. An existing item keeps its title and kind, which the member may have changed, and its
    time unless the text has one.
    """
    keys = [key for key, name in choices if item["category"] and fold(name) == fold(item["category"])]
    named = mine or item
    time = item["due_time"] or named["due_time"]
    is_sure = (item["confidence"] or 0) >= TICKED
    return ReviewRow(
        f"p{place}",
        state,
        {
            "title": named["title"],
            "kind": named["kind"],
            "due_on": item["due_on"],
            "due_time": time if item["due_on"] else None,
        },
        ticked=is_sure,
        source=item["quote"] or "",
        place=f"line {item['line']}",
        notes=(*notes, *((f"We left this unticked: {item['doubt']}.",) if item["doubt"] else ())),
        item_id=item["item_id"],
        word=FOUND_WORDS[item["evidence"]] if item["evidence"] and not item["doubt"] else "",
        category=keys[0] if len(keys) == 1 else "",
        choices=choices,
    )


def _by_place(proposal: ProposalRow) -> defaultdict[int, list[str]]:
    """The warnings about each item."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for one in proposal["warnings"]:
        if one["index"] is not None:
            found[one["index"]].append(one["message"])
    return found


_ATTEMPTS = 3
"""Number of attempts at one call, each of which another write can invalidate."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version compared with the current course.

    Attributes:
        there: the existing items of the course.
        choices: ids and names of its categories.
        rows: changes of the items, and new ones.
        cautions: general warnings.
    """

    there: list[ItemRow]
    choices: Choices
    rows: list[ReviewRow]
    cautions: list[str]

    @property
    def same(self) -> int:
        """The number of unchanged items."""
        return len(self.there) - sum(row.item_id is not None for row in self.rows)


def version_of(access: Access, course_id: UUID, text: str | None, model_answer: str = "") -> Version:
    """Parse a version and compare it. This takes up to two seconds of CPU, so it must run outside of a transaction.

    With the stored answer of the model, the rows are the model's.
    """
    there, choices = items_of(access, course_id), _choices(access, course_id)
    proposal = proposal_of(access, text, remembered_course(access, course_id), model_answer)
    return Version(there, choices, [*_version_rows(proposal, there, choices)], general_cautions(proposal["warnings"]))


def _choices(access: Access, course_id: UUID) -> Choices:
    """The categories of the course, in display order."""
    categories = GRADE_CATEGORY.rows.of(access).all("name", "position", course_id=course_id)
    return tuple((str(one["id"]), one["name"]) for one in sorted(categories, key=itemgetter("position")))


def apply_syllabus(
    access: Access,
    course_id: UUID,
    approve: Approve,
    *,
    text: str | None,
    syllabus_id: UUID | None = None,
    model_answer: str = "",
) -> Applied:
    """Store the version for the course and apply the approved rows: all or nothing.

    Args:
        text: of the version.
        syllabus_id: its upload, which becomes a file of the course.
        model_answer: the stored answer of the model, if the rows are the model's.

    Raises:
        NotFound: the member has no such course.
        ValidationFailed: the upload does not exist or has expired.
        Conflict: there would be too many items or files.
    """
    for _ in range(_ATTEMPTS):
        version = version_of(access, course_id, text, model_answer)
        with change(access, "apply_syllabus"):
            if items_of(access, course_id) == version.there and _choices(access, course_id) == version.choices:
                return _apply(access, course_id, approve(version.rows), _changes(text, syllabus_id))
    raise Conflict("The course is being changed at this moment. Send the table again.")


def _changes(text: str | None, syllabus_id: UUID | None) -> CourseFields:
    changes: CourseFields = {}
    if text is not None:
        changes["syllabus_text"] = text
    if syllabus_id is not None:
        changes["syllabus_id"] = syllabus_id
    return changes


def _apply(access: Access, course_id: UUID, approved: Sequence[Approved], changes: CourseFields) -> Applied:
    change_course(access, course_id, changes)
    of_state: defaultdict[State, list[Approved]] = defaultdict(list)
    for one in approved:
        of_state[one.row.state].append(one)
    moved = [(one.row.item_id, cast("ItemFields", one.item)) for one in of_state[State.MOVED] if one.row.item_id]
    deleted = delete_items(access, course_id, [one.row.item_id for one in of_state[State.GONE] if one.row.item_id])
    new = [one.item | {"category_id": UUID(one.category) if one.category else None} for one in of_state[State.NEW]]
    made = add_items(access, course_id, new)
    return Applied(len(made), change_items(access, course_id, moved), deleted)
