"""The outlook of get_grades and set_grade_categories: what is needed in what is still open (capabilities 3)."""

from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from grades.arithmetic import Percent, current_grade, mean
from grades.outlook import Part, outlook
from tests.support.entry_points import RestEntryPoint
from tests.support.properties import examples

pytestmark = pytest.mark.database("sqlite", "statements that others make too")

LETTERS = ["A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "D-"]
BOUNDS = [97, 93, 90, 87, 83, 80, 77, 73, 70, 67, 63, 60]


@pytest.fixture
def graded(db: None, owner: RestEntryPoint, course: Any):
    """Gives the ids of categories that are `(weight, score or None)`."""

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
    """Gives the outlook."""

    def ask(**arguments: Any) -> Any:
        return owner.made("get_grades", course_id=course["id"], **arguments)["outlook"]

    return ask


def test_it_tells_what_each_letter_takes(graded, ask) -> None:
    """Midterm 40 % with 84.5, final 60 % open: an A- takes 93.66, as 0.4 * 84.5 + 0.6 * 93.66 = 89.996."""
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


def test_a_target_stands_last(graded, ask) -> None:
    graded((50, 80), (50, None))
    *letters, target = ask(target=85.5)["needed"]
    assert len(letters) == len(LETTERS)
    assert target == {"letter": None, "at_least": 85.5, "score": 90.99, "status": "possible"}


def test_what_is_reached_already_takes_nothing(graded, ask) -> None:
    graded((90, 90), (10, None))
    last = ask()["needed"][-1]
    assert last == {"letter": "D-", "at_least": 60, "score": 0, "status": "already_reached"}


def test_remaining_opens_a_category_that_has_scores(graded, ask) -> None:
    """What it holds now counts for nothing; a category without scores that is not named is left out."""
    first, second, _ = graded((40, 100), (40, 10), (20, None))
    answer = ask(remaining=[second])
    assert (answer["remaining_weight"], answer["best"], answer["worst"]) == (40, 100, 50)
    assert ask(remaining=[first, second])["worst"] == 0


@pytest.mark.parametrize("none", [[], None])
def test_no_remaining_ones_mean_those_without_scores(owner: RestEntryPoint, course: Any, graded, none: Any) -> None:
    """Capabilities, General: an empty list and null mean none; over REST both are left out."""
    graded((40, 100), (60, None))
    arguments = {} if type(owner) is RestEntryPoint else {"remaining": none}
    assert owner.made("get_grades", course_id=course["id"], **arguments)["outlook"]["remaining_weight"] == 60


def test_where_nothing_is_open_rows_are_reached_or_impossible(graded, ask) -> None:
    graded((40, 95), (60, 95))
    answer = ask()
    assert (answer["remaining_weight"], answer["best"], answer["worst"]) == (0, 95, 95)
    assert answer["needed"][0] == {"letter": "A+", "at_least": 97, "score": None, "status": "impossible"}
    assert answer["needed"][1] == {"letter": "A", "at_least": 93, "score": 0, "status": "already_reached"}


@pytest.mark.parametrize("parts", [[], [(0, None)], [(0, 80), (0, None)]])
def test_without_weights_there_is_nothing_to_tell(graded, ask, parts: list[tuple[float, float | None]]) -> None:
    graded(*parts)
    assert ask(target=50) == {"remaining_weight": 0, "best": None, "worst": None, "needed": []}


def test_setting_the_categories_answers_it_too(graded, owner: RestEntryPoint, course: Any) -> None:
    made = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Final", "weight": 100}])
    assert made["outlook"]["best"] == 100


def test_an_unknown_category_is_named(graded, owner: RestEntryPoint, course: Any) -> None:
    [known] = graded((100, None))
    answer = owner.call("get_grades", course_id=course["id"], remaining=[known, str(uuid4())])
    assert answer.fields == ["remaining[1]"]


def test_a_category_of_another_course_is_named(graded, owner: RestEntryPoint) -> None:
    [known] = graded((100, None))
    other = owner.made("create_course", name="Other")
    assert owner.call("get_grades", course_id=other["id"], remaining=[known]).fields == ["remaining[0]"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"target": 100.1}, "target"),
        ({"target": -1}, "target"),
        ({"target": "high"}, "target"),
        ({"remaining": ["17"]}, "remaining[0]"),
        ({"remaining": [str(uuid4())] * 13}, "remaining"),
    ],
)
def test_what_is_wrong_is_named(
    graded, owner: RestEntryPoint, course: Any, arguments: dict[str, Any], field: str
) -> None:
    assert owner.call("get_grades", course_id=course["id"], **arguments).fields == [field]


_SCORE = st.integers(0, 1_500_000)
_AVERAGE = st.one_of(st.none(), st.lists(_SCORE, min_size=1, max_size=7).map(mean))
_PART = st.builds(Part, st.integers(0, 1_000_000), _AVERAGE, st.booleans())
_TARGET = st.integers(0, 1_000_000).map(lambda number: Decimal(number).scaleb(-4))


@pytest.mark.database("sqlite", "sums in memory")
@examples(500)
@example(parts=[Part(30_000, Percent(10, 3), False), Part(130_000, None, True)], target=Decimal("0.625"))
@given(parts=st.lists(_PART, max_size=12), target=_TARGET)
def test_the_least_score_reaches_the_grade_and_a_hundredth_less_does_not(parts: list[Part], target: Decimal) -> None:
    """All open averages exactly at `score` reach the letter by the arithmetic of the grade itself; a hundredth less
    does not.
    """

    def grade_at(average: Decimal) -> Decimal:
        open_average = Percent(*average.as_integer_ratio())
        grade = current_grade([(part.weight, open_average if part.is_open else part.average) for part in parts])
        assert grade is not None
        return Decimal(grade).scaleb(-2)

    told = outlook(parts, target)
    assume(told["needed"])
    assert (told["best"], told["worst"]) == (float(grade_at(Decimal(100))), float(grade_at(Decimal(0))))
    assert [row["letter"] for row in told["needed"]] == [*LETTERS, None]
    for row in told["needed"]:
        at_least, score = Decimal(str(row["at_least"])), row["score"]
        if score is None:
            assert (row["status"], told["remaining_weight"]) == ("impossible", 0)
            assert grade_at(Decimal(100)) < at_least
            continue
        least = Decimal(str(score))
        assert grade_at(least) >= at_least
        assert least == 0 or grade_at(least - Decimal("0.01")) < at_least
        assert row["status"] == (
            "already_reached" if grade_at(Decimal(0)) >= at_least
            else "possible" if grade_at(Decimal(100)) >= at_least
            else "impossible"
        )  # fmt: skip
        assert (row["status"] == "impossible") == (least > 100)
