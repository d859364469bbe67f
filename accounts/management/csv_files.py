"""CSV files with e-mail addresses, which operators give to commands.

Spreadsheets and student registers write them in UTF-8, UTF-16 or Windows-1252, with commas, semicolons or tabs
(RFC 4180). The first line names the columns, in any order and case. A row is one line.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from operator import attrgetter
from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from accounts.members.addresses import address_from
from studyservice.reading.decoding import REPLACED, decode_text

SEPARATORS = ",;\t"

MAX_COMPLAINTS = 20
"""Maximum number of invalid lines listed as text."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line with a valid address that no line before it has.

    Attributes:
        cells: the other columns by name, trimmed; empty if the file does not have the column.
    """

    line: int
    email: str
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class Complaint:
    """A line that is wrong, and how."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


def in_words(complaints: Sequence[Complaint]) -> str:
    """Return the invalid lines, one below another, and the number of those beyond `MAX_COMPLAINTS`."""
    told = list(map(str, sorted(complaints, key=attrgetter("line"))))
    more = [f"and {len(told) - MAX_COMPLAINTS} more"] if len(told) > MAX_COMPLAINTS else []
    return "\n".join([*told[:MAX_COMPLAINTS], *more])


def read_csv(path: Path, required: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Row | Complaint]:
    """Yield the rows of a file, and what is wrong with others. Without its columns the file has only a complaint.

    Args:
        path: of the file.
        required: columns, `email` among them.
        optional: further columns that the file may have.

    Raises:
        CommandError: the file cannot be read.
    """
    try:
        text = decode_text(path.read_bytes()).text
    except OSError as error:
        raise CommandError(f"--file cannot be read: {error}") from None
    if "\x00" in text:
        raise CommandError("--file is not a CSV file. Save the table as CSV, with the encoding UTF-8.")
    lines = enumerate(StringIO(text, newline=None), 1)
    number, first = next(lines, (1, ""))
    if first.lower().startswith("sep="):  # a note for Excel
        number, first = next(lines, (2, ""))
    separator = max(SEPARATORS, key=first.count)
    header = [name.strip(' "\t\n').lower() for name in first.split(separator)]
    while header and not header[-1]:
        header.pop()
    if not set(required) <= set(header) <= {*required, *optional} or len(header) > len(set(header)):
        expected = ", ".join(required) + (f", and optionally {', '.join(optional)}" if optional else "")
        yield Complaint(number, f"the columns are {expected}, not {', '.join(header) or 'missing'}")
        return
    yield from _rows(lines, separator, header)


def _rows(lines: Iterator[tuple[int, str]], separator: str, header: Sequence[str]) -> Iterator[Row | Complaint]:
    seen: dict[str, int] = {}
    for number, line in lines:
        if not line.replace(separator, "").strip():
            continue
        try:
            row = Row(number, *_parsed(line, separator, header))
        except csv.Error as error:
            yield Complaint(number, f"the quotation marks are wrong: {error}")
        except ValueError as error:
            yield Complaint(number, str(error))
        else:
            if row.email in seen:
                yield Complaint(number, f"{row.email} is already in line {seen[row.email]}")
            else:
                seen[row.email] = number
                yield row


def _parsed(line: str, separator: str, header: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the address of a line, and its other cells by column.

    Raises:
        csv.Error: the quotation marks are wrong.
        ValueError: the number of cells is wrong, a character could not be read, or the address is not one.
    """
    cells = [cell.strip() for cell in _cells(line, separator)]
    while len(cells) > len(header) and not cells[-1]:
        cells.pop()
    if len(cells) != len(header):
        raise ValueError(f"{len(cells)} values, not {len(header)}")
    if REPLACED in line:
        raise ValueError("it has characters that cannot be read; save the file with the encoding UTF-8")
    named = dict(zip(header, cells, strict=True))
    email = named.pop("email")
    try:
        return address_from(email), named
    except ValidationError:
        raise ValueError(f"not an e-mail address: {email!r}") from None


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator, strict=True, skipinitialspace=True), [])
