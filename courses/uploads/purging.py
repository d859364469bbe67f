"""Remove expired uploads, and files in storage without a row."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from django.core.files.storage import Storage, default_storage
from django.utils import timezone

from courses.models import SYLLABUS_FOLDER, SyllabusFile
from studyservice.database.deleting import delete_alone_later, purge
from studyservice.database.executing import batches

STRAY_AFTER = timedelta(days=1)
"""How long a file may be in storage without a row, for example because a process was killed in between."""


def purge_uploads() -> int:
    """Delete expired uploads. Their files are removed from storage after the commit."""
    return purge(SyllabusFile.objects.filter(expires_at__lte=timezone.now()).defer("text", "model_answer"))


def purge_uploads_of(member_id: UUID) -> None:
    """Delete expired uploads of a member, in the open transaction."""
    rows = SyllabusFile.objects.filter(member_id=member_id, expires_at__lte=timezone.now())
    if expired := list(rows.defer("text", "model_answer")):
        delete_alone_later(rows, read=[*expired])


def purge_stray_files() -> int:
    """Delete files without a row."""
    removed = 0
    for batch in batches(_names(default_storage)):
        known = set(SyllabusFile.objects.filter(file__in=batch).values_list("file", flat=True))
        for name in batch:
            if name not in known and default_storage.get_modified_time(name) < timezone.now() - STRAY_AFTER:
                default_storage.delete(name)
                removed += 1
    return removed


def _names(storage: Storage) -> Iterator[str]:
    """Everything below the folder of syllabi."""
    try:
        folders, _ = storage.listdir(SYLLABUS_FOLDER)
    except FileNotFoundError:  # nothing was ever stored
        return
    for folder in folders:
        _, files = storage.listdir(f"{SYLLABUS_FOLDER}/{folder}")
        yield from (f"{SYLLABUS_FOLDER}/{folder}/{file}" for file in files)
