"""The reader of files of decks, for the child process."""

from collections.abc import Iterator
from typing import IO, Any

from courses.syllabi.reading.media_types import decoded
from vocab.reading.anki_text import is_anki_text, read_anki_text
from vocab.reading.found import BrokenFileError, TooLargeFileError, TooManyError, WrongRowsError, as_output
from vocab.reading.packages import is_package, read_package
from vocab.reading.tables import read_table


def read(file: IO[bytes], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `decks`, `skipped`, `media`, `unreadable` and, for notes, `too_long`, the lengths of the longest texts; or
    `refused`: `broken`, `too_large`, `too_many`, or `rows` with `rows`.

    The option `header` is that of `read_table`.
    """
    try:
        yield _read(file, options.get("header", "auto"))
    except BrokenFileError:
        yield {"refused": "broken"}
    except TooLargeFileError:
        yield {"refused": "too_large"}
    except TooManyError:
        yield {"refused": "too_many"}
    except WrongRowsError as wrong:
        yield {"refused": "rows", "rows": wrong.rows}


def _read(file: IO[bytes], header: str) -> dict[str, Any]:
    if is_package(file):
        return read_package(file)
    file.seek(0)
    content = decoded(file.read(), controls=True)  # a card may contain these, for example from a PDF
    if content is None:
        raise BrokenFileError
    return read_anki_text(content) if is_anki_text(content) else as_output([read_table(content, header)])
