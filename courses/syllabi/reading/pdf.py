"""The text of a PDF, read by PDFium, which is not thread-safe and runs only in the child process."""

from typing import IO

import pypdfium2  # type: ignore[import-untyped]  # annotated, but without py.typed

from courses.syllabi.reading.lines import MAX_CHARACTERS, MAX_PAGES, TooLargeError, UnreadableError


def read_pdf(file: IO[bytes]) -> tuple[str, int]:
    """The text in reading order, and the number of pages.

    Raises:
        TooLargeError: over `MAX_PAGES` or `MAX_CHARACTERS`.
        UnreadableError: encrypted with a password, or broken.
    """
    try:
        document = pypdfium2.PdfDocument(file.read())
        pages = len(document)
        if pages > MAX_PAGES:
            raise TooLargeError
        texts: list[str] = []
        length = 0
        for number in range(pages):
            page = document[number]
            texts.append(page.get_textpage().get_text_range())
            page.close()
            length += len(texts[-1])
            if length > MAX_CHARACTERS:
                raise TooLargeError
    except pypdfium2.PdfiumError as error:
        raise UnreadableError from error
    if not pages:
        raise UnreadableError
    return "\n\n".join(texts), pages
