"""The outlook of get_grades and set_grade_categories: scores needed in open work (capabilities 3)."""

from typing import Any
from uuid import uuid4

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.same_statements

LETTERS = ["A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "D-"]
BOUNDS = [97, 93, 90, 87, 83, 80, 77, 73, 70, 67, 63, 60]


@pytest.fixture
def graded(db: None, owner: RestEntryPoint, course: Any):
    """Store categories given as `(weight, score or None)`, and return their ids."""

    def fill(*parts: tuple[float, float | None]) -> list[str]:
        entries = [{"name": f"Category {number}", "weight": weight} for number, (weight, _) in enumerate(parts)]
        made = owner.made("set_grade_categories", course_id=course["id"], categories=entries)
        for category, (_, score) in zip(made["categories"], parts, strict=True):
            if score is not None:
                owner.made(
                    "add_grade_score", course_id=course["id"], category_id=category["id"], label="Score", score=score
                )
        return [category["id"] for category in made["categories"]]

    return fill


@pytest.fixture
def ask(owner: RestEntryPoint, course: Any):
    """Return the outlook."""

    def ask(**arguments: Any) -> Any:
        return owner.made("get_grades", course_id=course["id"], **arguments)["outlook"]

    return ask


def test_it_returns_the_score_needed_for_each_letter(graded, ask) -> None:
    """Midterm 40% with 84.5, final 60% open: an A- needs 93.66, as 0.4 * 84.5 + 0.6 * 93.66 = 89.996."""
    graded((40, 84.5), (60, None))
    answer = ask()
    assert {name: answer[name] for name in ("remaining_weight", "best", "worst")} == {
        "remaining_weight": 60,
        "best": 93.8,
        "worst": 33.8,
    }
    assert [(row["letter"], row["at_least"]) for row in answer["needed"]] == list(zip(LETTERS, BOUNDS, strict=True))
    assert answer["needed"][:3] == [
        {"letter": "A+", "at_least": 97, "score": 105.33, "status": "impossible"},
        {"letter": "A", "at_least": 93, "score": 98.66, "status": "possible"},
        {"letter": "A-", "at_least": 90, "score": 93.66, "status": "possible"},
    ]


def test_the_target_is_the_last_row(graded, ask) -> None:
    graded((50, 80), (50, None))
    *letters, target = ask(target=85.5)["needed"]
    assert len(letters) == len(LETTERS)
    assert target == {"letter": None, "at_least": 85.5, "score": 90.99, "status": "possible"}


def test_a_letter_already_reached_needs_nothing(graded, ask) -> None:
    graded((90, 90), (10, None))
    last = ask()["needed"][-1]
    assert last == {"letter": "D-", "at_least": 60, "score": 0, "status": "already_reached"}


def test_remaining_opens_a_category_that_has_scores(graded, ask) -> None:
    """Its current scores do not count, and an unnamed category without scores is left out."""
    first, second, _ = graded((40, 100), (40, 10), (20, None))
    answer = ask(remaining=[second])
    assert (answer["remaining_weight"], answer["best"], answer["worst"]) == (40, 100, 50)
    assert ask(remaining=[first, second])["worst"] == 0


@each("none", [[], None])
def test_an_empty_remaining_means_the_categories_without_scores(
    owner: RestEntryPoint, course: Any, graded, none: Any
) -> None:
    """Capabilities, General: an empty list and null mean none; over REST both are omitted."""
    graded((40, 100), (60, None))
    arguments = {} if type(owner) is RestEntryPoint else {"remaining": none}
    assert owner.made("get_grades", course_id=course["id"], **arguments)["outlook"]["remaining_weight"] == 60


def test_without_open_work_rows_are_reached_or_impossible(graded, ask) -> None:
    graded((40, 95), (60, 95))
    answer = ask()
    assert (answer["remaining_weight"], answer["best"], answer["worst"]) == (0, 95, 95)
    assert answer["needed"][0] == {"letter": "A+", "at_least": 97, "score": None, "status": "impossible"}
    assert answer["needed"][1] == {"letter": "A", "at_least": 93, "score": 0, "status": "already_reached"}


@each("parts", [[], [(0, None)], [(0, 80), (0, None)]])
def test_without_weights_there_is_no_outlook(graded, ask, parts: list[tuple[float, float | None]]) -> None:
    graded(*parts)
    none: dict[str, Any] = {"best": None, "worst": None, "needed": [], "assumed": None}
    assert ask(target=50) == {"remaining_weight": 0, "uncategorized": 0, **none}


def test_setting_the_categories_returns_it_too(graded, owner: RestEntryPoint, course: Any) -> None:
    made = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Final", "weight": 100}])
    assert made["outlook"]["best"] == 100


@pytest.fixture
def quizzes(db: None, owner: RestEntryPoint, course: Any):
    """Creates a category of weight 100 with scores that name no item, and items, and returns its id."""

    def fill(scores: list[float], *, coming: int = 0, done: int = 0, drop_lowest: int = 0) -> str:
        entry = {"name": "Quizzes", "weight": 100, "drop_lowest": drop_lowest}
        [category] = owner.made("set_grade_categories", course_id=course["id"], categories=[entry])["categories"]
        of_it = {"course_id": course["id"], "category_id": category["id"]}
        for score in scores:
            owner.made("add_grade_score", **of_it, label="Quiz", score=score)
        for number in range(coming + done):
            item = owner.made("create_item", **of_it, title="Quiz")
            if number >= coming:
                owner.made("update_item", item_id=item["id"], done=True)
        category_id: str = category["id"]
        return category_id

    return fill


def _rows_of(outlook: Any) -> list[Any]:
    return [outlook[name] for name in ("remaining_weight", "best", "worst")]


@pytest.mark.database("both")
def test_items_without_scores_are_open(quizzes, ask) -> None:
    """An A in World History is not certain while the paper is ungraded."""
    quizzes([80], coming=2)
    assert _rows_of(ask()) == [66.6667, 93.33, 26.67]
    assert ask(target=90)["needed"][-1] == {"letter": None, "at_least": 90, "score": 95, "status": "possible"}


def test_more_scores_than_items_leave_nothing_open(quizzes, ask) -> None:
    quizzes([80, 90], done=1)
    assert _rows_of(ask()) == [0, 85, 85]


@pytest.mark.database("both")
def test_a_score_without_an_item_never_uses_up_an_item_to_come(quizzes, ask) -> None:
    """Problem sets 1 and 2 were graded, 4 and 5 are still to come: 95 is not the best grade."""
    quizzes([80, 100], coming=2)
    assert _rows_of(ask()) == [50, 95, 45]
    assert ask()["needed"][3]["status"] == "possible"


def test_a_score_without_an_item_uses_up_an_ended_item(quizzes, ask) -> None:
    quizzes([80, 100], coming=1, done=3)
    assert _rows_of(ask()) == [50, 95, 45]


@pytest.mark.rest
def test_an_item_ends_when_its_day_passes(owner: RestEntryPoint, quizzes, ask, time_machine: Any) -> None:
    """Its worth changes then too, and `updated_at` stays."""
    time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
    quizzes([80], coming=1)
    [item] = owner.made("list_items")["data"]
    item = owner.made("update_item", item_id=item["id"], kind="exam", due_on="2026-11-21")
    assert (_rows_of(ask()), item["worth"]) == ([50, 90, 40], 50)
    time_machine.move_to("2026-11-22T12:00:00Z", tick=False)
    [later] = owner.made("list_items")["data"]
    assert (_rows_of(ask()), later["worth"]) == ([0, 80, 80], 100)
    assert later["updated_at"] == item["updated_at"]


@pytest.mark.database("both")
def test_open_work_may_be_the_dropped_score(quizzes, ask) -> None:
    """60 and 90, one open, one dropped: a 0 would be dropped; a score over 60 replaces the 60."""
    quizzes([60, 90], coming=1, drop_lowest=1)
    answer = ask(target=80)
    assert _rows_of(answer) == [33.3333, 95, 75]
    assert answer["needed"][-1] == {"letter": None, "at_least": 80, "score": 69.99, "status": "possible"}
    assert answer["needed"][-2]["status"] == "already_reached"


def test_extra_credit_can_raise_the_current_grade_above_the_best(quizzes, ask) -> None:
    quizzes([130], coming=1)
    assert _rows_of(ask()) == [50, 115, 65]


def test_remaining_closes_unnamed_categories(owner: RestEntryPoint, course: Any, quizzes, ask) -> None:
    category_id = quizzes([80], coming=2)
    entries = [{"id": category_id, "name": "Quizzes", "weight": 50}, {"name": "Final", "weight": 50}]
    made = owner.made("set_grade_categories", course_id=course["id"], categories=entries)["categories"]
    assert _rows_of(ask(remaining=[made[1]["id"]])) == [50, 90, 40]
    assert _rows_of(ask(remaining=[category_id])) == [50, 100, 0]
    assert _rows_of(ask()) == [83.3333, 96.67, 13.33]


@pytest.mark.database("both")
def test_it_counts_the_items_without_a_category(owner: RestEntryPoint, course: Any, quizzes, ask) -> None:
    """They are in no category, so the outlook leaves them out."""
    assert ask()["uncategorized"] == 0
    quizzes([80], coming=2, done=1)
    elsewhere = owner.made("create_course", name="Physics")["id"]
    for course_id in (course["id"], course["id"], elsewhere):
        owner.made("create_item", course_id=course_id, title="Homework")
    assert ask()["uncategorized"] == 2
    assert ask(remaining=[quizzes([], coming=1)])["uncategorized"] == 5


def test_it_returns_the_grade_for_an_assumed_score(graded, ask) -> None:
    graded((40, 84.5), (60, None))
    assert ask()["assumed"] is None
    assert ask(assume=70)["assumed"] == {"score": 70, "grade": 75.8, "letter": "C"}
    assert ask(assume=93.65995)["assumed"] == {"score": 93.66, "grade": 90, "letter": "A-"}
    assert ask(assume=150)["assumed"] == {"score": 150, "grade": 123.8, "letter": "A+"}


def test_an_assumed_score_without_open_work_yields_the_current_grade(graded, ask) -> None:
    graded((40, 84.5))
    assert ask(assume=10)["assumed"] == {"score": 10, "grade": 84.5, "letter": "B"}


def test_an_assumed_score_without_weights_yields_no_grade(graded, ask) -> None:
    graded((0, None))
    assert ask(assume=10)["assumed"] == {"score": 10, "grade": None, "letter": None}


def test_open_categories_of_weight_0_reach_nothing(graded, ask) -> None:
    graded((40, 95), (0, None))
    answer = ask()
    assert _rows_of(answer) == [0, 95, 95]
    assert [(row["score"], row["status"]) for row in answer["needed"][:2]] == [
        (None, "impossible"),
        (0, "already_reached"),
    ]


def test_an_unknown_category_is_named(graded, owner: RestEntryPoint, course: Any) -> None:
    [known] = graded((100, None))
    answer = owner.call("get_grades", course_id=course["id"], remaining=[known, str(uuid4())])
    assert answer.fields == ["remaining[1]"]


def test_a_category_of_another_course_is_named(graded, owner: RestEntryPoint) -> None:
    [known] = graded((100, None))
    other = owner.made("create_course", name="Other")
    assert owner.call("get_grades", course_id=other["id"], remaining=[known]).fields == ["remaining[0]"]


@each(
    ("arguments", "field"),
    [
        ({"target": 100.1}, "target"),
        ({"target": -1}, "target"),
        ({"target": "high"}, "target"),
        ({"assume": 150.1}, "assume"),
        ({"assume": -1}, "assume"),
        ({"assume": "high"}, "assume"),
        ({"remaining": ["17"]}, "remaining[0]"),
        ({"remaining": [str(uuid4())] * 13}, "remaining"),
    ],
)
def test_invalid_arguments_are_named(
    graded, owner: RestEntryPoint, course: Any, arguments: dict[str, Any], field: str
) -> None:
    assert owner.call("get_grades", course_id=course["id"], **arguments).fields == [field]
