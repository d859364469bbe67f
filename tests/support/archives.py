"""Reads and writes archives of study data for tests."""

import io
import json
import zipfile
from typing import Any

from studyservice.archive.tables import archive_tables, archive_version
from tests.support.samples import COURSE_LIMITS

TABLES = (
    "courses",
    "syllabus_files",
    "items",
    "milestones",
    "imported_events",
    "grade_categories",
    "grade_scores",
    "decks",
    "cards",
    "reviews",
    "attempts",
)
THEN = "2026-09-01T08:30:00.000000Z"
COURSE_ID = "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01"
PROFILE = {"name": "Ada", "time_zone": "Asia/Tokyo", "desired_retention": 0.85}


def a_course(**fields: Any) -> dict[str, Any]:
    """The archive line of a course."""
    nothing = dict.fromkeys((*COURSE_LIMITS, "syllabus_text"))
    stamps = {"created_at": THEN, "updated_at": THEN}
    return nothing | {"id": COURSE_ID, "name": "Cell Biology", "term": "Fall semester"} | stamps | fields


def parts_of(content: bytes) -> dict[str, bytes]:
    """Return the files of an archive, by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def lines_of(content: bytes, table: str) -> list[dict[str, Any]]:
    """The lines of one table in an archive."""
    return [json.loads(line) for line in parts_of(content)[f"data/{table}.jsonl"].splitlines()]


def parts(*, profile: Any = PROFILE, **tables: list[Any]) -> dict[str, bytes]:
    """Return the files of an archive with these lines, by name."""
    missing = {table.name for table in archive_tables()} - {*TABLES}
    assert not missing, f"Add to TABLES in tests/support/archives.py: {missing}"
    found = {"data/profile.jsonl": json.dumps(profile).encode() + b"\n"}
    for name in TABLES:
        found[f"data/{name}.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in tables.get(name, []))
    return found | {"manifest.json": manifest({name: len(tables.get(name, [])) for name in TABLES})}


def manifest(counts: dict[str, int], **fields: Any) -> bytes:
    """Return the manifest of an archive with these numbers of lines."""
    told = {"format": "study-data-archive", "version": archive_version(), "made_at": THEN, "counts": counts}
    return json.dumps(told | fields).encode()


def zipped(members: dict[str, bytes]) -> bytes:
    """A ZIP of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def one_course() -> bytes:
    """An archive with one course."""
    return zipped(parts(courses=[a_course()]))
