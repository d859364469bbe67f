"""The quality goals of proposals, measured on complete labeled syllabi."""

import json
from pathlib import Path

import pytest

from tools.bench.syllabi import Measured, Score, measure

pytestmark = pytest.mark.database("sqlite", "parses text")

FOLDER = Path(__file__).parent / "labelled"


def precision(score: Score) -> float:
    return score.right / score.proposed


def recall(score: Score) -> float:
    return score.right / score.labelled


def measured(*folders: str) -> Measured:
    total = Measured()
    for folder in folders:
        for labels in sorted((FOLDER / folder).glob("*.json")):
            text = labels.with_suffix(".txt").read_text(encoding="utf-8")
            total.add(measure(text, json.loads(labels.read_text(encoding="utf-8"))))
    return total


def test_complete_syllabi_reach_the_documented_quality():
    total = measured("", "odd")
    assert total.items.labelled >= 2_698
    assert precision(total.sure) >= 0.96
    assert total.sure.right >= 0.6 * total.items.right
    assert precision(total.items) >= 0.77
    assert recall(total.items) >= 0.74
    assert total.items.f1 >= 0.75
    assert precision(total.categories) >= 0.93
    assert recall(total.categories) >= 0.86
    assert recall(total.right_dates) >= 0.98
    assert recall(total.wrong_dates) <= 0.02
