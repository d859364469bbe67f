"""Clean text for storage: its lines, without unstorable or invisible characters."""

import re
from collections.abc import Iterator

from courses.syllabi.reading.lines import BREAK

_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]")
_SPACE_AT_END = re.compile(r"[^\S\n]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


_LEAST_TABS = 3
_TAB_LINE = re.compile(r"^[ \xa0]*\t[ \xa0]*$", re.MULTILINE)


def tidied(text: str) -> str:
    r"""Line ends as `\n`, no control characters, no trailing spaces, at most one empty line in a row."""
    text = _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))
    if len(_TAB_LINE.findall(text)) >= _LEAST_TABS:
        text = "\n".join(_with_copied_rows(text.split("\n")))
    return _BLANK_LINES.sub("\n\n", _SPACE_AT_END.sub("", text)).strip()


def _with_copied_rows(lines: list[str]) -> Iterator[str]:
    """The lines with each row of a table in one, where a browser copied every paragraph of a cell as a line.

    A tab begins a line between two cells. Within a cell at most one line is empty, and between rows at least two are.
    """
    row: list[str] = []
    empty, blanks = False, 0
    for line in (one.strip(" \xa0") for one in lines):
        if not line:
            blanks += 1
            continue
        if line[0] == "\t":
            cell = line[1:].strip()
            row += ["\t", cell]
            empty = not cell
        elif len(row) > 1 and blanks < 2:
            row += ["" if empty else BREAK, line]
            empty = False
        else:
            yield "".join(row)
            yield from [""] * blanks
            row = [line]
        blanks = 0
    yield "".join(row)
