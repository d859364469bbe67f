"""Rows of a table that are broken over several lines, as `a | b | c` in their first one."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from courses.syllabi.reading.lines import BREAK
from courses.syllabi.words import MONTHS, WEEKDAYS, one_of

LEAST_ROWS: Final = 3
"""Rows of as many cells that show how many a table has, where no rule below its head does."""

MOST_LINES: Final = 40
"""Lines of a row, and lines without a cell inside a table."""

MOST_CHARACTERS: Final = 2_000
MOST_AFTER: Final = 6
"""Lines below a table of bars that may be its last cell."""

_WRAPS: Final = 55
"""Characters of a line from which the next one may be its continuation."""

_RULE: Final = re.compile(r"\s*\|?\s*:?-{3,}[\s|:+-]*")
DATE_FIRST: Final = re.compile(
    rf"[\s*_#|>]*(?:\d{{1,2}}\s?\(?)?(?:(?:{one_of(WEEKDAYS)}|[MTWRF]|TH)\b[.,]?[\s-]+)?(?:(?:{one_of(MONTHS)})\b\.?\s*\d|\d{{1,2}}[/.-]\d|\d{{1,2}}\s+(?:{one_of(MONTHS)})\b)",
    re.IGNORECASE,
)
"""A date at the start of a row, after its number."""


def with_whole_rows(lines: Sequence[str]) -> tuple[list[str], dict[int, int]]:
    """The lines with each broken row in its first line, and that line (from 0) by each of the others, now empty."""
    whole, begins = list(lines), dict[int, int]()
    for mark in "|\t":
        for first, last, cells in _tables(whole, mark):
            at = first
            while at < last:
                end, text = _row(whole, at, last, mark, cells)
                whole[at] = text
                for line in range(at + 1, end):
                    whole[line] = ""
                    begins[line] = at
                at = max(end, at + 1)
    return whole, begins


def _tables(lines: Sequence[str], mark: str) -> Iterator[tuple[int, int, int]]:
    """The tables with broken rows: the first line, the line after the last, and the separators of a row."""
    begin, last, counts, ruled, together = -1, -1, Counter[int](), 0, 0
    for at, line in enumerate([*lines, *[""] * (MOST_LINES + 1)]):
        count = 0 if len(line) > MOST_CHARACTERS or line.strip().startswith("|") else line.strip(" ").count(mark)
        if count:
            together += last == at - 1
            begin, last = (at if begin < 0 else begin), at
            if _RULE.fullmatch(line):
                ruled = max(ruled, count)
            else:
                counts[count] += 1
        elif begin >= 0 and at - last > MOST_LINES:
            common = max(counts, key=lambda one: (counts[one], one), default=0)
            cells = ruled or (common if counts[common] >= LEAST_ROWS and 2 * together > counts.total() else 0)
            yield begin, min(last + (1 if mark == "\t" else MOST_AFTER), len(lines)), cells
            begin, counts, ruled, together = -1, Counter(), 0, 0


def _row(lines: Sequence[str], at: int, last: int, mark: str, cells: int) -> tuple[int, str]:
    """The line after a row that begins at `at`, and its text."""
    text = lines[at]
    count = text.strip(" ").count(mark)
    if not 0 < count <= cells or _RULE.fullmatch(text) or text.strip().startswith("|"):
        return at + 1, text
    if count < cells and _in_smaller(lines, at, mark):
        return at + 1, text
    end = at + 1
    if count < cells:
        end = next((line for line in _ends(lines, at, last, mark, cells)), end)
    text = _joined(lines[at:end], mark)
    if end > at + 1 or count == cells:
        more = _last_cell(lines, end, last, mark, empty=not text.rsplit(mark, 1)[1].strip())
        text = _joined([text, *lines[end:more]], mark) if more > end else text
        end = more
    return end, text


def _in_smaller(lines: Sequence[str], at: int, mark: str) -> bool:
    """Return whether a line is one of at least `LEAST_ROWS` adjacent ones with as many separators."""
    near = lines[max(0, at - LEAST_ROWS + 1) : at + LEAST_ROWS]
    counts = "".join("=" if line.strip(" ").count(mark) == lines[at].strip(" ").count(mark) else " " for line in near)
    return "=" * LEAST_ROWS in counts


def _ends(lines: Sequence[str], at: int, last: int, mark: str, cells: int) -> Iterator[int]:
    """The line after the one with the last separator of a row, unless another row begins before it."""
    count = lines[at].count(mark)
    dated = bool(DATE_FIRST.match(lines[at]))
    for line in range(at + 1, min(last, at + MOST_LINES)):
        count += lines[line].count(mark)
        if (
            count > cells
            or _RULE.fullmatch(lines[line])
            or (dated and DATE_FIRST.match(lines[line]) and mark in lines[line])
        ):
            return
        if count == cells:
            yield line + 1
            return


def _last_cell(lines: Sequence[str], at: int, last: int, mark: str, *, empty: bool) -> int:
    """The line after the last cell of a row: its next lines, or the next paragraph if it is empty so far."""
    begin = at
    while empty and begin < last and not lines[begin].strip():
        begin += 1
    end = begin
    while end < min(last, at + MOST_LINES) and lines[end].strip() and mark not in lines[end]:
        if DATE_FIRST.match(lines[end]) or lines[end].lstrip().startswith("#") or _RULE.fullmatch(lines[end]):
            break
        end += 1
    return end if end > begin else at


def _joined(lines: Sequence[str], mark: str) -> str:
    """The lines of a row as one: a line that only wraps goes on, and others of a cell stay apart by a mark."""
    text = lines[0]
    for before, line in pairwise(lines):
        if not line.strip():
            continue
        apart = text.rstrip()[-1:] not in {mark, ""} and not line.lstrip().startswith(mark)
        wraps = line.lstrip()[0].islower() or (len(before.rstrip()) > _WRAPS and not before.endswith("  "))
        text = f"{text.rstrip(' ')}{BREAK if apart and not wraps else ' '}{line.strip(' ')}"
    return text
