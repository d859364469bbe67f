"""`make syllabi DIR=...`: measure how well labeled syllabi are parsed. Format: docs/syllabi-measured.md."""

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Self, TypedDict

from courses.syllabi.evidence import Evidence, evidence_for
from courses.syllabi.proposal import Proposal, propose
from courses.syllabi.reader import Syllabus
from courses.syllabi.reading import reader
from courses.syllabi.reading.tidy import tidied
from courses.syllabi.text import words_of

SURE = 0.8
"""Confidence from which an item is selected by default."""

SHIFTS = {"day": 1, "week": 7, "month": 30, "year": 365}
"""Offsets in days of the wrong dates to try."""


ONLY = "only texts whose names begin with this; separate several by commas"

SUFFIXES = (".txt", ".md", ".html", ".pdf", ".docx", ".odt")
"""Files that are read, as an upload is."""


class Labels(TypedDict, total=False):
    """The labels: the JSON file beside a text."""

    course: dict[str, str]
    items: list[tuple[str, str, str | None]]
    categories: list[tuple[str, float]]
    today: str


@dataclass
class Score:
    """Counts of what was found."""

    right: int = 0
    proposed: int = 0
    labelled: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(self.right + other.right, self.proposed + other.proposed, self.labelled + other.labelled)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 if there is nothing to find and nothing was found."""
        return 2 * self.right / (self.proposed + self.labelled) if self.proposed + self.labelled else 1.0

    def __str__(self) -> str:
        precision = self.right / self.proposed if self.proposed else 1.0
        recall = self.right / self.labelled if self.labelled else 1.0
        return f"P {precision:4.2f} R {recall:4.2f} F1 {self.f1:4.2f} ({self.right}/{self.proposed}/{self.labelled})"


class Counts:
    """Counts that can be added."""

    def add(self, other: Self) -> None:
        """Add another one's counts."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Measured(Counts):
    """Counts for one text, or for all of a folder or a kind."""

    texts: int = 1
    mean: float = 0
    """The sum of the F1 of items of each text."""
    items: Score = field(default_factory=Score)
    sure: Score = field(default_factory=Score)
    categories: Score = field(default_factory=Score)
    course: Score = field(default_factory=Score)
    right_dates: Score = field(default_factory=Score)
    """Confirmed or inferred right dates, and all that were tried."""
    wrong_dates: Score = field(default_factory=Score)
    """Confirmed wrong dates, and all that were tried."""


def main() -> None:
    """Measure every labeled text of the given folders."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.syllabi", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="show every wrong and every missed item")
    parser.add_argument("--only", default="", help=ONLY)
    options = parser.parse_args()
    started = time.process_time()
    for folder in options.folders:
        kinds: defaultdict[str, Measured] = defaultdict(lambda: Measured(0))
        for file, labels in labelled(folder, options.only):
            measured = measure(text_of(file), labels, show=options.show)
            print(f"{file.name:32} items {measured.items}  sure {measured.sure}  categories {measured.categories}")
            for kind in ("", _kind(file)):
                kinds[kind].add(measured)
        for kind, total in sorted(kinds.items(), reverse=True):
            if kind or len(kinds) != 2:
                _print(f"{folder} {kind}", total)
        if len(kinds) == 2:
            _print(str(folder), kinds[""])
    print(f"{time.process_time() - started:.2f} s of CPU")


def _print(name: str, total: Measured) -> None:
    print(f"\n{name.strip()}: {total.texts} texts, mean F1 of items {total.mean / max(1, total.texts):4.2f}")
    print(f"items             {total.items}\nsure (from {SURE})   {total.sure}")
    print(f"categories        {total.categories}\ncourse fields     {total.course}")
    print(
        f"right dates confirmed or inferred {share(total.right_dates.right, total.right_dates.labelled)},"
        f" wrong dates confirmed {share(total.wrong_dates.right, total.wrong_dates.labelled)}\n"
    )


def text_of(file: Path) -> str:
    """The text of a file as the service stores it. Empty if it has none."""
    if file.suffix == ".txt":
        return tidied(file.read_text(encoding="utf-8"))
    with file.open("rb") as stream:
        return [*reader.read(stream, {"filename": file.name})][-1].get("text") or ""


def syllabus_of(text: str, labels: Labels) -> Syllabus:
    """The text, read on the day that its labels name or imply."""
    return Syllabus.of(text, today=today_of(labels))


def wanted_of(labels: Labels) -> list[tuple[str, date | None]]:
    """The title and the date of each labeled item."""
    return [(title, date.fromisoformat(day) if day else None) for title, _, day in labels.get("items", [])]


def measure(text: str, labels: Labels, *, show: bool = False) -> Measured:
    """Score the proposal and the evidence of one text."""
    syllabus = syllabus_of(text, labels)
    proposal = propose(syllabus)
    wanted = wanted_of(labels)
    items, sure = _items(proposal, wanted, show=show)
    measured = Measured(1, items.f1, items, sure, _categories(proposal, labels.get("categories", []), show=show))
    for name, said in labels.get("course", {}).items():
        got = getattr(proposal.course, name)
        right = got is not None and words_of(got) == words_of(said)
        measured.course += Score(right, got is not None, 1)
        if show and not right:
            print(f"    course {name}: {got!r} for {said!r}")
    for title, day in wanted:
        if day is not None and syllabus.lines and (quote := _quote(syllabus, title, day)):
            found = evidence_for(syllabus, quote, day)
            measured.right_dates += Score(found in {Evidence.CONFIRMED, Evidence.INFERRED}, 0, 1)
            wrong = [day + timedelta(days=sign * days) for days in SHIFTS.values() for sign in (1, -1)]
            measured.wrong_dates += Score(
                sum(evidence_for(syllabus, quote, one) is Evidence.CONFIRMED for one in wrong), 0, len(wrong)
            )
            if show and found in {Evidence.CONTRADICTED, Evidence.NOT_FOUND}:
                print(f"    {found}: {title} {day} by {quote!r}")
    return measured


def today_of(labels: Labels) -> date:
    """Return the day on which the text is read."""
    term = labels.get("course", {}).get("term", "")
    otherwise = "2027-01-05" if term in {"Spring 2027", "Winter 2027"} else "2026-08-25"
    return date.fromisoformat(labels.get("today", otherwise))


def labelled(folder: Path, only: str = "") -> Iterator[tuple[Path, Labels]]:
    """The files of a folder that have labels beside them. `only`: as in `ONLY`."""
    for labels in sorted(folder.glob("*.json")):
        if labels.name.startswith(tuple(only.split(","))) and (
            file := next((one for suffix in SUFFIXES if (one := labels.with_suffix(suffix)).exists()), None)
        ):
            yield file, json.loads(labels.read_text(encoding="utf-8"))


def _kind(file: Path) -> str:
    """The kind of a text: the letter that begins its name ("a_biology"), and the type of its file."""
    letter, mark, _ = file.name.partition("_")
    return f"{letter} {file.suffix}" if mark and len(letter) == 1 else file.suffix


Labelled = tuple[str, date | None]


def matched(found: Sequence[tuple[str, date | None, float]], wanted: Sequence[Labelled]) -> dict[int, Labelled]:
    """The label of each item (title, date, confidence) that is right, by its place; surer ones choose first.

    One is right if its date is right and half of the shorter title's words match.
    """
    left, right = list(wanted), dict[int, Labelled]()
    for at, (title, due_on, _) in sorted(enumerate(found), key=lambda one: -one[1][2]):
        words = set(words_of(title))
        shared = {
            one: len(words & others) / max(1, min(len(words), len(others)))
            for one in left
            if one[1] == due_on and (others := set(words_of(one[0])))
        }
        best = max(shared, key=lambda one: shared[one], default=None)
        if best is not None and shared[best] >= 0.5:
            left.remove(best)
            right[at] = best
    return right


def _items(proposal: Proposal, wanted: list[tuple[str, date | None]], *, show: bool) -> tuple[Score, Score]:
    """Score all items, and the certain ones."""
    right = matched([(item.title, item.due_on, item.confidence or 0) for item in proposal.items], wanted)
    sure = sum((proposal.items[at].confidence or 0) >= SURE for at in right)
    if show:
        for at, item in enumerate(proposal.items):
            if at not in right:
                quote = (item.quote or "")[:80]
                print(f"    wrong  {item.confidence} {item.due_on} {item.title!r} from {item.line}: {quote!r}")
        for title, day in (Counter(wanted) - Counter(right.values())).elements():
            print(f"    missed {day} {title!r}")
    count = sum((item.confidence or 0) >= SURE for item in proposal.items)
    return Score(len(right), len(proposal.items), len(wanted)), Score(sure, count, len(wanted))


def matched_categories(
    found: Sequence[tuple[str, float]], wanted: Sequence[tuple[str, float]], within: float = 0.01
) -> dict[int, tuple[str, float]]:
    """The label of each category (name, weight) that is right, by its place: its weight, and half of the words."""
    left, right = list(wanted), dict[int, tuple[str, float]]()
    for at, (name, weight) in enumerate(found):
        words = set(words_of(name))
        for one in left:
            others = set(words_of(one[0]))
            if abs(one[1] - weight) < within and len(words & others) * 2 >= min(len(words), len(others)):
                left.remove(one)
                right[at] = one
                break
    return right


def _categories(proposal: Proposal, wanted: Sequence[tuple[str, float]], *, show: bool) -> Score:
    found = proposal.grade_categories
    right = matched_categories([(one.name, one.weight) for one in found], wanted)
    if show:
        for at, category in enumerate(found):
            if at not in right:
                print(f"    wrong  {category.name!r} {category.weight:g} from {category.line}")
        for name, weight in (Counter(map(tuple, wanted)) - Counter(map(tuple, right.values()))).elements():
            print(f"    missed {name!r} {weight:g}")
    return Score(len(right), len(found), len(wanted))


def _quote(syllabus: Syllabus, title: str, day: date) -> str:
    """Return the line that an honest reader would quote: most words of the title, with the date in it or just above."""
    words = set(words_of(title))

    def worth(line: int) -> tuple[float, float, int]:
        shared = len(words & set(words_of(syllabus.lines[line]))) / len(words)
        beside = next(
            (3 - away for away in range(3) if any(one.holds(day) for one in syllabus.mentions(line - away))), 0
        )
        return shared + (0.2 * beside if shared else 0), beside, -line

    line = max(range(len(syllabus.lines)), key=worth, default=0)
    return " ".join(syllabus.raw[line].split())[:300] if words & set(words_of(syllabus.lines[line])) else ""


def share(part: int, whole: int) -> str:
    """A share in percent with its counts."""
    return f"{part / whole:.1%} ({part}/{whole})" if whole else "none"


if __name__ == "__main__":
    main()
