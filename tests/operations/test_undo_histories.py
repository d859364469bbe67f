"""Random histories: an undo restores exactly the previous state, or is rejected and changes nothing."""

import copy
import random
from typing import Any

import pytest
from hypothesis import Phase, event, example, given
from hypothesis import strategies as st

from accounts.changes.contents import Part, unpacked
from accounts.changes.snapshots import snapshot_tables
from accounts.members.counts import recount
from accounts.models import Member
from accounts.undo.kinds import parts_of
from studyservice.rates import limiter as rates
from tests.operations.test_changes_replayed import (
    ACTIONS,
    BY_TYPE,
    FIRST,
    MODELS,
    Rows,
    back,
    logged,
    replace,
    restore,
    state,
)
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.properties import examples
from tests.support.random_writes import WRITES
from vocab.models import Review

pytestmark = [pytest.mark.django_db, pytest.mark.rest]


NEWER = [(which, 0, 3) for which in range(len(ACTIONS), len(WRITES))]
"""Kinds missing in `ACTIONS`, so that every run has all of them."""

STEPS = st.lists(
    st.tuples(st.integers(0, len(WRITES) - 1), st.integers(0, 99), st.integers(0, 99)), min_size=4, max_size=14
)

ENTRY_POINTS = st.sampled_from([RestEntryPoint, McpEntryPoint])
"""The entry points used by the history."""

GENERATED = examples(6, phases=[Phase.explicit, Phase.generate])


def _entry_points(secret: str, kind: type[RestEntryPoint]) -> tuple[RestEntryPoint, RestEntryPoint]:
    """Use REST for the steps and for reading, as it is cheapest."""
    return kind(secret), RestEntryPoint(secret)


def do(entry_point: RestEntryPoint, which: int, one: int, other: int) -> None:
    """Change any existing object."""
    rates.clear()
    chosen = {
        "course": entry_point.made("list_courses")["data"],
        "item": entry_point.made("list_items", limit=100)["data"],
        "deck": entry_point.made("list_vocab_decks")["data"],
    }
    ids = {name: found[one % len(found)]["id"] for name, found in chosen.items() if found}
    needs, act = WRITES[which]
    if needs in ids or not needs:
        act(entry_point, ids, other)


def answers(entry_point: RestEntryPoint) -> Any:
    """The answer of every read operation, without timestamps that an undo may renew."""
    rates.clear()
    courses = entry_point.made("list_courses")["data"]
    items = sorted(entry_point.made("list_items", limit=100)["data"], key=lambda item: item["id"])
    decks = entry_point.made("list_vocab_decks")["data"]
    told = {
        "courses": [entry_point.made("get_course", course_id=one["id"], include_syllabus=True) for one in courses],
        "grades": [entry_point.made("get_grades", course_id=one["id"]) for one in courses],
        "items": [entry_point.made("get_item", item_id=one["id"]) for one in items],
        "milestones": [entry_point.made("list_milestones", item_id=one["id"])["data"] for one in items],
        "decks": [entry_point.made("list_vocab_decks", deck_id=one["id"], include_cards=True) for one in decks],
        "stats": entry_point.made("get_practice_stats"),
    }
    return without_stamps(told)


def without_stamps(told: Any) -> Any:
    """Without `updated_at`, and for items without `created_at`. The next items of a course are sorted by id."""
    if isinstance(told, list):
        return [without_stamps(one) for one in told]
    if not isinstance(told, dict):
        return told
    new = {"updated_at"} | ({"created_at"} if "days_until" in told else set())
    kept = {name: without_stamps(value) for name, value in told.items() if name not in new}
    if "next_items" in kept:
        kept["next_items"] = sorted(kept["next_items"], key=lambda item: item["id"])
    return kept


def undo(entry_point: RestEntryPoint, change_id: Any) -> Any:
    rates.clear()
    return entry_point.request("POST", f"/v1/changes/{change_id}/undo")


def require_right_counts(member: Member) -> None:
    assert recount(member.id) == 0


def test_undoing_any_history_in_reverse_restores_the_earlier_answers(make_member: Any, make_key: Any) -> None:
    @given(STEPS, ENTRY_POINTS)
    @example(NEWER, RestEntryPoint)
    @example(NEWER, McpEntryPoint)
    @GENERATED
    def check(steps: list[tuple[int, int, int]], kind: type[RestEntryPoint]) -> None:
        member = make_member()
        entry_point, reading = _entry_points(make_key(member)[0], kind)
        moments = []
        known: set[Any] = set()
        for one in [*FIRST, *steps]:
            then = answers(reading)
            do(entry_point, *one)
            new = logged(member).keys() - known
            known |= new
            moments += [(then, change_id) for change_id in new]
        for then, change_id in reversed(moments):
            response = undo(entry_point, change_id)
            assert response.status_code == 200, response.json()
            assert answers(reading) == then
        require_right_counts(member)

    check()


@pytest.mark.thorough("the other test has fewer histories")
def test_an_undo_in_any_order_is_exact_or_changes_nothing(make_member: Any, make_key: Any) -> None:
    @given(STEPS, st.integers(0, 10**6), ENTRY_POINTS)
    @example(NEWER, 1, RestEntryPoint)
    @example(NEWER, 2, McpEntryPoint)
    @GENERATED
    def check(steps: list[tuple[int, int, int]], order: int, kind: type[RestEntryPoint]) -> None:
        member = make_member()
        entry_point, _ = _entry_points(make_key(member)[0], kind)
        for one in [*FIRST, *steps]:
            do(entry_point, *one)
        changes = list(logged(member).values())
        random.Random(order).shuffle(changes)  # noqa: S311  # an order
        before = state(member)
        links: set[tuple[str, str]] = set()
        for change in changes:
            response = undo(entry_point, change.id)
            event(f"answered {response.status_code}")
            assert response.status_code in {200, 409}, response.json()
            after = state(member)
            if response.status_code == 200:
                expected = undone_rows(before, change, links)
                assert without_age(after) == without_age(expected)
                assert undo(entry_point, change.id).status_code == 409
            else:
                assert after == before
            require_right_counts(member)
            before = after

    check()


def undone_rows(rows: Rows, change: Any, links: set[tuple[str, str]]) -> Rows:
    """`rows` without this change, according to the log.

    Args:
        links: decks linked to a course, where one of the two is deleted; passed from one change to the next.
    """
    rows = copy.deepcopy(rows)
    if isinstance(change, Review) or change.operation == "review_vocab_card":
        review = Review(**rows["vocab.Review"][str(change.id)])
        back(rows, review, {label: {} for label in MODELS})
        return rows
    contents = unpacked(change.contents)
    parts = parts_of(change.object_type, change.object_id, change.object_name, contents)
    changed = [
        (part, dict(part.before), dict(part.after))
        for part in parts
        if part.before is not None and part.after is not None
    ]
    for part, before, after in changed:
        if "categories" in after:
            replace(rows, str(part.id), change.member_id, after, before)
    bring_back(rows, change, links)
    for part, before, after in reversed(changed):
        if "_remembered" in after:
            remember(rows, part, before["_remembered"], after["_remembered"])
            continue
        order: Any = before.get("_order", ())
        for milestone_id, position in order:
            rows["planning.Milestone"][milestone_id]["position"] = position
        row = rows[BY_TYPE[part.type]][str(part.id)]
        row |= {name: value for name, value in before.items() if name in row}
    for part in parts:
        if part.before is None:
            del rows[BY_TYPE[part.type]][str(part.id)]
    return rows


def remember(rows: Rows, part: Part, before: Any, after: Any) -> None:
    """Restore a calendar event, except for differences that a later import left."""
    events = rows[BY_TYPE[part.type]]
    if before is None:
        events.pop(str(part.id), None)
    elif str(part.id) in events:
        row = events[str(part.id)]
        row |= {name: value for name, value in before.items() if row[name] == after[name]}


def bring_back(rows: Rows, change: Any, links: set[tuple[str, str]]) -> None:
    """Restore deleted rows. A deck and its course are linked again once both exist."""
    taken = list(snapshot_tables(bytes(change.taken))) if change.taken else []
    gone = {
        (table.label, id_)
        for table in taken
        if not table.columns
        for id_ in table.rows
        if rows[table.label.rpartition(".")[0]].get(id_, {}).get(table.label.rpartition(".")[2], "gone") is not None
    }
    kept = {(label, id_): rows[label.rpartition(".")[0]].get(id_) for label, id_ in gone}
    for label, id_ in gone:  # deleted or linked to another object since, so the undo does not touch it
        rows[label.rpartition(".")[0]][id_] = dict(kept[label, id_] or {})
    there = {id_: dict(row) for id_, row in rows["planning.Milestone"].items()}
    restore(rows, change)
    append(rows["planning.Milestone"], there)
    for (label, id_), row in kept.items():
        table = rows[label.rpartition(".")[0]]
        if row is None:
            del table[id_]
            links.add((id_, str(change.object_id)))
        else:
            table[id_] = row
    decks, courses = rows["vocab.Deck"], rows["courses.Course"]
    for id_, deck in decks.items():
        if deck["course_id"] is not None and deck["course_id"] not in courses:
            links.add((id_, deck["course_id"]))
            deck["course_id"] = None
    for id_, course_id in [link for link in links if link[0] in decks and link[1] in courses]:
        links.remove((id_, course_id))
        if decks[id_]["course_id"] is None:
            decks[id_]["course_id"] = course_id


def append(milestones: dict[str, dict[str, Any]], there: dict[str, dict[str, Any]]) -> None:
    """Append a restored milestone if its position is taken."""
    for id_, row in milestones.items():
        others = {other["position"] for other in there.values() if other["item_id"] == row["item_id"]}
        if id_ not in there and row["position"] in others:
            row["position"] = max(others) + 1


def without_age(rows: Rows) -> Rows:
    """Ignore the age of restored items, which count as new."""
    items = {
        key: {name: value for name, value in row.items() if name != "created_at"}
        for key, row in rows["courses.Item"].items()
    }
    return {**rows, "courses.Item": items}
