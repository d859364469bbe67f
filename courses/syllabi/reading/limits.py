"""Limits of readers, and errors for exceeding them."""

MAX_PAGES = 100
"""Pages of a PDF."""

MAX_CHARACTERS = 500_000
"""Characters of text (`courses.models.MAX_SYLLABUS_CHARACTERS`)."""

MAX_MARKUP_BYTES = 32 * 1024 * 1024
"""Unpacked markup of a document: some sixty times the longest text."""

MAX_DEPTH = 200
"""Elements inside each other in a document; those that people write have some twenty."""


class TooLargeError(Exception):
    """The file exceeds the limit. Nothing of it is stored."""


class UnreadableError(Exception):
    """The file is encrypted or broken."""
