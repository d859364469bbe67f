"""Detect the type of a file by its content."""

import re
import zipfile
from typing import IO

from studyservice.reading.decoding import decode_text

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
HTML = "text/html"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"

_PDF_WITHIN = 1024
"""A PDF may begin with other bytes before its signature (ISO 32000-1, implementation note 13)."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
"""The stream that a DOCX with a password has inside its OLE container ([MS-OFFCRYPTO] 1.3.2)."""

_FOREIGN = (b"{\\rtf", b"%!PS")
"""Types that are text but not documents."""

_HTML = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_NUL = re.compile("\x00")
_ONE_IN, _FOR_EACH = 100, 3
"""Text may have one unreadable character, one in 100, or three for each other one beyond ASCII."""

_MARKDOWN_NAMES = (".md", ".markdown")


def binary_type(file: IO[bytes], filename: str) -> str | None:
    """The type of a file that is not text, or None.

    A package that cannot be opened gets its type from the file name, as a broken document rather than an unknown type.
    """
    file.seek(0)
    head = file.read(_PDF_WITHIN)
    file.seek(0)
    if b"%PDF-" in head:
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return _package_type(file, filename.lower())
    if head.startswith(_OLE):
        return DOCX if _ENCRYPTED in file.read() else None
    return None


def _package_type(file: IO[bytes], filename: str) -> str | None:
    try:
        with zipfile.ZipFile(file) as package:
            names = set(package.namelist())
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
        return DOCX if filename.endswith(".docx") else ODT if filename.endswith(".odt") else None
    if "word/document.xml" in names:
        return DOCX
    return ODT if {"content.xml", "META-INF/manifest.xml"} <= names else None


def decoded(content: bytes, *, controls: bool = False) -> str | None:
    """Decode a text file (`decode_text`). None for other files.

    Args:
        controls: allow control characters other than tab, line and page ends; NUL is never allowed.
    """
    if content.startswith(_FOREIGN):
        return None
    text, replaced = decode_text(content)
    if replaced and not _is_legible(text, replaced):
        return None
    return None if (_NUL if controls else _CONTROL).search(text) else text


def _is_legible(text: str, replaced: int) -> bool:
    """Return whether enough of a text was read."""
    others = len(text) - len(text.encode("ascii", "ignore")) - replaced
    return replaced < len(text) and replaced <= max(1, len(text) // _ONE_IN, _FOR_EACH * others)


def text_type(text: str, filename: str) -> str:
    """The media type of a text. Markdown is recognized only by the file name."""
    if _HTML.match(text[:4096]):
        return HTML
    return MARKDOWN if filename.lower().endswith(_MARKDOWN_NAMES) else PLAIN
