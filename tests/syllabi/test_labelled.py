"""The aims of the proposal, on whole syllabi with labels."""

import json
from pathlib import Path

import pytest

from bench.syllabi import Measured, Score, measure

pytestmark = pytest.mark.database("sqlite", "texts that are read")

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


def test_whole_syllabi_are_read_as_well_as_the_documents_say():
    total = measured("", "odd")
    assert total.items.labelled > 500
    assert precision(total.sure) >= 0.98
    assert total.sure.right >= 0.6 * total.items.right
    assert precision(total.items) >= 0.9
    assert recall(total.items) >= 0.85
    assert precision(total.categories) >= 0.98
    assert recall(total.categories) >= 0.98
    assert recall(total.right_dates) >= 0.97
    assert recall(total.wrong_dates) <= 0.03


def test_those_that_no_rule_was_made_for_are_read_no_worse_than_when_they_were_first_seen():
    total = measured("unseen")
    assert precision(total.sure) >= 0.92
    assert total.sure.right >= 0.6 * total.items.right
    assert precision(total.items) >= 0.77
    assert recall(total.items) >= 0.56
    assert precision(total.categories) >= 0.72
    assert recall(total.categories) >= 0.82
    assert recall(total.right_dates) >= 0.89
    assert recall(total.wrong_dates) <= 0.02
