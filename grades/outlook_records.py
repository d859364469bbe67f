"""The outlook of a course's grade in answers."""

from typing import Annotated, TypedDict

from studyservice.operations.answers import answer, example_of, one_of

_REACHES = ("already_reached", "possible", "impossible")


@answer(letter="A-", at_least=90, score=92.34, status="possible")
class NeededRow(TypedDict):
    """The score still needed for a grade."""

    letter: Annotated[str | None, "A+ to D-, by this service's table; null for the target."]
    at_least: Annotated[float, "The least grade, in percent."]
    score: Annotated[
        float | None,
        "The least score on everything open, to two decimals, with which the rounded grade is at_least or "
        "more (89.995 counts as 90). Over 100 it takes extra credit. 0 where reached already; null where nothing open "
        "changes the grade.",
    ]
    status: Annotated[
        str, one_of(_REACHES), "already_reached even with 0 in what is open, impossible even with 100, else possible."
    ]


@answer(score=70, grade=75.8, letter="C")
class AssumedRow(TypedDict):
    """The grade with the assumed score on everything open."""

    score: Annotated[float, "The score assumed, in percent."]
    grade: Annotated[float | None, "The grade then; null if no weight counts."]
    letter: Annotated[str | None, "Its letter, A+ to F."]


@answer(
    remaining_weight=60,
    best=93.8,
    worst=33.8,
    needed=[example_of(NeededRow)],
    assumed=example_of(AssumedRow),
    uncategorized=0,
)
class OutlookRow(TypedDict):
    """What the grade can still become, if everything open gets the same score."""

    remaining_weight: Annotated[float, "The weights of open categories, and open shares of others."]
    best: Annotated[float | None, "The grade with 100 on everything open."]
    worst: Annotated[float | None, "The grade with 0 on everything open."]
    needed: Annotated[list[NeededRow], "For each letter from A+ to D-, and last for the target, what it takes."]
    assumed: Annotated[AssumedRow | None, "Only with assume: the grade with that score; else null."]
    uncategorized: Annotated[
        int, "How many items of the course have no category: nothing here counts them. update_item gives them one."
    ]
