"""Decode text files that members bring: UTF-8, UTF-16 or Windows-1252, even with broken bytes."""

import re
from typing import NamedTuple

_UTF16 = (
    (re.compile(rb"\xff\xfe|(?:[\t\n\r -~]\0){2}"), "utf-16-le"),
    (re.compile(rb"\xfe\xff|(?:\0[\t\n\r -~]){2}"), "utf-16-be"),
)
"""Encodings by the first bytes: a byte order mark, or two characters of ASCII."""

_UTF8_MARK = b"\xef\xbb\xbf"
_MARK = "\ufeff"
REPLACED = "\ufffd"
"""In place of a byte that cannot be read."""

_ELSEWHERE_TOO = re.compile("[\x00-\x7f\u07c0-\u07ff]+")
"""Not a sign of UTF-8: ASCII, and the bytes of "ß" and a closing quotation mark in Windows-1252."""

_FOR_EACH = 3
"""Maximum broken bytes for each sign of UTF-8."""


class DecodedText(NamedTuple):
    """The text of a file.

    Attributes:
        text: without byte order marks, wherever they are. Each byte that could not be read is `\ufffd`.
        replaced: the number of these.
    """

    text: str
    replaced: int


def decode_text(content: bytes) -> DecodedText:
    """Decode a text file of any content. A few broken bytes do not change the encoding of the others.

    A file is in Windows-1252 only if many more of its bytes are invalid in UTF-8 than it has characters beyond ASCII in
    valid UTF-8. Such sequences hardly ever occur in text in another encoding.
    """
    utf16 = next((encoding for beginning, encoding in _UTF16 if beginning.match(content)), None)
    return _decoded(content, utf16 or ("utf-8" if _is_utf8(content) else "cp1252"))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        signs = len(_ELSEWHERE_TOO.sub("", content.decode(errors="ignore")))
        return content.startswith(_UTF8_MARK) or signs * _FOR_EACH >= _decoded(content, "utf-8").replaced
    return True


def _decoded(content: bytes, encoding: str) -> DecodedText:
    text = content.decode(encoding, "replace")
    replaced = text.count(REPLACED)
    if replaced:
        replaced -= content.decode(encoding, "ignore").count(REPLACED)  # those that the file itself has
    return DecodedText(text.replace(_MARK, ""), replaced)
