"""`purgeexpired` and files: unattached uploads, and stored files without a row."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.erasure.erasing import purge_all
from courses.models import SyllabusFile
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.rest, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]

NOW = datetime(2026, 11, 22, 8, tzinfo=UTC)


def names(files: Path) -> set[str]:
    return {path.name for path in files.rglob("*") if path.is_file()}


def test_uploads_are_deleted_after_a_day_and_course_files_are_kept(
    owner: RestEntryPoint, files: Path, time_machine: Any
) -> None:
    time_machine.move_to(NOW, tick=False)
    upload, attached = (owner.made("create_syllabus", text=f"Week {number}") for number in (1, 2))
    owner.made("create_course", name="Biology", syllabus_id=attached["id"])
    for later, removed, left in (
        (timedelta(hours=24, microseconds=-1), 0, {upload["id"], attached["id"]}),
        (timedelta(hours=24), 1, {attached["id"]}),
        (timedelta(days=300), 0, {attached["id"]}),
    ):
        time_machine.move_to(NOW + later, tick=False)
        assert purge_all()["uploads"] == removed
        assert names(files) == left == {str(id_) for id_ in SyllabusFile.objects.values_list("id", flat=True)}


def test_files_without_a_row_are_deleted_after_a_day(owner: RestEntryPoint, files: Path) -> None:
    assert purge_all()["files_without_a_row"] == 0
    kept = owner.made("create_syllabus", text="Week 1")["id"]
    now = datetime.now(UTC)
    for name, age in (("new", timedelta(hours=23)), ("old", timedelta(hours=25))):
        stray = files / "syllabi" / "ab" / name
        stray.parent.mkdir(exist_ok=True)
        stray.write_text("left behind")
        os.utime(stray, ((now - age).timestamp(),) * 2)
    stored = Path(SyllabusFile.objects.get().file.path)
    os.utime(stored, ((now - timedelta(days=9)).timestamp(),) * 2)
    assert purge_all()["files_without_a_row"] == 1
    assert names(files) == {kept, "new"}


def test_deleting_a_member_deletes_every_file(owner: RestEntryPoint, owner_member: Any, files: Path) -> None:
    upload, attached = (owner.made("create_syllabus", text=f"Week {number}") for number in (1, 2))
    owner.made("create_course", name="Biology", syllabus_id=attached["id"])
    assert names(files) == {upload["id"], attached["id"]}
    owner_member.delete()
    assert (names(files), SyllabusFile.objects.count()) == (set(), 0)
