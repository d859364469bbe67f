"""The reader of syllabus files, for the child process."""

from collections.abc import Iterator
from importlib import import_module
from typing import IO, Any

from courses.syllabi.reading import media_types
from courses.syllabi.reading.lines import MAX_CHARACTERS, TooLargeError, UnreadableError
from courses.syllabi.reading.tidy import tidied

# Import each reader only where needed: the child process starts for every file.
_PDF = "courses.syllabi.reading.pdf"
_HTML = "courses.syllabi.reading.html"
_PACKAGES = {media_types.DOCX: "courses.syllabi.reading.docx", media_types.ODT: "courses.syllabi.reading.odt"}


def read(file: IO[bytes], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `media_type` (null: unknown) before reading the file, then `text_status`, `text` and `pages`."""
    filename = options["filename"]
    media_type = media_types.binary_type(file, filename)
    content = None
    if media_type is None:
        file.seek(0)
        content = media_types.decoded(file.read())
        media_type = None if content is None else media_types.text_type(content, filename)
    yield {"media_type": media_type}
    if media_type is None:
        return
    try:
        text, pages = _read(file, media_type, content)
    except TooLargeError:
        yield {"text_status": "too_large"}
    except UnreadableError:
        yield {"text_status": "unreadable"}
    else:
        yield {"text_status": "read" if text else "no_text", "text": text or None, "pages": pages}


def _read(file: IO[bytes], media_type: str, content: str | None) -> tuple[str, int | None]:
    """The cleaned text, and the number of pages of a PDF.

    Raises:
        TooLargeError: the text exceeds the limit.
        UnreadableError: it is encrypted or broken.
    """
    file.seek(0)
    pages = None
    if media_type == media_types.PDF:
        text, pages = import_module(_PDF).read_pdf(file)
    elif media_type in _PACKAGES:
        text = import_module(_PACKAGES[media_type]).read(file)
    elif media_type == media_types.HTML:
        text = import_module(_HTML).read_html(content)
    else:
        text = content
    text = tidied(text)
    if len(text) > MAX_CHARACTERS:
        raise TooLargeError
    return text, pages
