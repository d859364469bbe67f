"""`make syllabi-model DIR=... ANSWERS=...`: measure proposals made of a model's answers to labeled syllabi.

ANSWERS has a file NAME.json with the model's answer for each NAME.txt of DIR (format: docs/syllabi-measured.md).
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from courses.model_reading.answers import ModelAnswer
from courses.model_reading.checked import checked
from courses.syllabi.evidence import Evidence
from courses.syllabi.proposal import propose
from courses.syllabi.reasons import TICKED
from tools.bench.syllabi import (
    Counts,
    Labels,
    Score,
    labelled,
    matched,
    matched_categories,
    share,
    syllabus_of,
    wanted_of,
)

Row = dict[str, Any]

MOST_OFF = 0.06
"""Percent by which a weight may differ. A model rounds shares of points."""


@dataclass
class Measured(Counts):
    """Counts for one text, or for all."""

    rules: Score = field(default_factory=Score)
    answered: Score = field(default_factory=Score)
    """The items of the answer as it is."""
    items: Score = field(default_factory=Score)
    read: Score = field(default_factory=Score)
    """The same without the rows that only the rules found."""
    ticks: Score = field(default_factory=Score)
    categories: Score = field(default_factory=Score)
    categories_confirmed: Score = field(default_factory=Score)
    left_out: int = 0
    contradicted: Score = field(default_factory=Score)
    """Right dates that are contradicted, and all right dates."""


def main() -> None:
    """Measure every labeled text that has an answer."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.model_reading", description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--show", action="store_true", help="show rows that are wrong, doubted or left out")
    options = parser.parse_args()
    total = Measured()
    for text, labels in labelled(options.texts):
        answer = options.answers / f"{text.stem}.json"
        if not answer.exists():
            continue
        one = measure(text.read_text(encoding="utf-8"), labels, answer.read_text(encoding="utf-8"), show=options.show)
        print(f"{text.name:24} items {one.items}  ticks {one.ticks}  categories {one.categories}")
        total.add(one)
    ticked = total.ticks
    print(f"\nrules             {total.rules}\nthe answers       {total.answered}\nproposals         {total.items}")
    print(f"  model's rows    {total.read}")
    print(f"ticks right       {share(ticked.right, ticked.proposed)}")
    print(f"right and ticked  {share(ticked.right, total.items.right)}")
    print(f"rows ticked       {share(ticked.proposed, total.read.proposed)}")
    print(f"categories        {total.categories}")
    confirmed = total.categories_confirmed
    print(f"  confirmed       {share(confirmed.proposed, confirmed.labelled)}, {confirmed.right} of these right")
    print(f"rows left out     {total.left_out}")
    print(f"right dates contradicted {share(total.contradicted.right, total.contradicted.labelled)}")


def measure(text: str, labels: Labels, content: str, *, show: bool) -> Measured:
    """Score the proposal made of one answer."""
    syllabus = syllabus_of(text, labels)
    answer, by_rules = ModelAnswer.of(content), propose(syllabus)
    rules, proposal = asdict(by_rules), asdict(checked(by_rules, syllabus, answer))
    wanted = wanted_of(labels)
    rows = proposal["items"]
    read = [row for row in rows if row["evidence"] is not None]
    right = _right(rows, wanted)
    ticked = [row for row in rows if row["confidence"] >= TICKED]
    dated = [row for row in right if row["due_on"] is not None and row["evidence"] is not None]
    contradicted = [row for row in dated if row["evidence"] == Evidence.CONTRADICTED]
    if show:
        for row in rows:
            is_right = any(row is one for one in right)
            if not is_right or row["confidence"] < TICKED:
                said = "right" if is_right else "wrong"
                print(f"    {said} {row['doubt']} {row['due_on']} {row['title']!r}: {row['quote']!r}")
        print(*(f"    {row}" for row in proposal["grade_categories"] if row["doubt"]), sep="\n")
        print(*(f"    {one['message']}" for one in proposal["warnings"]), sep="\n")
    graded = proposal["grade_categories"]
    pairs = [(one["name"], one["weight"]) for one in graded]
    found = [graded[at] for at in matched_categories(pairs, labels.get("categories", []), MOST_OFF)]
    confirmed = [one for one in graded if one["doubt"] is None]
    return Measured(
        rules=Score(len(_right(rules["items"], wanted)), len(rules["items"]), len(wanted)),
        answered=Score(len(_right([asdict(one) for one in answer.items], wanted)), len(answer.items), len(wanted)),
        items=Score(len(right), len(rows), len(wanted)),
        read=Score(len(_right(read, wanted)), len(read), len(wanted)),
        ticks=Score(sum(row["confidence"] >= TICKED for row in right), len(ticked), len(wanted)),
        categories=Score(len(found), len(graded), len(labels.get("categories", []))),
        categories_confirmed=Score(
            sum(any(one is other for other in found) for one in confirmed), len(confirmed), len(graded)
        ),
        left_out=len(answer.items) - len(read),
        contradicted=Score(len(contradicted), 0, len(dated)),
    )


def _right(rows: Sequence[Row], wanted: Sequence[tuple[str, date | None]]) -> list[Row]:
    """The rows whose title and date are right."""
    found = [(row["title"], row["due_on"], row.get("confidence") or 0) for row in rows]
    return [rows[at] for at in matched(found, wanted)]


if __name__ == "__main__":
    main()
