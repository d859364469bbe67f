"""`make syllabi-fit DIR=...`: fit the weights of the reasons on labeled syllabi, by logistic regression with L2."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # it has no types
from sklearn.model_selection import GroupKFold, cross_val_predict  # type: ignore[import-untyped]  # it has no types

from courses.syllabi import reasons
from courses.syllabi.proposal import candidates_of
from courses.syllabi.reasons import TICKED, Reason, with_missing
from courses.syllabi.weights import weights_in
from tools.bench.syllabi import ONLY, Labels, labelled, matched, syllabus_of, text_of, wanted_of

STRENGTHS: Final = (0.03, 0.1, 0.3, 1.0)
"""Inverse strengths of the regularization to try."""

FOLDS: Final = 10
PRECISION: Final = 0.902
"""Share of the ticked items that is to be right, in texts left out of the fit."""

NEARLY: Final = 0.015
MOST_LEAST: Final = 0.15
"""Most confidence that an item may need to be proposed: members look at unticked rows, too."""

FILE: Final = Path(reasons.__file__).with_name("fitted.json")


@dataclass(frozen=True)
class Sample:
    """A candidate of a text: its reasons, and whether a label agrees with it."""

    text: str
    reasons: frozenset[Reason]
    right: bool


def main() -> None:
    """Fit the weights on all texts, choose the limits by texts left out, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.syllabi_fit", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="", help=ONLY)
    options = parser.parse_args()
    samples: list[Sample] = []
    texts = wanted = 0
    for folder in options.folders:
        for file, labels in labelled(folder, options.only):
            found, count = samples_of(file, labels)
            samples, texts, wanted = [*samples, *found], texts + 1, wanted + count
    FILE.write_text(json.dumps(fitted(samples, texts, wanted), indent=2, sort_keys=True) + "\n", encoding="utf-8")


def samples_of(file: Path, labels: Labels) -> tuple[list[Sample], int]:
    """The candidates of one text, and the number of its labels."""
    syllabus = syllabus_of(text_of(file), labels)
    candidates = candidates_of(syllabus, weights_in(syllabus.lines))
    right = matched([(one.title, one.due_on, one.confidence) for one in candidates], wanted_of(labels))
    found = [Sample(file.stem, with_missing(one.reasons), at in right) for at, one in enumerate(candidates)]
    return found, len(wanted_of(labels))


def fitted(samples: Sequence[Sample], texts: int, wanted: int) -> dict[str, object]:
    """The contents of the file: weights, limits, and what they were fitted on."""
    rows = np.array([[reason in one.reasons for reason in Reason] for one in samples], dtype=float)
    right = np.array([one.right for one in samples])
    names = [one.text for one in samples]
    likely = {}
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=2000)
        predicted = cross_val_predict(model, rows, right, groups=names, cv=GroupKFold(FOLDS), method="predict_proba")
        likely[strength] = predicted[:, 1]
    best = max(STRENGTHS, key=lambda one: float(np.log(np.where(right, likely[one], 1 - likely[one])).sum()))
    threshold, least = _threshold(samples, likely[best], right), _least(likely[best], right, wanted)
    model = LogisticRegression(C=best, max_iter=2000).fit(rows, right)
    return {
        "fitted_on": {"items": wanted, "candidates": len(samples), "right": int(right.sum()), "texts": texts},
        "intercept": round(float(model.intercept_[0]), 2),
        "least": round(min(MOST_LEAST, TICKED * least / threshold), 2),
        "strength": best,
        "threshold": round(threshold, 3),
        "weights": {one.name: round(float(weight), 2) for one, weight in zip(Reason, model.coef_[0], strict=True)},
    }


def _threshold(samples: Sequence[Sample], likely: np.ndarray, right: np.ndarray) -> float:
    """The lowest likelihood from which `PRECISION` of the items that may be ticked are right."""
    sure = np.array([reasons.most_of(one.reasons) > reasons.UNTICKED for one in samples])
    order = [at for at in np.argsort(-likely) if sure[at]]
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    last = max((at for at, share in enumerate(shares) if share >= PRECISION), default=0)
    print(f"left out: {shares[last]:.3f} of {last + 1} ticks are right")
    return float(likely[order[last]])


def _least(likely: np.ndarray, right: np.ndarray, wanted: int) -> float:
    """The lowest likelihood from which proposing items gives nearly the best F1."""
    order = np.argsort(-likely)
    scores = 2 * np.cumsum(right[order]) / (np.arange(1, len(order) + 1) + wanted)
    print(f"left out: F1 {scores.max():.3f}")
    return float(likely[order[np.flatnonzero(scores >= scores.max() - NEARLY)[-1]]])


if __name__ == "__main__":
    main()
