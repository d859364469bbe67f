"""Clean text for storage: its lines, without unstorable or invisible characters."""

import re

_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]")
_SPACE_AT_END = re.compile(r"[^\S\n]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


def tidied(text: str) -> str:
    r"""Line ends as `\n`, no control characters, no trailing spaces, at most one empty line in a row."""
    text = _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))
    return _BLANK_LINES.sub("\n\n", _SPACE_AT_END.sub("", text)).strip()


def row(cells: list[str]) -> str:
    """A table row as one line: `a | b | c`; empty if all its cells are."""
    joined = [" ".join(cell.split()) for cell in cells]
    return " | ".join(joined) if any(joined) else ""
