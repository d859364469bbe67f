"""The log of changes suffices to go back to each earlier state, and forward again."""

import copy
from typing import Any
from uuid import UUID

import orjson
import pytest
from django.apps import apps
from django.db.models import Model
from hypothesis import Phase, given
from hypothesis import strategies as st

from accounts.changes.contents import dumps, plural_of, type_of, unpacked
from accounts.changes.models import Change
from accounts.changes.snapshots import snapshot_tables
from accounts.members.data import is_study_data
from accounts.models import Member
from tests.support.entry_points import RestEntryPoint
from tests.support.properties import examples
from tests.support.random_writes import WRITES
from vocab.models import Review

pytestmark = [
    pytest.mark.database("sqlite", "replays a log in memory"),
    pytest.mark.django_db,
    pytest.mark.rest,
]

MODELS = {
    model._meta.label: model
    for model in apps.get_models()
    if is_study_data(model)
    and model._meta.label not in {"courses.SyllabusFile", "practice.PracticeSum"}
    and any(field.attname == "member_id" for field in model._meta.concrete_fields)
}
BY_TYPE = {type_of(model): label for label, model in MODELS.items()}
BY_PLURAL = {plural_of(type_): label for type_, label in BY_TYPE.items()}

NOT_KEPT = {"updated_at", "item_count", "card_count", "sequence", "folded", "graded", "marked_at"}
"""Columns that follow from the write or from other rows."""

Rows = dict[str, dict[str, dict[str, Any]]]
"""Rows by model and id, with every column except the times of the last change."""


def state(member: Member) -> Rows:
    """Every row of the member's study data."""
    return {label: {str(row["id"]): row for row in rows_of(model, member)} for label, model in MODELS.items()}


def rows_of(model: type[Model], member: Member) -> list[dict[str, Any]]:
    names = [field.attname for field in model._meta.concrete_fields if field.attname not in NOT_KEPT]
    found = model._default_manager.filter(member_id=member.id).values(*names)
    rows: list[dict[str, Any]] = orjson.loads(dumps(list(found)))
    return rows


def logged(member: Member) -> dict[UUID, Any]:
    """The rows of both logs, by id."""
    logs: list[Any] = [*Change.objects.filter(member=member), *Review.objects.filter(member=member)]
    return {row.id: row for row in logs}


def back(rows: Rows, change: Any, aside: Rows) -> None:
    """Undo one change in the model. Objects below a created one are ignored, as the log stores only their number."""
    if isinstance(change, Review):
        card = rows["vocab.Card"][str(change.card_id)]
        aside["vocab.Card"][str(change.id)] = dict(card)
        fields = ("state", "step", "stability", "difficulty", "due_at", "last_reviewed_at")
        before = {field: getattr(change, field) for field in fields}
        before |= {"reps": card["reps"] - 1, "lapses": card["lapses"] - lapsed(change)}
        card.update(orjson.loads(dumps(before)))
        for label in ("vocab.Review", "practice.Attempt"):
            aside[label][str(change.id)] = rows[label].pop(str(change.id))
        return
    contents, label, id_ = unpacked(change.contents), BY_TYPE[change.object_type], str(change.object_id)
    if contents.after is None:
        restore(rows, change)
    elif contents.before is None:
        aside[label][id_] = rows[label].pop(id_)
        below = [key for key, card in rows["vocab.Card"].items() if card["deck_id"] == id_]
        aside["vocab.Card"] |= {key: rows["vocab.Card"].pop(key) for key in below}
    elif "categories" in contents.after:
        replace(rows, id_, change.member_id, contents.after, contents.before)
        restore(rows, change)
    else:
        assert rows[label][id_].items() >= contents.after.items()
        rows[label][id_].update(contents.before)


def forth(rows: Rows, change: Any, aside: Rows) -> None:
    """Redo one change."""
    if isinstance(change, Review):
        rows["vocab.Card"][str(change.card_id)] = dict(aside["vocab.Card"][str(change.id)])
        for label in ("vocab.Review", "practice.Attempt"):
            rows[label][str(change.id)] = aside[label][str(change.id)]
        return
    contents, label, id_ = unpacked(change.contents), BY_TYPE[change.object_type], str(change.object_id)
    if contents.after is None:
        remove(rows, change)
    elif contents.before is None:
        assert aside[label][id_].items() >= {k: v for k, v in contents.after.items() if k not in BY_PLURAL}.items()
        rows[label][id_] = dict(aside[label][id_])
        if label == "vocab.Deck":
            made = {card["id"]: card for key, card in aside["vocab.Card"].items() if key == card["id"]}
            rows["vocab.Card"] |= {key: dict(card) for key, card in made.items() if card["deck_id"] == id_}
    elif "categories" in contents.after:
        remove(rows, change)
        replace(rows, id_, change.member_id, contents.before, contents.after)
    else:
        assert rows[label][id_].items() >= contents.before.items()
        rows[label][id_].update(contents.after)


def lapsed(review: Review) -> bool:
    return (review.rating, review.state) == ("again", "review")


def restore(rows: Rows, change: Change) -> None:
    """Restore the rows that a deletion removed."""
    for table in snapshot_tables(bytes(change.taken or b"")) if change.taken else ():
        if table.columns:
            for values in table.rows:
                row = dict(zip(table.columns, values, strict=True))
                row = {name: value for name, value in row.items() if name not in NOT_KEPT}
                assert rows[table.label].get(row["id"], row) == row
                rows[table.label][row["id"]] = row
        else:
            label, _, attname = table.label.rpartition(".")
            for id_ in table.rows:
                rows[label][id_][attname] = str(table.to or change.object_id)


def remove(rows: Rows, change: Change) -> None:
    """Remove the deleted objects from the model."""
    for table in snapshot_tables(bytes(change.taken)) if change.taken else ():
        if table.columns:
            for values in table.rows:
                del rows[table.label][values[table.columns.index("id")]]
        else:
            label, _, attname = table.label.rpartition(".")
            for id_ in table.rows:
                rows[label][id_][attname] = None


def replace(rows: Rows, course_id: str, member_id: UUID, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Replace the course's categories in `old` with those in `new`."""
    present = rows["grades.GradeCategory"]
    for one in old["categories"]:
        assert present.pop(one["id"], one).items() >= one.items()
    for one in new["categories"]:
        present[one["id"]] = one | {"course_id": course_id, "member_id": str(member_id)}


FIRST = [(0, 0, 0), (1, 0, 0), (3, 0, 0), (4, 0, 0), (5, 0, 0), (6, 0, 2), (7, 0, 0)]
"""One object of each kind, so that there is something to change."""

STEPS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 99), st.integers(0, 99)), min_size=4, max_size=14)


def step(entry_point: RestEntryPoint, which: int, one: int, other: int) -> None:
    """Change any existing object."""
    chosen = {
        "course": entry_point.made("list_courses")["data"],
        "item": entry_point.made("list_items", limit=100)["data"],
        "deck": entry_point.made("list_vocab_decks")["data"],
    }
    ids = {name: found[one % len(found)]["id"] for name, found in chosen.items() if found}
    needs, do = ACTIONS[which]
    if needs in ids or not needs:
        do(entry_point, ids, other)


ACTIONS = WRITES[:12]


@given(STEPS)
@examples(24, phases=[Phase.explicit, Phase.generate])
def test_any_history_can_be_replayed_backward_and_forward(
    make_member: Any, make_key: Any, steps: list[tuple[int, int, int]]
) -> None:
    from studyservice.rates import limiter as rates

    member = make_member()
    entry_point = RestEntryPoint(make_key(member)[0])
    moments: list[tuple[Rows, Any, Rows]] = []
    known: set[UUID] = set()
    now = state(member)
    for which, one, other in [*FIRST, *steps]:
        rates.clear()
        step(entry_point, which, one, other)
        then, now = now, state(member)
        new = {id_: row for id_, row in logged(member).items() if id_ not in known}
        assert len(new) == (now != then), new
        moments += [(then, row, now) for row in new.values()]
        known |= new.keys()
    rows = copy.deepcopy(now)
    aside: Rows = {label: {} for label in MODELS}
    for then, change, _ in reversed(moments):
        back(rows, change, aside)
        assert rows == then, change
    for _, change, after in moments:
        forth(rows, change, aside)
        assert rows == after, change
