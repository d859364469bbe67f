"""Import an archive into an account without courses and decks, all or nothing."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import IO, Annotated, TypedDict
from uuid import UUID

from django.contrib.auth import get_user_model
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError
from django.db.models import Model, QuerySet

from studyservice.archive.checking import TWICE, Checker, Laid, wrong_line
from studyservice.archive.tables import MEMBER_PROFILE, archive_tables
from studyservice.archive.unpacking import Archive, open_archive
from studyservice.changes.recording import Write
from studyservice.changes.writing import writing
from studyservice.database.constraints import is_duplicate
from studyservice.database.executing import wait_for_statements
from studyservice.database.statements import Insert
from studyservice.operations.answers import answer
from studyservice.operations.errors import Conflict, RateLimited, ValidationFailed
from studyservice.operations.uploads import Upload
from studyservice.rates.limiter import Rate, require_rate
from studyservice.registry import Member
from studyservice.registry.counts import recount
from studyservice.rows.access import Access

MAX_FILE = 200 * 1024 * 1024
"""Maximum bytes of an archive."""

_BUSY_SECONDS = 30

_turn = threading.Lock()


class ImportBusy(RateLimited):
    """This process is importing another archive."""

    reason = "Another archive is being imported."

    def __init__(self) -> None:
        super().__init__(_BUSY_SECONDS)


class NotEmpty(Conflict):
    """The account is not empty."""

    default_message = (
        "An archive can only be imported into an account without courses and decks, and this one has some. "
        "Nothing was changed."
    )


@answer(counts={"courses": 3, "items": 42, "decks": 2, "cards": 180})
class ArchiveImportRow(TypedDict):
    """The numbers of imported rows."""

    counts: Annotated[
        dict[str, int], "How many rows were made of each kind. Attempts that were there already are not counted."
    ]


@contextmanager
def import_turn() -> Iterator[None]:
    """Limit imports to one at a time in each process.

    Raises:
        ImportBusy: another import is running.
    """
    if not _turn.acquire(blocking=False):
        raise ImportBusy
    try:
        yield
    finally:
        _turn.release()


UPLOAD = Upload(MAX_FILE, turn=import_turn)


def import_data(member: Member, file: IO[bytes]) -> ArchiveImportRow:
    """Import the archive in `file` into the member's account, in the queue of `UPLOAD`.

    Raises:
        RateLimited: the member imported too often.
        Conflict, InvalidRequest, ValidationFailed: see `take_archive`.
    """
    require_rate(Rate.ARCHIVES, f"in {member.id}")
    return take_archive(member, file)


def take_archive(member: Member, file: IO[bytes]) -> ArchiveImportRow:
    """Read the whole archive, then write everything in one transaction. Must not be called inside a transaction.

    Rows get new ids in the order of their lines, and new stamps where pollers ask for them. Everything else stays the
    same. A row that already exists is replaced by the line's (`Archived.remove_present`).

    Raises:
        InvalidRequest: the file is not an archive.
        ValidationFailed: lines are invalid.
        Conflict: the account has courses or decks.
        ReadingBusy: other files are being read.
    """
    _require_empty(member)
    with ExitStack() as opened:
        archive = opened.enter_context(open_archive(file))
        checker = Checker(member, archive, opened)
        with _stored_or_removed() as stored, writing(member.id, "import_data") as write:
            _require_empty(member)
            MEMBER_PROFILE.get().take(member, checker.profile)
            counts = {laid.table.name: laid.number - _remove_present(member.id, laid) for laid in checker.laid}
            for laid in checker.laid:
                if laid.table.how.require_room is not None:
                    laid.table.how.require_room(Access(member, write=write), laid.file_bytes)
                _insert(write, laid, archive, stored)
            recount(member.id)
            write.about(get_user_model(), member.id, "archive", None)
            write.tell(None, counts)
            write.cannot_be_undone()
    return {"counts": counts}


def _require_empty(member: Member) -> None:
    for table in archive_tables():
        if table.how.must_be_empty and QuerySet(table.model).filter(member_id=member.id).exists():
            raise NotEmpty


def _remove_present(member_id: UUID, laid: Laid) -> int:
    """Delete existing rows that lines restore. Return their number."""
    remove_present = laid.table.how.remove_present
    if remove_present is None or not QuerySet(laid.table.model).filter(member_id=member_id).exists():
        return 0
    return sum(remove_present(member_id, batch) for batch in laid.batches())


def _insert(write: Write, laid: Laid, archive: Archive, stored: list[str]) -> None:
    """Insert the rows of a table.

    Raises:
        ValidationFailed: two lines have the same id.
    """
    model, column, insert = laid.table.model, laid.table.stored_file, Insert(laid.table.model)
    stamps = dict.fromkeys(laid.table.data.log.restamped, write.now)
    for batch in laid.batches():
        for row in batch:
            row.update(stamps)
            if column is not None:
                row[column] = _store(model(**row), column, archive)
                stored.append(row[column])
        try:
            insert.run_all(batch)
            wait_for_statements()
        except IntegrityError as error:
            if not is_duplicate(error):
                raise
            doubled = wrong_line(laid.table.path, _second_line(laid, {row["id"] for row in batch}), f"id: {TWICE}")
            raise ValidationFailed([doubled]) from error
        write.touched(model, (row["id"] for row in batch))


def _second_line(laid: Laid, ids: set[UUID]) -> int:
    """Return the number of the line that repeats one of these ids."""
    seen = set[UUID]()
    for number, row in enumerate(chain.from_iterable(laid.batches()), start=1):
        if row["id"] in seen:
            return number
        seen |= {row["id"]} & ids
    raise LookupError("No line repeats an id.")


def _store(row: Model, column: str, archive: Archive) -> str:
    """Store a row's file. Return its name in storage, which the model chooses."""
    file = getattr(row, column)
    with archive.opened(str(file.name)) as content:
        file.save(str(file.name), File(content), save=False)
    return str(file.name)


@contextmanager
def _stored_or_removed() -> Iterator[list[str]]:
    """Yield a list for names of stored files. Delete the files if the block fails."""
    stored: list[str] = []
    try:
        yield stored
    except BaseException:
        for name in stored:
            default_storage.delete(name)
        raise
