"""How many equal pieces a share counts for: "Two midterms, 15 % each"."""

import re
from collections.abc import Sequence
from typing import Final

from courses.syllabi.number_words import COUNTS
from courses.syllabi.rows import MOST_CHARACTERS, MOST_LINES

_COUNT: Final = re.compile(
    rf"(?<![-/])\b(?:(?P<figures>[2-9]|1\d)\b(?![-/%])|(?P<word>{'|'.join(COUNTS)})\b"
    r"|I(?:, II)?,?(?: and| &)? (?P<roman>III?)\b)",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    rf"\b(?P<count>{'|'.join(COUNTS)}|[2-9])\s(?P<words>(?:[\w-]+\s){{0,2}}?(?P<noun>[^\W\d_]{{3,}}(?:s|en|er)))\b",
    re.IGNORECASE,
)
Counted = dict[str, tuple[str, int]]
"""The words and the number of counted pieces, by plural noun."""


def counted_pieces(lines: Sequence[str]) -> Counted:
    """A number of equal items: "two in-class midterms"."""
    counted: Counted = {}
    for line in lines[:MOST_LINES]:
        for found in _COUNTED.finditer(line[:MOST_CHARACTERS]):
            count = COUNTS.get(found["count"].lower()) or int(found["count"])
            counted.setdefault(found["noun"].lower(), (found["words"], count))
    return counted


def whole_of(name: str, clause: str, counted: Counted) -> tuple[str, int]:
    """The name and number of equal items, if its words or the text have a number."""
    found = _COUNT.search(name)
    for word in reversed(re.findall(r"[^\W\d_]+", "" if found else name.lower())):
        for noun, known in counted.items():
            if noun.startswith(re.sub("y$", "", word)) and len(noun) - len(word) < 4:
                return known
    if found := found or _COUNT.search(clause):
        if found["word"]:
            return name, COUNTS[found["word"].lower()]
        return name, len(found["roman"]) if found["roman"] else int(found["figures"])
    return "", 1
