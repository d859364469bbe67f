"""Random histories of items, scores and categories always match a simple model."""

import copy
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from accounts.models import Member
from studyservice.rates import limiter as rates
from studyservice.registry.counts import recount
from tests.support.entry_points import Answer, RestEntryPoint
from tests.support.properties import examples

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

KINDS = ["make", "tick", "file", "grade", "grade", "link", "link", "undo", "undo", "undo"]
KINDS += ["delete_item", "delete_score", "drop_category", "weigh", "add_category"]

STEPS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.integers(0, 9), st.booleans()),
    min_size=8,
    max_size=30,
)


@dataclass
class ModelItem:
    done: bool = False
    category: str | None = None


@dataclass
class ModelScore:
    category: str
    item: str | None


@dataclass
class Model:
    """A course according to the rules."""

    weights: dict[str, int] = field(default_factory=dict)
    items: dict[str, ModelItem] = field(default_factory=dict)
    scores: dict[str, ModelScore] = field(default_factory=dict)

    def graded(self, item_id: str) -> bool:
        return any(score.item == item_id for score in self.scores.values())

    def told(self) -> dict[str, tuple[str, str | None, float | None]]:
        return {id_: (self.status(id_), item.category, self.worth(item)) for id_, item in self.items.items()}

    def status(self, item_id: str) -> str:
        if self.graded(item_id):
            return "graded"
        return "done" if self.items[item_id].done else "open"

    def worth(self, item: ModelItem) -> float | None:
        total = sum(self.weights.values())
        if item.category is None or total == 0:
            return None
        statuses = [self.status(id_) for id_, one in self.items.items() if one.category == item.category]
        scores = [one for one in self.scores.values() if one.category == item.category]
        unlinked = sum(score.item is None for score in scores)
        pieces = len(scores) + statuses.count("open") + max(0, statuses.count("done") - unlinked)
        exact = Fraction(100 * self.weights[item.category], total * pieces)
        return floor(exact * 100 + Fraction(1, 2)) / 100

    def may_link(self, score_id: str | None, item_id: str, category: str) -> bool:
        others = [id_ for id_, score in self.scores.items() if score.item == item_id and id_ != score_id]
        return not others and self.items[item_id].category in {None, category}


@dataclass(frozen=True)
class Pick:
    """The operands of a step: an item, a score and a category, if they exist, a number and a choice."""

    item: str | None
    score: str | None
    category: str | None
    number: int
    choice: bool


class History:
    """A course over REST, and its model."""

    def __init__(self, rest: RestEntryPoint) -> None:
        self.rest, self.model = rest, Model()
        self.course = rest.made("create_course", name="Biology")["id"]
        self.before: list[tuple[str, Model]] = []
        self.replace({"Exams": 60, "Quizzes": 30, "Labs": 7})

    def step(self, what: str, one: int, other: int, choice: bool) -> None:
        """Do something, then compare."""
        rates.clear()
        model = self.model
        pick = Pick(_chosen(model.items, one), _chosen(model.scores, one), _chosen(model.weights, other), other, choice)
        then, newest = copy.deepcopy(model), self.newest()
        answer: Answer | None = getattr(self, what)(pick)
        if answer is not None and answer.error is None and self.newest() != newest:
            self.before.append((self.newest(), then))
        self.compare()

    def newest(self) -> str:
        return str(self.rest.made("list_changes", limit=1)["data"][0]["id"])

    def make(self, pick: Pick) -> Answer:
        category = pick.category if pick.choice else None
        made = self.rest.call("create_item", course_id=self.course, title="Item", category_id=category)
        self.model.items[made.body["id"]] = ModelItem(category=category)
        return made

    def tick(self, pick: Pick) -> Answer | None:
        if pick.item is None:
            return None
        self.model.items[pick.item].done = pick.choice
        return self.rest.call("update_item", item_id=pick.item, done=pick.choice)

    def file(self, pick: Pick) -> Answer | None:
        if pick.item is None:
            return None
        to = pick.category if pick.choice else None
        refused = self.model.graded(pick.item) and to != self.model.items[pick.item].category
        answer = self.rest.call("update_item", item_id=pick.item, category_id=to)
        assert answer.fields == (["category_id"] if refused else [])
        if not refused:
            self.model.items[pick.item].category = to
        return answer

    def delete_item(self, pick: Pick) -> Answer | None:
        if pick.item is None:
            return None
        del self.model.items[pick.item]
        for score in self.model.scores.values():
            score.item = None if score.item == pick.item else score.item
        return self.rest.call("delete_item", item_id=pick.item)

    def grade(self, pick: Pick) -> Answer | None:
        if pick.item is None or pick.category is None:
            return None
        fits = self.model.may_link(None, pick.item, pick.category)
        fields = {"category_id": pick.category, "item_id": pick.item, "label": "x", "score": pick.number}
        answer = self.rest.call("add_grade_score", course_id=self.course, **fields)
        assert answer.fields == ([] if fits else ["item_id"])
        if fits:
            self.model.items[pick.item].category = pick.category
            self.model.scores[answer.body["id"]] = ModelScore(pick.category, pick.item)
        return answer

    def delete_score(self, pick: Pick) -> Answer | None:
        if pick.score is None:
            return None
        del self.model.scores[pick.score]
        return self.rest.call("delete_grade_score", score_id=pick.score)

    def link(self, pick: Pick) -> Answer | None:
        if pick.score is None:
            return None
        return self.relink(pick.score, pick.item if pick.choice else None, pick.category if pick.number % 2 else None)

    def drop_category(self, pick: Pick) -> Answer | None:
        kept = {id_: weight for id_, weight in self.model.weights.items() if id_ != pick.category}
        return self.replace({}, kept) if kept else None

    def weigh(self, pick: Pick) -> Answer | None:
        if pick.category is None:
            return None
        return self.replace({}, self.model.weights | {pick.category: pick.number * 10})

    def add_category(self, pick: Pick) -> Answer:
        return self.replace({"New": pick.number})

    def relink(self, score_id: str, item: str | None, category: str | None) -> Answer:
        """Link a score to an item or none, and move it to a category, if one is given."""
        score, to = self.model.scores[score_id], category or self.model.scores[score_id].category
        fits = item is None or item == score.item or self.model.may_link(score_id, item, to)
        sent = {"item_id": item} | ({} if category is None else {"category_id": category})
        answer = self.rest.call("update_grade_score", score_id=score_id, **sent)
        assert answer.fields == ([] if fits else ["item_id"])
        if fits:
            score.category, score.item = to, item
            if item is not None:
                self.model.items[item].category = to
        return answer

    def replace(self, new: dict[str, int], kept: dict[str, int] | None = None) -> Answer:
        """Replace the categories: kept ones by id, new ones by name."""
        kept = self.model.weights if kept is None else kept
        entries: list[dict[str, Any]] = [{"id": id_, "name": "Kept", "weight": weight} for id_, weight in kept.items()]
        entries += [{"name": name, "weight": weight} for name, weight in new.items()]
        answer = self.rest.call("set_grade_categories", course_id=self.course, categories=entries[:12])
        self.model.weights = {one["id"]: int(one["weight"]) for one in answer.body["categories"]}
        for item in self.model.items.values():
            item.category = item.category if item.category in self.model.weights else None
        scores = self.model.scores.items()
        self.model.scores = {id_: score for id_, score in scores if score.category in self.model.weights}
        return answer

    def undo(self, _: Pick) -> None:
        """Undo the newest change that is not undone."""
        if self.before:
            change_id, self.model = self.before.pop()
            self.rest.made("undo_change", change_id=change_id)

    def compare(self) -> None:
        items = self.rest.made("list_items", course_id=self.course, limit=100)["data"]
        told = {item["id"]: (item["status"], item["category_id"], item["worth"]) for item in items}
        assert told == self.model.told()
        categories = self.rest.made("get_grades", course_id=self.course)["categories"]
        scores = {
            score["id"]: (score["category_id"], score["item_id"]) for one in categories for score in one["scores"]
        }
        assert scores == {id_: (score.category, score.item) for id_, score in self.model.scores.items()}
        for status in ("graded", "done", "open"):
            found = self.rest.made("list_items", course_id=self.course, status=status, limit=100)["data"]
            assert {item["id"] for item in found} == {id_ for id_, one in told.items() if one[0] == status}


def _chosen(among: dict[str, Any], number: int) -> str | None:
    return sorted(among)[number % len(among)] if among else None


@pytest.mark.database("both")
def test_every_history_matches_the_model(make_member: Any, make_key: Any) -> None:
    @given(STEPS)
    @examples(12, phases=[Phase.explicit, Phase.generate])
    def check(steps: list[tuple[str, int, int, bool]]) -> None:
        member: Member = make_member()
        history = History(RestEntryPoint(make_key(member)[0]))
        for one in [("make", 0, 0, True), ("make", 0, 1, False), ("grade", 1, 1, True), *steps]:
            history.step(*one)
        assert recount(member.id) == 0

    check()
