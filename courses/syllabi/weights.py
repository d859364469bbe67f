"""The grade categories of a syllabus: names and numbers in a line, in cells or in a clause, that add up to a grade."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Final

from courses.syllabi import weight_words as words
from courses.syllabi.rows import Row, rows_of, sentences_of
from courses.syllabi.titles import cleaned
from courses.syllabi.words import whole_word

MOST_ENTRIES: Final = 600
"""Maximum number of shares read. A syllabus has a few dozen."""

MOST_PARTS: Final = 12
"""Maximum number of categories in a grade."""

MOST_READ: Final = 400
"""Maximum characters before a share that are searched for its name."""

LEAST_ALIKE: Final = 2
"""Minimum number of equal parts that are one category. Two midterms stay two."""

MOST_HEADING: Final = 40
"""Maximum characters of a heading."""

FURTHEST: Final = 3
"""Lines between two categories that are close."""

_NUMBER: Final = re.compile(
    r"\s*#?\b(?:\d{1,2}|I{1,3}|IV)$|^(?:1st|2nd|3rd|\dth|first|second|third|fourth)\s", re.IGNORECASE
)
"""The number that tells equal parts apart."""

_WRITTEN: Final = re.compile(r"(?<![\d.–-])\d+(?:\.\d+)?(?![\d%–-])")
_TOTAL: Final = whole_word("total")
"""Words beside a written total."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A part of the grade, with its weight in percent (at most two decimals) and its line (from 0)."""

    name: str
    weight: float
    line: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """A name with a share, or one of the two; `each` means per piece, and a bare number is in points.

    `said` has the words around, which may have the number of pieces. It is empty if the share has none.
    """

    name: str
    line: int
    said: str
    value: float = 0
    unit: str = ""
    each: bool = False

    def with_share_of(self, other: "_Entry") -> "_Entry":
        """This name with the number of another entry."""
        name = self.name if self.value else words.name_of(cleaned(self.said, []))
        return replace(self, name=name, value=other.value, unit=other.unit, each=other.each)


def weights_in(lines: Sequence[str]) -> list[Weight]:
    """The grade categories. Empty if the text has none.

    A run of adjacent entries counts if it adds up to the whole: first of percentages or points, then also of bare
    numbers with a known name or a head. Otherwise, percentages close together count.
    """
    rows = list(rows_of(lines))
    entries = _entries(rows, bare=False)
    for bare in (False, True):
        run = _whole_run(_entries(rows, bare=True) if bare else entries, lines, bare=bare)
        if run and _is_grade(run, lines):
            return _weights(run, sum(entry.value for entry in run))
    percentages = [entry for entry in entries if entry.unit == "%" and not entry.each]
    return _weights(max(filter(_is_close, _runs(percentages)), key=len, default=[]), 100)


def _weights(run: Sequence[_Entry], total: float) -> list[Weight]:
    """The entries in percent, with three or more of equal weight that differ only by a number as one: "Test 1"."""
    series: dict[tuple[str, float], list[_Entry]] = {}
    for one in run:
        series.setdefault((_NUMBER.sub("", one.name).strip(), one.value), []).append(one)
    weights = []
    for (name, value), alike in series.items():
        whole = replace(alike[0], name=words.plural_of(name), value=value * len(alike))
        kept = [whole] if name and len(alike) >= LEAST_ALIKE else alike
        weights += [Weight(one.name, round(one.value * 100 / total, 2), one.line) for one in kept]
    return weights


def _runs(entries: Sequence[_Entry]) -> Iterator[Sequence[_Entry]]:
    """The runs of at least two adjacent entries."""
    for first in range(len(entries)):
        for last in range(first + 2, min(first + MOST_PARTS, len(entries)) + 1):
            yield entries[first:last]


def _known(run: Sequence[_Entry]) -> int:
    """The number of entries with a known name."""
    return sum(words.is_known(one.name) for one in run)


def _is_grade(run: Sequence[_Entry], lines: Sequence[str]) -> bool:
    """Return whether it has a head, or known names for half of its entries; of close ones, for a quarter."""
    close = run[-1].line - run[0].line <= FURTHEST * (len(run) - 1)
    above = lines[max(0, run[0].line - 3) : run[0].line]
    return _known(run) * (4 if close else 2) >= len(run) or (close and any(map(_TOTAL.search, above)))


def _worth(run: Sequence[_Entry]) -> float:
    """How likely a run that adds up is the grade: by its names, its number of parts and their distance.

    Of points, a part of the run may add up, too.
    """
    if not run:
        return -1000
    known = _known(run)
    apart = (run[-1].line - run[0].line) / (len(run) - 1)
    longer = 0 if all(one.unit == "%" for one in run) else known / 2 + len(run) / 4
    return 2 * known / len(run) + min(len(run), 4) / 2 - min(apart, 8) / 4 + longer


def _whole_run(entries: Sequence[_Entry], lines: Sequence[str], *, bare: bool) -> Sequence[_Entry]:
    """The run in a text that adds up to the whole: of percentages, of points, or of bare numbers with both.

    Percentages below a heading of the grade win: points may be those of single pieces of work.
    """
    kinds = [one for one in entries if one.unit == "%"], [one for one in entries if bare or one.unit != "%"]
    percentages, others = (
        max((run for run in map(_completed, _runs(kind)) if _is_whole(run, lines)), key=_worth, default=[])
        for kind in kinds
    )
    if _is_headed(percentages, lines) and _is_grade(percentages, lines):
        return percentages
    return max(percentages, others, key=_worth)


def _is_headed(run: Sequence[_Entry], lines: Sequence[str]) -> bool:
    """Return whether a heading of the grade is just above the run, or begins its line: "Grading: essays 40 %"."""
    if not run:
        return False
    first = run[0].line
    heads = [*lines[max(0, first - 2) : first], lines[first].partition(":")[0]]
    return any(
        len(head) <= MOST_HEADING and _TOTAL.search(head) and not words.shares_in(head, bare=False) for head in heads
    )


def _completed(run: Sequence[_Entry]) -> Sequence[_Entry]:
    """The run with the number of equal pieces that makes it whole, if only one entry lacks it."""
    unknown = [one for one in run if one.each]
    missing = 100 - sum(one.value for one in run if not one.each)
    if len(unknown) != 1 or unknown[0].unit != "%" or missing <= 0 or missing % unknown[0].value:
        return [] if unknown else run
    return [replace(one, value=missing, each=False) if one.each else one for one in run]


def _is_whole(run: Sequence[_Entry], lines: Sequence[str]) -> bool:
    """Return whether it adds up to 100, or for points to the total written nearby."""
    total = sum(entry.value for entry in run)
    if not run or run[0].unit == "%" or abs(total - 100) < 0.05:
        return bool(run) and abs(total - 100) < 0.05
    first, last = run[0].line, run[-1].line
    around = [*lines[max(0, first - 3) : first], *lines[last + 1 : last + 8]]
    not_pieces = [line for line in around if not words.is_known(line)]
    nearby = [*lines[first : last + 1], *not_pieces]
    written = (line for line in nearby if f"{total:g}" in _WRITTEN.findall(line.replace(",", "")))
    return any(_TOTAL.search(line) or not any(map(str.isalpha, line)) for line in written)


def _is_close(run: Sequence[_Entry]) -> bool:
    """Return whether percentages belong together though they do not add up. They are proposed with a warning."""
    gaps = (two.line - one.line for one, two in pairwise(run))
    return len(run) > 2 and max(gaps) <= 2 and 60 <= sum(entry.value for entry in run) <= 150


def _entries(rows: Sequence[Row], *, bare: bool) -> list[_Entry]:
    """The entries of a text in order, each with a name and a share of all its pieces; with `bare` also bare numbers."""
    entries = []
    for entry in islice(_named_entries(rows, bare=bare), MOST_ENTRIES):
        name, count = entry.name, words.pieces_of(entry.name, entry.said) if entry.each else 1
        if name and 0 < entry.value * count <= (5000 if entry.unit == "points" else 100):
            entries.append(replace(entry, value=entry.value * count, each=False))
        elif name and count == 0 and not (entries and entries[-1].name.lower().startswith(name.lower()[:4])):
            entries.append(entry)
    return entries


def _named_entries(rows: Sequence[Row], *, bare: bool) -> Iterator[_Entry]:
    """The entries of the rows. Lines with only numbers belong to as many names above them."""
    names: list[Row] = []
    numbers: list[_Entry] = []
    for row in rows:
        entries = list(_entries_of(row, bare=bare)) if words.MAYBE.search(row.text) else []
        shared = any(entry.value for entry in entries)
        if shared and not any(entry.said for entry in entries):
            numbers += entries
            continue
        if numbers:
            yield from _matched(names, numbers)
            names, numbers = [], []
        if shared:
            yield from _joined(entries)
        else:
            names = [*names, row][-MOST_PARTS:]
    yield from _matched(names, numbers)


def _matched(rows: Sequence[Row], numbers: Sequence[_Entry]) -> Iterator[_Entry]:
    """The last names above some numbers, each with its own number. A name apart from the others heads the numbers."""
    entries = (entry for row in rows for entry in _entries_of(row, bare=False) if numbers)
    names = [entry for entry in entries if words.name_of(cleaned(entry.said, []))][-MOST_PARTS:]
    if 1 < len(numbers) < len(names) and names[-1].line - names[-2].line > 1:
        names = names[:-1]
    if 0 < len(numbers) <= len(names):
        for name, number in zip(names[-len(numbers) :], numbers, strict=True):
            yield name.with_share_of(number)


def _joined(entries: Sequence[_Entry]) -> list[_Entry]:
    """The entries of a row. A share without words belongs to the name before it; one that begins, to the next."""
    joined: list[_Entry] = []
    for entry in entries:
        first = joined[0] if len(joined) == 1 else None
        if first and first.value and not (first.said or entry.value) and words.name_of(cleaned(entry.said, [])):
            joined[0] = entry.with_share_of(first)
        elif joined and not entry.said:
            joined[-1] = joined[-1] if joined[-1].value else joined[-1].with_share_of(entry)
        elif entry.value or not joined or joined[-1].value:
            joined.append(entry)
    return joined


def _entries_of(row: Row, *, bare: bool) -> Iterator[_Entry]:
    """The names and shares of a row, of each cell, sentence and clause, before they are joined.

    In a table with a column of weights, the column of names is first.
    """
    places = sorted(range(len(row.cells)), key=lambda at: "weight" in row.roles and row.roles[at] != "what")
    weighing = _weighing(row, bare=bare)
    for at in places:
        cell = row.cells[at]
        in_cell = "weight" in row.roles or (bare and not (row.is_table and any(map(str.isalpha, cell))))
        for start, sentence in sentences_of(cell):
            text = words.weighable(sentence[: MOST_READ * 4])
            shares = words.shares_in(text, bare=in_cell) if at in weighing and words.MAYBE.search(text) else []
            line = row.line_at(start + shares[0].start) if shares else row.line
            if 0 < len(shares) <= MOST_PARTS:
                yield from _clauses(text, shares, line)
            elif any(map(str.isalpha, _TOTAL.sub("", text))):
                yield _Entry("", line, text)


def _weighing(row: Row, *, bare: bool) -> Sequence[int]:
    """The cells of a row that may have shares: the column of weights, else those from the one that is only a share on.

    Of several bare numbers side by side it is the last: "Quizzes | 3 | 20 | 60".
    """
    places = range(len(row.cells))
    if "weight" in row.roles:
        return [at for at in places if row.roles[at] == "weight"]
    for numbers in (False, True)[: 1 + bare] if row.is_table and any(map(str.isalpha, row.text)) else ():
        alone = [at for at in places if _is_share(row.cells[at], bare=numbers and at > 0)]
        if alone:
            first = next(at for at in alone if not numbers or at + 1 not in alone)
            return [at for at in places if at >= first and row.cells[at][:1] != "("]
    return places


def _is_share(cell: str, *, bare: bool) -> bool:
    """Return whether a cell is nothing but a share."""
    shares = words.shares_in(cell, bare=bare) if words.MAYBE.search(cell) and cell[:1] != "(" else []
    return len(shares) == 1 and not any(map(str.isalnum, cell[: shares[0].start] + cell[shares[0].end :]))


def _clauses(text: str, shares: Sequence[words.Share], line: int) -> Iterator[_Entry]:
    """The shares of a sentence, each with the words before it, or after it if the sentence begins with a share."""
    starts, ends = [one.start for one in shares], [one.end for one in shares]
    parts = [text[start:end] for start, end in zip([0, *ends], [*starts, len(text)], strict=True)]
    colon = len(shares) > 1 and parts[0].rstrip().endswith((":", "=")) and words.says(parts[-1])
    for share, before, tail in zip(shares, parts[:-1], parts[1:], strict=True):
        head = before[-MOST_READ:]
        number = share.value, share.unit
        if ((colon or not words.says(parts[0])) and not words.is_before(head, tail)) or not words.says(head):
            said = tail if words.says(_TOTAL.sub("", tail)) else ""
            yield _Entry(words.name_after(tail), line, said, *number, share.each)
        else:
            name, each = words.name_before(head)
            said = "" if name is None else f"{head} {tail}"
            yield _Entry(name or "", line, said, *number, each or share.each)
