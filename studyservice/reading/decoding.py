"""Decode text files that members bring: UTF-8, UTF-16 or Windows-1252, even with broken bytes."""

import re
from typing import NamedTuple

_UTF16 = (
    (re.compile(rb"\xff\xfe|(?:[\t\n\r -~]\0){2}"), "utf-16-le"),
    (re.compile(rb"\xfe\xff|(?:\0[\t\n\r -~]){2}"), "utf-16-be"),
)
"""Encodings by the first bytes: a byte order mark, or two characters of ASCII."""

_UTF8_MARK = b"\xef\xbb\xbf"
_MARK, _REPLACED = "\ufeff", "\ufffd"


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

    A file is in Windows-1252 only if more of its bytes are invalid in UTF-8 than it has characters beyond ASCII in
    valid UTF-8. Such sequences hardly ever occur in text in another encoding.
    """
    utf16 = next((encoding for beginning, encoding in _UTF16 if beginning.match(content)), None)
    return _decoded(content, utf16 or ("utf-8" if _is_utf8(content) else "cp1252"))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        valid = sum(character > "\x7f" for character in content.decode(errors="ignore"))
        return content.startswith(_UTF8_MARK) or valid >= _decoded(content, "utf-8").replaced
    return True


def _decoded(content: bytes, encoding: str) -> DecodedText:
    text = content.decode(encoding, "replace")
    replaced = text.count(_REPLACED)
    if replaced:
        replaced -= content.decode(encoding, "ignore").count(_REPLACED)  # those that the file itself has
    return DecodedText(text.replace(_MARK, ""), replaced)
