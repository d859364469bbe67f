"""Export a member's data. Reads in one transaction and writes to a temporary file."""

import logging
import re
import tempfile
import zipfile
from collections.abc import Iterable
from datetime import datetime
from typing import IO, Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from studyservice.archive.tables import (
    CHANGES,
    EVENTS,
    FILES,
    FORMAT,
    MANIFEST,
    MEMBER_PROFILE,
    PROFILE,
    README,
    ArchiveTable,
    archive_tables,
    archive_version,
)
from studyservice.changes.contents import dumps
from studyservice.database.snapshots import in_pieces, snapshot
from studyservice.operations.answers import DownloadRow
from studyservice.rates.limiter import Rate, require_rate
from studyservice.registry import Member
from studyservice.undo.log import all_changes

MEDIA_TYPE = "application/octet-stream"
"""Generated clients treat this type as a file. Its name ends in `.zip`."""

logger = logging.getLogger(__name__)

_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}\Z", re.ASCII)
_COPIED = 256 * 1024
_LEVEL = 6

_README = """\
Your study data

This archive contains everything stored for you at one moment. manifest.json has the time and the numbers
of lines.

data/        one file for each kind of data, with one JSON object per line. You can import these files into an account
             without courses and decks, on its page /account or by POST /v1/import. To do that, leave them unchanged.
files/       the syllabus files that you uploaded, under the names in data/syllabus_files.jsonl.
grades.csv   your scores, for a spreadsheet. An apostrophe precedes text that would be executed as a formula.
cards.csv    your flashcards, likewise.
calendar.ics your due dates, for a calendar.

It contains no password, key or other credential, but everything else is readable: keep it in a safe place.
The fields are explained at {guide}
"""


def export_data(member: Member, *, account_events: Iterable[object] | None = None) -> DownloadRow:
    """Return the member's archive as a download.

    Args:
        account_events: see `write_archive`.

    Raises:
        RateLimited: the member exported too often.
    """
    require_rate(Rate.ARCHIVES, f"out {member.id}")
    made_at = timezone.now()
    file = tempfile.TemporaryFile()  # noqa: SIM115  # closed after it is sent
    try:
        write_archive(member, file, made_at, account_events=account_events)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return {"content": file, "filename": f"study-data-{made_at:%Y-%m-%d}.zip", "media_type": MEDIA_TYPE}


def write_archive(
    member: Member, file: IO[bytes], made_at: datetime, *, account_events: Iterable[object] | None = None
) -> None:
    """Write the archive from one snapshot of the database. Only a few rows are in memory at a time.

    Args:
        account_events: the lines of the log of sign-ins, networks and keys, which no app may read. They are read from
            the same snapshot.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive, snapshot():
        writer = _Writer(archive, made_at)
        guide = f"{settings.BASE_URL}{reverse('guide', args=['archive'])}"
        writer.add(README, [_README.format(guide=guide).encode()])
        counts = {"profile": writer.add_lines(PROFILE, [MEMBER_PROFILE.get().line(member)])}
        for table in archive_tables():
            counts[table.name] = writer.add_lines(table.path, _lines(table, member, writer))
            for name, pieces in table.how.also.items():
                writer.add(name, pieces(member))
        counts["changes"] = writer.add_lines(CHANGES, all_changes(member))
        if account_events is not None:
            counts["account_events"] = writer.add_lines(EVENTS, account_events)
        counts["files"] = writer.files
        manifest = {"format": FORMAT, "version": archive_version(), "made_at": made_at, "counts": counts}
        writer.add(MANIFEST, [dumps(manifest) + b"\n"])


class _Writer:
    """Adds files to the archive, dated with the time of the export.

    Attributes:
        files: number of stored files added.
    """

    def __init__(self, archive: zipfile.ZipFile, made_at: datetime) -> None:
        self._archive = archive
        self._dated = made_at.timetuple()[:6]
        self.files = 0

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        with self._archive.open(self._entry(name), "w") as entry:
            for piece in pieces:
                entry.write(piece)

    def add_lines(self, name: str, lines: Iterable[object]) -> int:
        """Add a file of lines. Return their number."""
        number = 0
        with self._archive.open(self._entry(name), "w") as entry:
            for line in lines:
                entry.write(dumps(line) + b"\n")
                number += 1
        return number

    def add_stored(self, name: str, stored: str) -> None:
        """Add a file from storage.

        Raises:
            FileNotFoundError: the file does not exist.
        """
        with default_storage.open(stored) as file:
            self.add(name, iter(lambda: file.read(_COPIED), b""))
        self.files += 1

    def _entry(self, name: str) -> zipfile.ZipInfo:
        entry = zipfile.ZipInfo(name, self._dated)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        return entry


def _lines(table: ArchiveTable, member: Member, writer: _Writer) -> Iterable[dict[str, Any]]:
    """Yield the lines of a table, after adding the stored files of its rows."""
    found: Any = table.rows(member).values_list(*table.columns)
    lines = (dict(zip(table.columns, row, strict=True)) for row in in_pieces(found))
    column = table.stored_file
    return lines if column is None else [line for line in lines if _is_added(line, column, writer)]


def _is_added(line: dict[str, Any], column: str, writer: _Writer) -> bool:
    """Add the stored file of a row, and put its name in the archive into the line. Return whether the file exists.

    The name has the usual extension of the file, so that desktops can open it.
    """
    extension = _EXTENSION.search(line["filename"])
    name = f"{FILES}{line['id']}{extension[0].lower() if extension else ''}"
    try:
        writer.add_stored(name, line[column])
    except FileNotFoundError:  # files are deleted after their rows, which this transaction may still see
        logger.warning("A stored file is missing from an archive: %s", line[column])
        return False
    line[column] = name
    return True
