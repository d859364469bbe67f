"""The outlook of a course's grade in answers."""

from typing import Any, ClassVar, TypedDict

from rest_framework import serializers

from studyservice.operations.serializers import Record

_REACHES = ("already_reached", "possible", "impossible")


class NeededRow(TypedDict):
    """A `NeededRecord`."""

    letter: str | None
    at_least: float
    score: float | None
    status: str


class NeededRecord(Record):
    """The score still needed for a grade."""

    example: ClassVar[dict[str, Any]] = {"letter": "A-", "at_least": 90, "score": 92.34, "status": "possible"}

    letter = serializers.CharField(allow_null=True, help_text="A+ to D-, by this service's table; null for the target.")
    at_least = serializers.FloatField(help_text="The least grade, in percent.")
    score = serializers.FloatField(
        allow_null=True,
        help_text="The least score on everything open, to two decimals, with which the rounded grade is at_least or "
        "more (89.995 counts as 90). Over 100 it takes extra credit. 0 where reached already; null where nothing open "
        "changes the grade.",
    )
    status = serializers.ChoiceField(
        choices=_REACHES,
        help_text="already_reached even with 0 in what is open, impossible even with 100, else possible.",
    )


class AssumedRow(TypedDict):
    """An `AssumedRecord`."""

    score: float
    grade: float | None
    letter: str | None


class AssumedRecord(Record):
    """The grade with the assumed score on everything open."""

    example: ClassVar[dict[str, Any]] = {"score": 70, "grade": 75.8, "letter": "C"}

    score = serializers.FloatField(help_text="The score assumed, in percent.")
    grade = serializers.FloatField(allow_null=True, help_text="The grade then; null if no weight counts.")
    letter = serializers.CharField(allow_null=True, help_text="Its letter, A+ to F.")


class OutlookRow(TypedDict):
    """An `OutlookRecord`."""

    remaining_weight: float
    best: float | None
    worst: float | None
    needed: list[NeededRow]
    assumed: AssumedRow | None
    uncategorized: int


class OutlookRecord(Record):
    """What the grade can still become, if everything open gets the same score."""

    example: ClassVar[dict[str, Any]] = {
        "remaining_weight": 60,
        "best": 93.8,
        "worst": 33.8,
        "needed": [NeededRecord.example],
        "assumed": AssumedRecord.example,
        "uncategorized": 0,
    }

    remaining_weight = serializers.FloatField(help_text="The weights of open categories, and open shares of others.")
    best = serializers.FloatField(allow_null=True, help_text="The grade with 100 on everything open.")
    worst = serializers.FloatField(allow_null=True, help_text="The grade with 0 on everything open.")
    needed = NeededRecord(many=True, help_text="For each letter from A+ to D-, and last for the target, what it takes.")
    assumed = AssumedRecord(allow_null=True, help_text="Only with assume: the grade with that score; else null.")
    uncategorized = serializers.IntegerField(
        help_text="How many items of the course have no category: nothing here counts them. update_item gives them one."
    )
