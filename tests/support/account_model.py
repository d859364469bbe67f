"""A model of an account: its state as REST answers it, and what an undo has to do by the rules.

The rules: an undo restores what its change did, or answers 409 and changes nothing. It overwrites nothing that changed
since, and deletes nothing that others refer to. What was deleted comes back below its parent. A reference that a
deletion emptied is filled again where both ends exist and it is still empty.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint

Row = dict[str, Any]
State = dict[str, dict[str, Row]]
"""By kind and id: the fields that an undo restores."""

COURSE = ("name", "code", "term", "meets", "institution", "subject", "syllabus_text", "archived")
CATEGORY = ("name", "weight", "drop_lowest")
SCORE = ("category_id", "item_id", "label", "score", "points", "out_of")
ITEM = ("course_id", "title", "kind", "due_on", "due_time", "category_id", "note", "done", "done_at")
MILESTONE = ("item_id", "title", "due_on", "done", "position")
DECK = ("name", "course_id")
SCHEDULE = ("state", "due_at", "reps", "lapses", "stability", "difficulty", "last_reviewed_at")
CARD = ("deck_id", "term", "definition", "suspended", *SCHEDULE)

PARENTS = {
    "category": ("course_id", "course"),
    "item": ("course_id", "course"),
    "score": ("category_id", "category"),
    "milestone": ("item_id", "item"),
    "card": ("deck_id", "deck"),
}
"""Without it, a row cannot exist."""

LINKS = {("item", "category_id"): "category", ("score", "item_id"): "item", ("deck", "course_id"): "course"}
"""References that a deletion empties."""

ORDER = ("course", "category", "item", "milestone", "score", "deck", "card")
"""Parents before their rows, the category of an item before the item of a score."""


def observed(rest: RestEntryPoint) -> State:
    """Return the state of the account."""
    rates.clear()
    state: State = {kind: {} for kind in ORDER}
    for one in rest.made("list_courses")["data"]:
        course = rest.made("get_course", course_id=one["id"], include_syllabus=True)
        grades = rest.made("get_grades", course_id=one["id"])["categories"]
        state["course"][one["id"]] = _fields(course, COURSE) | {"order": [category["id"] for category in grades]}
        for category in grades:
            state["category"][category["id"]] = _fields(category, CATEGORY) | {"course_id": one["id"]}
            state["score"] |= {score["id"]: _fields(score, SCORE) for score in category["scores"]}
    for item in rest.made("list_items", limit=100)["data"]:
        state["item"][item["id"]] = _fields(item, ITEM)
        steps = rest.made("list_milestones", item_id=item["id"])["data"]
        state["milestone"] |= {step["id"]: _fields(step, MILESTONE) for step in steps}
    for one in rest.made("list_vocab_decks")["data"]:
        [deck] = rest.made("list_vocab_decks", deck_id=one["id"], include_cards=True)["data"]
        state["deck"][one["id"]] = _fields(deck, DECK)
        state["card"] |= {card["id"]: _fields(card, CARD) for card in deck["cards"]}
    stats = rest.made("get_practice_stats", days=365)
    state["practice"] = {"all": {"attempts": stats["attempts"], "correct": stats["correct"]}}
    return state


def _fields(record: Mapping[str, Any], names: tuple[str, ...]) -> Row:
    return {name: record[name] for name in names}


class Refused(Exception):
    """The undo must answer 409."""


class Unspecified(Exception):
    """No rule says what the undo has to do."""


@dataclass(frozen=True)
class Link:
    """A reference that a deletion emptied."""

    kind: str
    id: str
    name: str
    to: str


@dataclass
class Done:
    """What one change did: the rows that it made, deleted and changed, each with its fields before and after."""

    made: dict[str, dict[str, Row]] = field(default_factory=dict)
    deleted: dict[str, dict[str, Row]] = field(default_factory=dict)
    changed: dict[str, dict[str, tuple[Row, Row]]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    orders: dict[str, tuple[dict[str, int], list[str]]] = field(default_factory=dict)
    """By item: the positions of its milestones before, and their order after."""
    attempts: Row = field(default_factory=dict)
    """What was added to the attempts."""


def compared(before: State, after: State) -> Done:
    """Return what the change between two states did."""
    done = Done()
    for kind in ORDER:
        old, new = before[kind], after[kind]
        done.made[kind] = {id_: row for id_, row in new.items() if id_ not in old}
        done.deleted[kind] = {id_: row for id_, row in old.items() if id_ not in new}
        done.changed[kind] = {}
        for id_ in old.keys() & new.keys():
            names = [name for name in old[id_] if old[id_][name] != new[id_][name]]
            emptied = [name for name in names if new[id_][name] is None and _is_gone(kind, name, old[id_], after)]
            done.links += [Link(kind, id_, name, old[id_][name]) for name in emptied]
            if own := [name for name in names if name not in {*emptied, "position"}]:
                done.changed[kind][id_] = tuple({name: row[name] for name in own} for row in (old[id_], new[id_]))  # type: ignore[assignment]  # two rows
    moved = {
        row["item_id"]
        for id_, row in after["milestone"].items()
        if before["milestone"].get(id_, row)["position"] != row["position"]
    }
    for item_id in moved:
        done.orders[item_id] = (positions(before, item_id), [*positions(after, item_id)])
    now, then = after["practice"]["all"], before["practice"]["all"]
    done.attempts = {name: now[name] - then[name] for name in now}
    return done


def _is_gone(kind: str, name: str, row: Row, after: State) -> bool:
    target = LINKS.get((kind, name))
    return target is not None and row[name] not in after[target]


def positions(state: State, item_id: str) -> dict[str, int]:
    """Return the positions of an item's milestones, in their order."""
    steps = [(row["position"], id_) for id_, row in state["milestone"].items() if row["item_id"] == item_id]
    return {id_: position for position, id_ in sorted(steps)}


def _rows(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    return ((kind, id_, rows[kind][id_]) for kind in ORDER for id_ in rows[kind])


class Undoing:
    """What the undo of a change has to make of the account.

    Args:
        waiting: references to fill once both ends exist; passed from one undo to the next.
    """

    def __init__(self, state: State, waiting: list[Link]) -> None:
        self.state, self.waiting = copy.deepcopy(state), list(waiting)

    def undo(self, done: Done) -> None:
        """Undo the change.

        Raises:
            Refused: something that happened since is in the way.
            Unspecified: no rule says what happens.
        """
        for item_id, (before, listed) in done.orders.items():
            self._reorder(item_id, before, listed)
        self._require_same_list(done)
        for kind, id_, row in _rows(done.deleted):
            self._restore(kind, id_, dict(row))
        self._categorize(done)
        self.waiting += done.links
        self._fill()
        for kind, id_, (old, new) in _rows(done.changed):
            self._change(kind, id_, old, new)
        for kind, id_, row in _rows(done.made):
            self._require_as_made(kind, id_, row, done)
        for kind, id_, _ in _rows(done.made):
            self.state[kind].pop(id_, None)
        self._require_consistent()
        for name, number in done.attempts.items():
            self.state["practice"]["all"][name] -= number

    def _reorder(self, item_id: str, before: dict[str, int], after: list[str]) -> None:
        if [*positions(self.state, item_id)] != after:
            raise Refused
        for id_, position in before.items():
            self.state["milestone"][id_]["position"] = position

    def _require_same_list(self, done: Done) -> None:
        """The categories of a course are a list: it goes back only as a whole."""
        touched = {row["course_id"] for rows in (done.made, done.deleted) for row in rows["category"].values()}
        touched |= {row["course_id"] for id_, row in self.state["category"].items() if id_ in done.changed["category"]}
        for course_id in touched & self.state["course"].keys() - done.made["course"].keys():
            there = {id_ for id_, row in self.state["category"].items() if row["course_id"] == course_id}
            _, changed = done.changed["course"].get(course_id, (Row(), Row()))
            listed: list[str] = changed.get("order") or self.state["course"][course_id]["order"]
            if there != {*listed}:
                raise Refused
        if any(id_ not in self.state["category"] for id_ in done.changed["category"]):
            raise Refused

    def _restore(self, kind: str, id_: str, row: Row) -> None:
        name, parent = PARENTS.get(kind, ("", ""))
        if name and row[name] not in self.state[parent]:
            raise Refused
        for (of, link), target in LINKS.items():
            if of == kind and row[link] is not None and row[link] not in self.state[target]:
                self.waiting.append(Link(kind, id_, link, row[link]))
                row[link] = None
        if kind == "score" and row["item_id"] is not None and self._score_of(row["item_id"]):
            raise Refused
        if kind == "milestone":
            taken = positions(self.state, row["item_id"]).values()
            row["position"] = max(taken) + 1 if row["position"] in taken else row["position"]
        self.state[kind][id_] = row

    def _score_of(self, item_id: str) -> str | None:
        return next((id_ for id_, row in self.state["score"].items() if row["item_id"] == item_id), None)

    def _categorize(self, done: Done) -> None:
        """An item without a category gets that of its restored score."""
        for id_ in done.deleted["score"]:
            row = self.state["score"][id_]
            item = self.state["item"].get(row["item_id"])
            if item is not None and item["category_id"] is None:
                item["category_id"] = row["category_id"]

    def _fill(self) -> None:
        for link in sorted(self.waiting, key=lambda link: ORDER.index(link.kind)):
            row, target = self.state[link.kind].get(link.id), self.state[LINKS[link.kind, link.name]].get(link.to)
            if row is None or target is None:
                continue
            self.waiting.remove(link)
            if row[link.name] is not None:
                continue
            if link.kind == "score":
                if target["category_id"] != row["category_id"]:
                    continue
                if self._score_of(link.to):
                    raise Unspecified
            row[link.name] = link.to

    def _change(self, kind: str, id_: str, before: Row, after: Row) -> None:
        row = self.state[kind].get(id_)
        if row is None or any(row[name] != value for name, value in after.items()):
            raise Refused
        for name, value in before.items():
            target = LINKS.get((kind, name)) or (PARENTS[kind][1] if PARENTS.get(kind, ("",))[0] == name else None)
            if target and value is not None and value not in self.state[target]:
                raise Refused
            if (kind, name) == ("score", "item_id") and value is not None and self._score_of(value):
                raise Refused
        row |= before

    def _require_as_made(self, kind: str, id_: str, made: Row, done: Done) -> None:
        row = self.state[kind].get(id_)
        below = [*self._below(kind, id_)]
        if any(one not in done.made[of] for of, one in below):
            raise Refused
        if kind == "card":
            if row is not None and any(row[name] != made[name] for name in SCHEDULE):
                raise Refused
            if row != made and done.made["deck"]:
                raise Unspecified
        if kind in {"course", "category"} and row is not None and row != made and done.made["course"]:
            if any(row[name] != made[name] for name in row.keys() - {"order"} if kind == "course"):
                raise Refused
            raise Unspecified
        ignored = {"position"}
        if row is None or any(row[name] != made[name] for name in row.keys() - ignored):
            raise Refused

    def _below(self, kind: str, id_: str) -> Iterator[tuple[str, str]]:
        for of, (name, parent) in PARENTS.items():
            if parent == kind:
                yield from ((of, one) for one, row in self.state[of].items() if row[name] == id_)
        for (of, name), target in LINKS.items():
            if target == kind:
                yield from ((of, one) for one, row in self.state[of].items() if row[name] == id_)

    def _require_consistent(self) -> None:
        """A score and its item have the same category, and an item with a time has a date."""
        if any(item["due_time"] and not item["due_on"] for item in self.state["item"].values()):
            raise Refused
        for row in self.state["score"].values():
            item = self.state["item"].get(row["item_id"])
            if item is not None and item["category_id"] != row["category_id"]:
                raise Refused
