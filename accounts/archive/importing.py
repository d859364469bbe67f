"""Import an archive into an account without courses and decks, all or nothing."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any, cast
from uuid import UUID

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection
from django.db.models import QuerySet

from accounts.archive.checking import Checker, Laid, prepared, wrong_line
from accounts.archive.profile import ProfileFields, take_profile
from accounts.archive.records import ArchiveImportRow
from accounts.archive.tables import archive_tables
from accounts.archive.unpacking import Archive, open_archive
from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.members.counts import recount
from accounts.members.models import Member
from accounts.rows.access import Access
from studyservice.operations.errors import Conflict, RateLimited, ValidationFailed
from studyservice.operations.uploads import Upload
from studyservice.rates.limiter import Rate, hit

MAX_FILE = 200 * 1024 * 1024
"""Maximum bytes of an archive."""

_BUSY_SECONDS = 30
_BATCH = 500

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
    window = hit(Rate.ARCHIVES, f"in {member.id}")
    if window.exceeded:
        raise RateLimited(window.reset)
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
            take_profile(member, cast("ProfileFields", checker.profile))
            present = {laid.table.name: _remove_present(write, laid) for laid in checker.laid}
            for laid in checker.laid:
                if laid.table.how.require_room is not None:
                    laid.table.how.require_room(Access(member, write=write), laid.file_bytes)
                _insert(write, laid, archive, stored)
            recount(member.id)
            counts = {laid.table.name: laid.number - present[laid.table.name] for laid in checker.laid}
            write.about(Member, member.id, "archive", None)
            write.tell(None, counts)
            write.cannot_be_undone()
    return {"counts": counts}


def _require_empty(member: Member) -> None:
    for table in archive_tables():
        if table.how.must_be_empty and QuerySet(table.model).filter(member_id=member.id).exists():
            raise NotEmpty


def _remove_present(write: Write, laid: Laid) -> int:
    """Delete existing rows that lines restore. Return their number."""
    table = laid.table
    remove_present = table.how.remove_present
    if remove_present is None or not QuerySet(table.model).filter(member_id=write.member_id).exists():
        return 0
    return sum(
        remove_present(write.member_id, [dict(zip(laid.columns, values, strict=True)) for values in batch])
        for _, batch in laid.batches(_BATCH)
    )


def _insert(write: Write, laid: Laid, archive: Archive, stored: list[str]) -> None:
    """Insert the rows of a table without the ORM, which would hold the member's lock ten times as long.

    Raises:
        ValidationFailed: two lines have the same id.
    """
    model, column = laid.table.model, laid.table.stored_file()
    derive = laid.table.data.computed.derived or (lambda _: {})
    computed = [name for name in derive(defaultdict(str)) if name not in laid.columns]
    columns = {name: prepared(model, name) for name in ("member_id", *laid.columns, *computed)}
    fixed = {laid.columns.index(name): columns[name](write.now) for name in laid.table.data.log.restamped}
    quoted = [connection.ops.quote_name(name) for name in columns]
    # Only names of models are formatted into the SQL. Values are parameters.
    table, places = connection.ops.quote_name(model._meta.db_table), ", ".join(["%s"] * len(columns))
    statement = f"INSERT INTO {table} ({', '.join(quoted)}) VALUES ({places})"  # noqa: S608 # nosec
    member_id = columns["member_id"](write.member_id)
    for first, batch in laid.batches(_BATCH):
        for values in batch:
            for place, value in fixed.items():
                values[place] = value
            if column is not None:
                values[laid.columns.index(column)] = _store(laid, values, archive, stored)
            if computed:
                row = derive(dict(zip(laid.columns, values, strict=True)))
                values += [columns[name](row[name]) for name in computed]
        try:
            with connection.cursor() as cursor:
                cursor.executemany(statement, [(member_id, *values) for values in batch])
            write.touched(model, (UUID(str(values[laid.columns.index("id")])) for values in batch))
        except IntegrityError as error:
            number = _repeated_id(laid, first, batch)
            if number is None:
                raise
            doubled = wrong_line(laid.table.path(), number, "id: Is also the id of another line.")
            raise ValidationFailed([doubled]) from error


def _repeated_id(laid: Laid, first: int, batch: list[list[Any]]) -> int | None:
    """Return the number of the first line in the batch with a repeated id, or None."""
    place = laid.columns.index("id")
    numbers: dict[str, int] = {}
    for number, values in enumerate(batch, start=first):
        if values[place] in numbers:
            return number
        numbers[values[place]] = number
    for start, others in laid.batches(_BATCH):
        if start >= first:
            return None
        for values in others:
            if values[place] in numbers:
                return numbers[values[place]]
    return None


def _store(laid: Laid, values: list[Any], archive: Archive, stored: list[str]) -> str:
    """Store a row's file. Return its name in storage, which the model chooses."""
    column = str(laid.table.stored_file())
    row = laid.table.model(**dict(zip(laid.columns, values, strict=True)))
    references = {field.name for field in row._meta.concrete_fields if field.is_relation}
    row.clean_fields(exclude={column, *references})  # converts the id from text; references were already checked
    file = getattr(row, column)
    with archive.opened(str(file.name)) as content:
        file.save(str(file.name), File(content), save=False)
    stored.append(str(file.name))
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
