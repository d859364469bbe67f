"""Limits of readers, and errors for exceeding them."""

MAX_PAGES = 100
"""Maximum pages of a PDF."""

MAX_CHARACTERS = 500_000
"""Maximum characters of text (`courses.models.MAX_SYLLABUS_CHARACTERS`)."""

MAX_MARKUP_BYTES = 32 * 1024 * 1024
"""Maximum unpacked markup of a document: about sixty times the longest text."""

MAX_DEPTH = 200
"""Maximum depth of nested elements in a document. Real documents have about twenty."""


class TooLargeError(Exception):
    """The file exceeds the limit. Nothing of it is stored."""


class UnreadableError(Exception):
    """The file is encrypted or broken."""
