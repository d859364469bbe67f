"""The proposal of a syllabus as rows for the member's approval."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from courses.approval import ReviewRow, State, day_in_words
from courses.serializers import ItemRow
from courses.uploads.serializers import ProposalRow, ProposedItemRow

FOUND_WORDS: Final = {"confirmed": "Found in the text.", "inferred": "Date worked out."}
"""The word beside a selected row of the model, by its evidence."""

SURE = 0.8
"""The confidence from which a row is selected."""


def new_rows(proposal: ProposalRow) -> list[ReviewRow]:
    """The rows of a new course."""
    cautions = _by_place(proposal)
    return [_row(place, item, State.NEW, cautions[place]) for place, item in enumerate(proposal["items"])]


def version_rows(proposal: ProposalRow, there: Sequence[ItemRow]) -> list[ReviewRow]:
    """The rows of a new version of a course's syllabus: only new, moved or gone items."""
    return list(_version_rows(proposal, {item["id"]: item for item in there}))


def general_cautions(proposal: ProposalRow) -> list[str]:
    """Warnings that are not about one item."""
    return [one["message"] for one in proposal["warnings"] if one["index"] is None]


def _version_rows(proposal: ProposalRow, there: Mapping[UUID, ItemRow]) -> Iterator[ReviewRow]:
    cautions = _by_place(proposal)
    for place, item in enumerate(proposal["items"]):
        mine = None if item["item_id"] is None else there.get(item["item_id"])
        if item["match"] == "new":
            yield _row(place, item, State.NEW, cautions[place])
        elif item["match"] == "moved" and mine is not None:
            notes = [f"was {day_in_words(mine['due_on'])}", *cautions[place]]
            yield _row(place, item, State.MOVED, notes, mine)
        elif item["match"] == "gone" and mine is not None:
            yield ReviewRow(
                f"g{mine['id'].hex}",
                State.GONE,
                mine["title"],
                mine["kind"],
                mine["due_on"],
                ticked=False,
                notes=("Not in this version. Tick it to delete it.",),
                item_id=mine["id"],
            )


def _row(
    place: int, item: ProposedItemRow, state: State, notes: Sequence[str], mine: ItemRow | None = None
) -> ReviewRow:
    """The row of a proposed item. An existing item keeps its title and kind, which the member may have changed."""
    named = mine or item
    is_sure = (item["confidence"] or 0) >= SURE
    return ReviewRow(
        f"p{place}",
        state,
        named["title"],
        named["kind"],
        item["due_on"],
        ticked=is_sure,
        source=item["quote"] or "",
        place=f"line {item['line']}",
        notes=(*notes, *((f"Not ticked: {item['doubt']}.",) if item["doubt"] else ())),
        item_id=item["item_id"],
        word=FOUND_WORDS[item["evidence"]] if item["evidence"] and not item["doubt"] else "",
    )


def _by_place(proposal: ProposalRow) -> defaultdict[int, list[str]]:
    """The warnings about each item."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for one in proposal["warnings"]:
        if one["index"] is not None:
            found[one["index"]].append(one["message"])
    return found
